// Computes the stored size of a movie that is made for a wall, and the part that each panel shows.
//
// Threads: pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "wallconfigs/geometry.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::movie {

/// Fit of a movie to the canvas. contain: all of it is visible. cover: it fills the canvas.
/// stretch: both, by distortion.
enum class SizeFit { contain, cover, stretch };
inline constexpr std::string_view size_fit_names[] = {"contain", "cover", "stretch"};

/// The wall that a movie is made for; all zero and empty for no wall.
struct WallTarget {
  SizePx canvas_px;              ///< canvas in the bezel mode that the movie is made for
  std::vector<RectF> panels_px;  ///< every panel on that canvas
  SizePx abutting_px;            ///< canvas with bezels shown, on which panels abut
  SizePx panel_px;               ///< the most common size of a panel, as viewed
  /// Every panel on the abutting canvas; empty if the bezel mode was given explicitly. A movie of
  /// exactly abutting_px is assumed to be made for that canvas.
  std::vector<RectF> abutting_panels_px;
  bool operator==(const WallTarget&) const = default;
};

/// The stored size of a source of `source_px` after cropping. A source that is larger than the
/// canvas can show is shrunk to that size, but never enlarged. `exact_px` overrides this, and may
/// enlarge. With `cover`, the parts that the wall will cut off are stored too.
[[nodiscard]] SizePx stored_size_px(SizePx source_px, SizePx canvas_px, SizeFit fit,
                                    std::optional<SizePx> exact_px) noexcept;

/// Size of the part that one panel shows of a movie that fills the abutting canvas, in movie
/// pixels; {0, 0} without a wall.
[[nodiscard]] SizePx panel_share_px(SizePx movie_px, const WallTarget& wall, SizeFit fit) noexcept;

/// The part of the movie that each panel shows, in movie pixels, including the filter's reach if
/// the movie is scaled; empty without a wall.
[[nodiscard]] std::vector<RectF> panel_shares_px(SizePx movie_px, const WallTarget& wall,
                                                 SizeFit fit);

/// Whether the movie fills the abutting canvas on both axes, so that blocks can coincide with
/// panels.
[[nodiscard]] bool fills_canvas(SizePx movie_px, const WallTarget& wall, SizeFit fit) noexcept;

/// The target for a wall; `bezels` is the mode that the movie is made for, empty = the wall's
/// default.
[[nodiscard]] WallTarget wall_target_of(const wall::Wall& wall,
                                        std::optional<wall::BezelMode> bezels = {});

}  // namespace tilewall::movie
