// pattern:sync shows an eye or a camera whether all panels change at the same instant.

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

constexpr int sweep_frames = 120;  // a bar's way across the canvas
constexpr int lamp_count = 16;
constexpr Rgb ground = {20, 22, 28};
constexpr Rgb column_color = {255, 160, 40};
constexpr Rgb row_color = {60, 170, 255};
constexpr Rgb lamp_off = {52, 56, 66};
constexpr Rgb label_color = {150, 165, 185};

/// The band within `half_px` of `at_px` on one axis of the canvas.
RectPx band(const AxisMap& axis, double at_px, double half_px) {
  const int from = static_cast<int>(std::lround(axis.to_picture(at_px - half_px)));
  const int to = static_cast<int>(std::lround(axis.to_picture(at_px + half_px)));
  return {from, 0, to - from, 0};
}

/// An upright bar that goes to the right and a level one that goes down, one step a frame, over the
/// whole canvas. Where a panel is a frame late they break at its edge.
void paint_bars(const PatternInfo& info, const ImageView& picture) {
  const CanvasMap map(info, picture);
  const double share = static_cast<double>(info.frame % sweep_frames) / sweep_frames;
  const SizePx canvas = info.canvas_px;
  const double half_px = std::max(1.0, canvas.width / 320.0);
  const RectPx column = band(map.x, share * canvas.width, half_px);
  const RectPx row = band(map.y, share * canvas.height, half_px);
  fill(picture, {0, row.x, picture.size_px.width, row.width}, row_color);
  fill(picture, {column.x, 0, column.width, picture.size_px.height}, column_color);
}

/// One lamp of a row is lit, the next one with each frame: a photograph shows as many lit lamps as
/// frames went by while the shutter was open.
void paint_lamps(std::int64_t frame, const ImageView& picture, const RectPx& place) {
  const int gap = std::max(1, place.width / (lamp_count * 6));
  for (int lamp = 0; lamp < lamp_count; ++lamp) {
    const int left = place.x + place.width * lamp / lamp_count;
    const int right = place.x + place.width * (lamp + 1) / lamp_count;
    fill(picture, {left, place.y, right - left - gap, place.height},
         frame % lamp_count == lamp ? white : lamp_off);
  }
}

/// Paints a field that is white in even frames and black in odd ones, for a photodiode, and for
/// eyes: its flicker beats between panels that are out of step.
void paint_flash(std::int64_t frame, const ImageView& picture, const RectPx& place) {
  const int rim = std::max(1, place.width / 24);
  fill(picture, place, lamp_off);
  fill(picture, {place.x + rim, place.y + rim, place.width - 2 * rim, place.height - 2 * rim},
       frame % 2 == 0 ? white : black);
}

}  // namespace

RectPx sync_strip_px(SizePx picture_px, StripEdge edge) noexcept {
  const int height = std::max(2, picture_px.height / 14) / 2 * 2;
  return {0, edge == StripEdge::top ? 0 : picture_px.height - height, picture_px.width, height};
}

void paint_sync(const PatternInfo& info, const ImageView& picture) {
  const SizePx size = picture.size_px;
  fill(picture, ground);
  paint_bars(info, picture);
  const std::string digits = std::to_string(info.frame);
  const double digits_px =
      fitting_letter_px(digits, {size.width * 60 / 100, size.height * 34 / 100});
  const int small = std::max(1, std::min(size.width / 250, size.height / 150));
  draw_text_centred(picture, {size.width * 38 / 100, size.height * 24 / 100}, digits, digits_px,
                    white);
  draw_text(picture, {size.width * 6 / 100, size.height * 12 / 100}, info.panel, 7 * small,
            label_color);
  const int side = std::min(size.width * 20 / 100, size.height * 34 / 100);
  paint_flash(info.frame, picture,
              {size.width * 94 / 100 - side, size.height * 24 / 100, side, side});
  paint_lamps(info.frame, picture,
              {size.width * 6 / 100, size.height * 70 / 100, size.width * 88 / 100,
               std::max(1, size.height * 12 / 100)});
  for (const StripEdge edge : {StripEdge::top, StripEdge::bottom})
    paint_sync_strip(info.frame, picture, sync_strip_px(size, edge));
}

}  // namespace tilewall::render
