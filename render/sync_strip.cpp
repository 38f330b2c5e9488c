#include "render/sync_strip.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

#include "render/paint.hpp"

namespace tilewall::render {

namespace {

constexpr int marker_cells = 3;
constexpr int number_bits = 16;
constexpr int cell_count = number_bits + 2 * marker_cells;
constexpr int min_contrast = 48;  // least difference between the two rows of a cell, of 255

enum class Cell { black, white, unclear };
using Cells = std::array<Cell, cell_count>;

constexpr std::array<Cell, marker_cells> marker = {Cell::white, Cell::black, Cell::black};

std::uint32_t gray_of(std::int64_t number) noexcept {
  const auto low = static_cast<std::uint32_t>(number & (sync_strip_numbers - 1));
  return low ^ (low >> 1);
}

std::int64_t number_of(std::uint32_t gray) noexcept {
  for (std::uint32_t shift = 1; shift < number_bits; shift *= 2) gray ^= gray >> shift;
  return gray;
}

Cells cells_of(std::int64_t number) noexcept {
  Cells cells{};
  std::copy(marker.begin(), marker.end(), cells.begin());
  std::copy(marker.rbegin(), marker.rend(), cells.end() - marker_cells);
  const std::uint32_t gray = gray_of(number);
  for (std::size_t bit = 0; bit < number_bits; ++bit)
    cells[marker_cells + bit] =
        (gray >> (number_bits - 1 - bit) & 1) != 0 ? Cell::white : Cell::black;
  return cells;
}

/// Upper (0) or lower (1) half of a cell.
RectPx half_cell(const RectPx& strip, std::size_t cell, int half) noexcept {
  const auto column = static_cast<int>(cell);
  const int left = strip.x + strip.width * column / cell_count;
  const int right = strip.x + strip.width * (column + 1) / cell_count;
  const int top = strip.y + strip.height * half / 2;
  const int bottom = strip.y + strip.height * (half + 1) / 2;
  return {left, top, right - left, bottom - top};
}

/// Mean of all channels in the inner part of a half cell.
int level(const ImageView& picture, const RectPx& half) noexcept {
  const RectPx inner = {half.x + half.width / 4, half.y + half.height / 4,
                        std::max(half.width / 2, 1), std::max(half.height / 2, 1)};
  const RectPx seen = intersection(inner, {0, 0, picture.size_px.width, picture.size_px.height});
  if (seen.empty()) return 0;
  std::int64_t sum = 0;
  for (int y = seen.y; y < seen.bottom(); ++y)
    for (int x = seen.x; x < seen.right(); ++x) {
      const std::uint8_t* pixel = picture.pixel(x, y);
      sum += pixel[0] + pixel[1] + pixel[2];
    }
  return static_cast<int>(sum / (std::int64_t{3} * seen.width * seen.height));
}

Cells read_cells(const ImageView& picture, const RectPx& strip) noexcept {
  Cells cells{};
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const int difference =
        level(picture, half_cell(strip, cell, 0)) - level(picture, half_cell(strip, cell, 1));
    if (difference > min_contrast) cells[cell] = Cell::white;
    if (difference < -min_contrast) cells[cell] = Cell::black;
    if (std::abs(difference) <= min_contrast) cells[cell] = Cell::unclear;
  }
  return cells;
}

bool has_markers(const Cells& cells) noexcept {
  return std::equal(marker.begin(), marker.end(), cells.begin()) &&
         std::equal(marker.rbegin(), marker.rend(), cells.end() - marker_cells);
}

/// The number with every unclear cell taken as `unclear`.
std::int64_t number_with(const Cells& cells, Cell unclear) noexcept {
  std::uint32_t gray = 0;
  for (std::size_t bit = 0; bit < number_bits; ++bit) {
    const Cell cell = cells[marker_cells + bit];
    gray = gray << 1 | ((cell == Cell::unclear ? unclear : cell) == Cell::white ? 1U : 0U);
  }
  return number_of(gray);
}

}  // namespace

void paint_sync_strip(std::int64_t number, const ImageView& picture, const RectPx& strip) noexcept {
  const Cells cells = cells_of(number);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const bool is_white = cells[cell] == Cell::white;
    fill(picture, half_cell(strip, cell, 0), is_white ? white : black);
    fill(picture, half_cell(strip, cell, 1), is_white ? black : white);
  }
}

std::optional<SyncStripReading> read_sync_strip(const ImageView& picture,
                                                const RectPx& strip) noexcept {
  const Cells cells = read_cells(picture, strip);
  if (!has_markers(cells) || std::count(cells.begin(), cells.end(), Cell::unclear) > 1)
    return std::nullopt;
  const std::int64_t a = number_with(cells, Cell::black);
  const std::int64_t b = number_with(cells, Cell::white);
  if (a == b || (a + 1) % sync_strip_numbers == b) return SyncStripReading{a, b};
  if ((b + 1) % sync_strip_numbers == a) return SyncStripReading{b, a};
  return std::nullopt;
}

namespace {

constexpr int code_columns = 8;
constexpr int code_rows = 6;
constexpr int min_code_contrast = 40;

using CodeRows = std::array<std::uint8_t, code_rows>;  // bit 7 is the leftmost block

constexpr std::uint8_t sync_row = 0b10101010;

std::uint8_t crc8(std::uint32_t number) noexcept {
  std::uint8_t crc = 0xff;  // starts at 0xff, so that black all over is no code
  for (int bit = 31; bit >= 0; --bit) {
    const bool carry = ((crc >> 7) ^ (number >> bit & 1)) != 0;
    crc = static_cast<std::uint8_t>(crc << 1 ^ (carry ? 0x07 : 0));  // x^8 + x^2 + x + 1
  }
  return crc;
}

CodeRows code_of(std::uint32_t number) noexcept {
  return {sync_row,
          static_cast<std::uint8_t>(number >> 24),
          static_cast<std::uint8_t>(number >> 16),
          static_cast<std::uint8_t>(number >> 8),
          static_cast<std::uint8_t>(number),
          crc8(number)};
}

/// Where the code's blocks lie in a picture; fractions of its size.
RectF code_place(SizePx size) noexcept {
  return {size.width * 0.08, size.height * 0.22, size.width * 0.40, size.height * 0.60};
}

/// The place of block (column, row), shrunk about its centre to `share` of its width and height.
RectPx block_place(const RectF& code, int column, int row, double share) noexcept {
  const double width = code.width / code_columns;
  const double height = code.height / code_rows;
  const double left = code.x + (column + (1 - share) / 2) * width;
  const double top = code.y + (row + (1 - share) / 2) * height;
  const int x = static_cast<int>(std::lround(left));
  const int y = static_cast<int>(std::lround(top));
  return {x, y, static_cast<int>(std::lround(left + share * width)) - x,
          static_cast<int>(std::lround(top + share * height)) - y};
}

/// Mean of red, green and blue in the inner half of a block.
int block_level(const ImageView& picture, const RectF& code, int column, int row) noexcept {
  const RectPx place = block_place(code, column, row, 0.5);
  std::int64_t sum = 0;
  for (int y = place.y; y < place.bottom(); ++y) {
    for (int x = place.x; x < place.right(); ++x) {
      const std::uint8_t* pixel = picture.pixel(x, y);
      sum += pixel[0] + pixel[1] + pixel[2];
    }
  }
  const std::int64_t samples = std::int64_t{3} * place.width * place.height;
  return samples == 0 ? 0 : static_cast<int>(sum / samples);
}

/// Half way between the sync row's white and black; empty where they do not differ enough.
std::optional<int> threshold_of(const ImageView& picture, const RectF& code) noexcept {
  int white_sum = 0;
  int black_sum = 0;
  for (int column = 0; column < code_columns; column += 2) {
    white_sum += block_level(picture, code, column, 0);
    black_sum += block_level(picture, code, column + 1, 0);
  }
  const int pairs = code_columns / 2;
  if (white_sum - black_sum < min_code_contrast * pairs) return std::nullopt;
  return (white_sum + black_sum) / (2 * pairs);
}

}  // namespace

void paint_count_code(std::int64_t number, const ImageView& picture) noexcept {
  const RectF code = code_place(picture.size_px);
  const RectPx around = {static_cast<int>(code.x - code.width / 32),
                         static_cast<int>(code.y - code.width / 32),
                         static_cast<int>(code.width * 17 / 16) + 1,
                         static_cast<int>(code.height + code.width / 16) + 1};
  fill(picture, around, white);
  const CodeRows rows = code_of(static_cast<std::uint32_t>(number));
  for (int row = 0; row < code_rows; ++row) {
    for (int column = 0; column < code_columns; ++column) {
      const bool set = (rows[static_cast<std::size_t>(row)] >> (7 - column) & 1) != 0;
      fill(picture, block_place(code, column, row, 1), set ? white : black);
    }
  }
}

std::optional<std::int64_t> read_count_code(const ImageView& picture) noexcept {
  const RectF code = code_place(picture.size_px);
  const std::optional<int> threshold = threshold_of(picture, code);
  if (!threshold) return std::nullopt;
  CodeRows rows{};
  for (int row = 0; row < code_rows; ++row)
    for (int column = 0; column < code_columns; ++column)
      rows[static_cast<std::size_t>(row)] =
          static_cast<std::uint8_t>(rows[static_cast<std::size_t>(row)] << 1 |
                                    (block_level(picture, code, column, row) > *threshold ? 1 : 0));
  std::uint32_t number = 0;
  for (std::size_t row = 1; row <= 4; ++row) number = number << 8 | rows[row];
  if (rows != code_of(number)) return std::nullopt;
  return number;
}

}  // namespace tilewall::render
