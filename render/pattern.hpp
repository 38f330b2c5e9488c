// Test patterns: pictures that a wall's panels paint by themselves, as functions of the place and
// the frame number. Drawings in canvas coordinates go on from panel to panel, so that a panel in
// the wrong place, turned or a frame late is noticed at once.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::render {

/// The panel that a pattern is painted for, and the frame.
struct PatternInfo {
  SizePx canvas_px;
  RectF panel_on_canvas_px;  ///< Part of the canvas that the picture covers
  std::string panel;         ///< Name of the panel
  std::string host;          ///< Host of the panel; "" = this machine
  int column = 0;
  int row = 0;
  double lit_width_mm = 0;  ///< Width of the lit area as seen; 0 = not known
  double lit_height_mm = 0;
  std::int64_t frame = 0;
  double fps = 0;  ///< Frame rate; 0 = nothing moves
};

/// Paints every pixel of `picture`, as the viewer sees it. Any size from 1x1 up.
using PaintPattern = void(const PatternInfo& info, const ImageView& picture);

struct Pattern {
  std::string_view name;
  std::string_view shows;  ///< One line for --help
  bool moves = false;      ///< The picture depends on the frame
  PaintPattern* paint = nullptr;
};

/// Panel name, host, place, corners, up-arrow; grid, diagonals and circles across the whole canvas.
PaintPattern paint_identify;

/// The frame number in digits and as a code that read_count_code() reads back; a bar that sweeps
/// the canvas once in a hundred frames.
PaintPattern paint_count;

/// Lines every 10, 50 or 100 canvas pixels with their coordinates.
PaintPattern paint_grid;

/// Gray, red, green and blue from 0 to 255 across the canvas, for matching panels.
PaintPattern paint_ramp;

/// For a camera or an eye that judges whether all panels change together: bars that move one step a
/// frame over the whole canvas, a field that flashes, a running light, the frame number in digits
/// and as strips that read_sync_strip() reads.
PaintPattern paint_sync;

/// Edges, corners and lines one pixel wide that go on across the bezels, rulers in millimetres, and
/// patches of single pixels that show any scaling.
PaintPattern paint_align;

/// Primaries, ramps, steps near black and near white, gamma; the same colours along all edges.
PaintPattern paint_colour;

/// The test card: marks at every hundred canvas pixels that read_card_mark() reads, lines through
/// them, circles, a gray ramp, the canvas's corners. A function of the canvas pixel alone.
PaintPattern paint_card;

/// The test card's ramp, from 0 at the canvas's left edge to 255 at its right one.
[[nodiscard]] RectPx card_ramp_px(SizePx canvas_px) noexcept;
[[nodiscard]] std::uint8_t card_ramp_level(SizePx canvas_px, int x) noexcept;

/// Where paint_sync puts its strips.
enum class StripEdge { top, bottom };
[[nodiscard]] RectPx sync_strip_px(SizePx picture_px, StripEdge edge) noexcept;

PaintPattern paint_black;
PaintPattern paint_white;

[[nodiscard]] std::span<const Pattern> patterns() noexcept;

/// The pattern of "pattern:NAME". Throws InputError with the nearest known name.
[[nodiscard]] const Pattern& find_pattern(std::string_view name);

}  // namespace tilewall::render
