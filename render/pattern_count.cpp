#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "render/canvas_map.hpp"
#include "render/paint.hpp"
#include "render/pattern.hpp"
#include "render/sync_strip.hpp"
#include "render/text.hpp"

namespace tilewall::render {
namespace {

constexpr int sweep_frames = 100;
constexpr Rgb ground = {24, 28, 34};
constexpr Rgb sweep_color = {255, 160, 40};

/// Canvas column of the bar's centre at `frame`.
double sweep_px(const PatternInfo& info) {
  const auto step = static_cast<double>(info.frame % sweep_frames);
  return step / sweep_frames * info.canvas_px.width;
}

/// The part of the canvas between two canvas columns, as columns of the picture.
RectPx columns_between(const CanvasMap& map, double left_px, double right_px, int height) {
  const int left = static_cast<int>(std::lround(map.x.to_picture(left_px)));
  const int right = static_cast<int>(std::lround(map.x.to_picture(right_px)));
  return {left, 0, right - left, height};
}

std::string time_text(const PatternInfo& info) {
  if (info.fps <= 0) return "";
  return fmt::format("{:.2f} s", static_cast<double>(info.frame) / info.fps);
}

}  // namespace

void paint_count(const PatternInfo& info, const ImageView& picture) {
  const SizePx size = picture.size_px;
  const CanvasMap map(info, picture);
  fill(picture, ground);
  const double bar_px = std::max(2.0, info.canvas_px.width / 200.0);
  const double sweep = sweep_px(info);
  fill(picture, columns_between(map, sweep - bar_px, sweep + bar_px, size.height), sweep_color);
  paint_count_code(info.frame, picture);
  const std::string digits = std::to_string(info.frame);
  const SizePx room = {size.width * 42 / 100, size.height * 30 / 100};
  const double digits_px = fitting_letter_px(digits, room);
  const int small = std::max(1, size.height / 150);
  const int x = size.width * 3 / 4;
  draw_text_centred(picture, {x, size.height * 35 / 100}, digits, digits_px, white);
  const int below = size.height * 35 / 100 + static_cast<int>(1.4 * digits_px);
  draw_text_centred(picture, {x, below}, time_text(info), 7 * small, white);
  draw_text(picture, {4 * small, 4 * small}, info.panel, 7 * small, white);
}

}  // namespace tilewall::render
