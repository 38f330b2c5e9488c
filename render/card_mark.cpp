#include "render/card_mark.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace tilewall::render {
namespace {

constexpr int cell_px = 5;
constexpr int outer_ring = 3;  // cells away from the middle one
constexpr int side_bits = 5;
constexpr int code_bits = 4 * side_bits;
constexpr int min_mark_contrast = 40;
constexpr int search_px = 7;  // canvas pixels about the expected centre

/// Checksum of a code. The factors are odd, so any change of one half byte changes the sum.
std::uint32_t check_of(std::uint32_t column, std::uint32_t row) noexcept {
  return (3 * (column & 15) + 5 * (column >> 4) + 7 * (row & 15) + 11 * (row >> 4) + 9) & 15;
}

std::uint32_t code_of(CardPlace place) noexcept {
  const auto column = static_cast<std::uint32_t>(place.column) & 255;
  const auto row = static_cast<std::uint32_t>(place.row) & 255;
  return column << 12 | row << 4 | check_of(column, row);
}

/// A cell, counted from the middle one.
struct Cell {
  int x;
  int y;
};

/// The cell that holds bit number `bit`, 0 being the code's highest: along the upper side, then the
/// right, the lower and the left one.
Cell cell_of_bit(int bit) noexcept {
  const int along = bit % side_bits - side_bits / 2;
  switch (bit / side_bits) {
    case 0:
      return {along, -outer_ring};
    case 1:
      return {outer_ring, along};
    case 2:
      return {along, outer_ring};
    default:
      return {-outer_ring, along};
  }
}

bool cell_is_white(CardPlace place, Cell cell) noexcept {
  const int ring = std::max(std::abs(cell.x), std::abs(cell.y));
  if (ring == 0) return true;
  if (ring < outer_ring) return false;
  if (std::abs(cell.x) == std::abs(cell.y)) return cell.x < 0 && cell.y < 0;
  const std::uint32_t code = code_of(place);
  for (int bit = 0; bit < code_bits; ++bit) {
    const Cell at = cell_of_bit(bit);
    if (at.x == cell.x && at.y == cell.y) return (code >> (code_bits - 1 - bit) & 1) != 0;
  }
  return false;
}

PointF place_in(const ExpectedMark& mark, double dx, double dy) noexcept {
  return {mark.centre_px.x + dx * mark.across_px.x + dy * mark.down_px.x,
          mark.centre_px.y + dx * mark.across_px.y + dy * mark.down_px.y};
}

/// Sum of the channels, 0..765, at the pixel around `at`.
int level_at(const ImageView& picture, PointF at) noexcept {
  const std::uint8_t* pixel =
      picture.pixel(static_cast<int>(std::floor(at.x)), static_cast<int>(std::floor(at.y)));
  return pixel[0] + pixel[1] + pixel[2];
}

bool inside(const ImageView& picture, const ExpectedMark& mark) noexcept {
  const double half_px = card_mark_px / 2.0;
  for (const double dx : {-half_px, half_px})
    for (const double dy : {-half_px, half_px}) {
      const PointF at = place_in(mark, dx, dy);
      if (at.x < 0 || at.y < 0 || at.x > picture.size_px.width || at.y > picture.size_px.height)
        return false;
    }
  return true;
}

/// The centre of light in the search window, above the darkest level. Empty where the contrast is
/// too small.
std::optional<PointF> centre_of_light(const ImageView& picture, const ExpectedMark& mark) noexcept {
  constexpr std::size_t window_px = 2 * search_px + 1;
  std::array<int, window_px * window_px> levels{};
  std::size_t count = 0;
  for (int dy = -search_px; dy <= search_px; ++dy)
    for (int dx = -search_px; dx <= search_px; ++dx)
      levels[count++] = level_at(picture, place_in(mark, dx, dy));
  const auto [darkest, brightest] = std::minmax_element(levels.begin(), levels.end());
  if (*brightest - *darkest < 3 * min_mark_contrast) return std::nullopt;
  const int floor_level = *darkest + (*brightest - *darkest) / 4;  // noise weighs nothing

  // Steps are pixels, not canvas pixels, so that every pixel counts once.
  const double reach_x = search_px * (std::abs(mark.across_px.x) + std::abs(mark.down_px.x));
  const double reach_y = search_px * (std::abs(mark.across_px.y) + std::abs(mark.down_px.y));
  const auto first = [](double px) { return std::max(0, static_cast<int>(std::floor(px))); };
  const int right = std::min(picture.size_px.width, first(mark.centre_px.x + reach_x) + 1);
  const int bottom = std::min(picture.size_px.height, first(mark.centre_px.y + reach_y) + 1);
  double sum = 0;
  PointF moment;
  for (int y = first(mark.centre_px.y - reach_y); y < bottom; ++y)
    for (int x = first(mark.centre_px.x - reach_x); x < right; ++x) {
      const PointF centre = {x + 0.5, y + 0.5};
      const double weight = std::max(0, level_at(picture, centre) - floor_level);
      sum += weight;
      moment = {moment.x + weight * centre.x, moment.y + weight * centre.y};
    }
  return PointF{moment.x / sum, moment.y / sum};
}

}  // namespace

bool card_mark_is_white(CardPlace place, int dx, int dy) noexcept {
  const auto cell = [](int offset) { return (offset + card_mark_px / 2) / cell_px - outer_ring; };
  return cell_is_white(place, {cell(dx), cell(dy)});
}

std::optional<SeenMark> read_card_mark(const ImageView& picture,
                                       const ExpectedMark& expected) noexcept {
  if (!inside(picture, expected)) return std::nullopt;
  const auto centre = centre_of_light(picture, expected);
  if (!centre) return std::nullopt;
  ExpectedMark mark = expected;
  mark.centre_px = *centre;
  if (!inside(picture, mark)) return std::nullopt;
  const auto level = [&](Cell cell) {
    return level_at(picture, place_in(mark, cell_px * cell.x, cell_px * cell.y));
  };
  const int threshold = (level({0, 0}) + level({2, 0})) / 2;
  std::uint32_t code = 0;
  for (int bit = 0; bit < code_bits; ++bit)
    code = code << 1 | (level(cell_of_bit(bit)) > threshold ? 1U : 0U);
  const CardPlace place = {static_cast<int>(code >> 12), static_cast<int>(code >> 4 & 255)};
  const bool upright = level({-outer_ring, -outer_ring}) > threshold &&
                       level({outer_ring, -outer_ring}) <= threshold &&
                       level({outer_ring, outer_ring}) <= threshold &&
                       level({-outer_ring, outer_ring}) <= threshold;
  if (!upright || code != code_of(place)) return std::nullopt;
  return SeenMark{place, *centre};
}

}  // namespace tilewall::render
