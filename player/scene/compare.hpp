// Two movies beside or over each other, in step: what "compare" makes of a scene's regions. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "player/scene/scene.hpp"

namespace tilewall::scene {

/// side_by_side: each has half of the canvas. swipe: both fill it, the second one right of a line.
/// difference: of both.
enum class CompareMode { side_by_side, swipe, difference };
inline constexpr std::string_view compare_mode_names[] = {"side_by_side", "swipe", "difference"};

[[nodiscard]] std::optional<CompareMode> parse_compare_mode(std::string_view text);

/// The name of the second region, and of the group of both.
inline constexpr std::string_view compare_region = "compare";

/// Lays both regions out on a canvas. `line`: of swipe, as a share of the canvas's width from the
/// left, within 0..1.
void lay_out_comparison(Region& first, Region& second, CompareMode mode, SizePx canvas_px,
                        double line);

/// Where the line of a swipe stands, in canvas pixels from the left; empty where none is shown.
[[nodiscard]] std::optional<double> swipe_line_px(const Scene& scene);

/// Moves the line; the canvas's sides hold it. `second`: the second region of a swipe.
void set_swipe_line(Region& second, double x_px);

/// The first region alone again, on all of the canvas.
void end_comparison(Region& first, SizePx canvas_px);

}  // namespace tilewall::scene
