// pattern:colour shows whether panels look alike, and whether each shows all of its range.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "render/paint.hpp"
#include "render/pattern.hpp"
#include "render/text.hpp"

namespace tilewall::render {
namespace {

constexpr Rgb ground = {64, 64, 64};
constexpr Rgb mid_gray = {128, 128, 128};

/// Colours along all four edges of every panel. They are the same, so that neighbours show the same
/// colour side by side.
constexpr Rgb edge_colors[] = {{128, 128, 128}, {255, 255, 255}, {255, 0, 0},    {0, 255, 0},
                               {0, 0, 255},     {0, 255, 255},   {255, 0, 255},  {255, 255, 0},
                               {190, 140, 110}, {64, 64, 64},    {192, 192, 192}};

constexpr Rgb primaries[] = {{255, 0, 0},   {0, 255, 0},   {0, 0, 255},    {0, 255, 255},
                             {255, 0, 255}, {255, 255, 0}, {255, 255, 255}};

constexpr double gammas[] = {1.8, 2.0, 2.2, 2.4, 2.6};

Rgb gray(int level) {
  const auto value = static_cast<std::uint8_t>(std::clamp(level, 0, 255));
  return {value, value, value};
}

/// Part `index` of `count` equal parts of `place`, side by side.
RectPx part(const RectPx& place, int index, int count) {
  const int left = place.x + place.width * index / count;
  const int right = place.x + place.width * (index + 1) / count;
  return {left, place.y, right - left, place.height};
}

void paint_edges(const ImageView& picture, int depth) {
  const SizePx size = picture.size_px;
  const int count = static_cast<int>(std::size(edge_colors));
  for (int i = 0; i < count; ++i) {
    const RectPx across = part({0, 0, size.width, depth}, i, count);
    fill(picture, across, edge_colors[i]);
    fill(picture, {across.x, size.height - depth, across.width, depth}, edge_colors[i]);
  }
  for (int i = 0; i < count; ++i) {
    const RectPx down = part({0, 0, size.height, depth}, i, count);
    fill(picture, {0, down.x, depth, down.width}, edge_colors[i]);
    fill(picture, {size.width - depth, down.x, depth, down.width}, edge_colors[i]);
  }
}

void paint_ramp(const ImageView& picture, const RectPx& place) {
  for (int x = 0; x < place.width; ++x)
    fill(picture, {place.x + x, place.y, 1, place.height},
         gray(x * 255 / std::max(place.width - 1, 1)));
}

/// Paints levels first, first + step, ... as squares on `under`. All different levels should be
/// distinguishable.
void paint_steps(const ImageView& picture, const RectPx& place, int first, int step, Rgb under) {
  constexpr int count = 10;
  fill(picture, place, under);
  for (int i = 0; i < count; ++i) {
    const RectPx cell = part(place, i, count);
    const int margin = std::max(1, std::min(cell.width, cell.height) / 5);
    const RectPx square = {cell.x + margin, cell.y + margin, cell.width - 2 * margin,
                           cell.height - 2 * margin};
    fill(picture, square, gray(first + i * step));
  }
}

/// Paints rows of black and white pixels, which give half the light of white, and in their middle a
/// patch with the level that gives half the light at the gamma written on it. The patch that
/// vanishes from afar names the panel's gamma.
void paint_gamma(const ImageView& picture, const RectPx& place, int unit_px) {
  const int count = static_cast<int>(std::size(gammas));
  for (int i = 0; i < count; ++i) {
    const RectPx cell = part(place, i, count);
    for (int y = cell.y; y < cell.bottom(); ++y)
      fill(picture, {cell.x, y, cell.width, 1}, y % 2 == 0 ? white : black);
    const auto level = static_cast<int>(std::lround(255 * std::pow(0.5, 1 / gammas[i])));
    const RectPx patch = {cell.x + cell.width / 4, cell.y + cell.height / 4, cell.width / 2,
                          cell.height / 2};
    fill(picture, patch, gray(level));
    draw_text_centred(picture,
                      {patch.x + patch.width / 2, patch.y + patch.height / 2 - 3 * unit_px},
                      fmt::format("{:.1f}", gammas[i]), 7 * unit_px, gray(level - 60));
  }
}

void paint_primaries(const ImageView& picture, const RectPx& place) {
  const int count = static_cast<int>(std::size(primaries));
  for (int i = 0; i < count; ++i) {
    const RectPx cell = part(place, i, count);
    fill(picture, {cell.x, cell.y, cell.width, cell.height / 2}, primaries[i]);
    fill(picture, {cell.x, cell.y + cell.height / 2, cell.width, cell.height - cell.height / 2},
         mixed(black, primaries[i], 0.5));
  }
}

}  // namespace

void paint_colour(const PatternInfo& info, const ImageView& picture) {
  const SizePx size = picture.size_px;
  const int depth = std::max(1, std::min(size.width, size.height) / 9);
  const int unit = std::max(1, std::min(size.width / 400, size.height / 250));
  fill(picture, ground);
  paint_edges(picture, depth);
  const int left = depth + depth / 2;
  const int width = size.width - 2 * left;
  const int top = depth + depth / 2;
  const int room = size.height - 2 * top;
  const auto row = [&](int from_percent, int percent) {
    return RectPx{left, top + room * from_percent / 100, width, room * percent / 100};
  };
  paint_primaries(picture, row(0, 24));
  paint_ramp(picture, row(27, 13));
  paint_steps(picture, row(43, 12), 2, 2, black);
  paint_steps(picture, row(55, 12), 253, -2, white);
  paint_gamma(picture, row(70, 20), unit);
  draw_text_centred(picture, {size.width / 2, top + room * 93 / 100}, info.panel, 7 * unit,
                    mid_gray);
}

}  // namespace tilewall::render
