// Shows two movies in step, beside or over each other: the regions that "compare" makes. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "player/scene/scene.hpp"

namespace tilewall::scene {

/// How the movies are compared. side_by_side: each has half of the canvas. swipe: both fill the
/// canvas, and the second one is visible right of a line. difference: both fill it, and their
/// difference is shown.
enum class CompareMode { side_by_side, swipe, difference };
inline constexpr std::string_view compare_mode_names[] = {"side_by_side", "swipe", "difference"};

[[nodiscard]] std::optional<CompareMode> parse_compare_mode(std::string_view text);

/// Name of the second region, and of the group of both.
inline constexpr std::string_view compare_region = "compare";

/// Lays both regions out on a canvas. `line`: place of a swipe's line, as a share of the canvas's
/// width from the left, within 0..1.
void lay_out_comparison(Region& first, Region& second, CompareMode mode, SizePx canvas_px,
                        double line);

/// Place of a swipe's line in canvas pixels from the left; empty where there is none.
[[nodiscard]] std::optional<double> swipe_line_px(const Scene& scene);

/// Moves the line, at most to the canvas's sides. `second`: the second region of a swipe.
void set_swipe_line(Region& second, double x_px);

/// Shows the first region alone again, on all of the canvas.
void end_comparison(Region& first, SizePx canvas_px);

}  // namespace tilewall::scene
