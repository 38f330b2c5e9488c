// At which size a source is stored, and which part of it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "wallconfigs/geometry.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::movie {

/// How a movie meets the canvas: all of it visible, the canvas filled, or both by distortion.
enum class SizeFit { contain, cover, stretch };
inline constexpr std::string_view size_fit_names[] = {"contain", "cover", "stretch"};

/// The wall that a movie is made for. No wall: all zero and empty.
struct WallTarget {
  SizePx canvas_px;              ///< in the bezel mode that the movie is made for
  std::vector<RectF> panels_px;  ///< every panel on that canvas
  SizePx abutting_px;            ///< the canvas with bezels shown, where panels abut
  SizePx panel_px;               ///< of the commonest panel, as seen
  /// Every panel on the abutting canvas; empty where the mode was asked for. A movie of exactly the
  /// abutting size is taken to be meant for it.
  std::vector<RectF> abutting_panels_px;
  bool operator==(const WallTarget&) const = default;
};

/// The stored size of `source_px` (after cropping): its own, or what the canvas can show of it
/// where it is larger; `exact_px`, which may enlarge, overrides both. `cover` keeps what the wall
/// will cut off, so that the canvas is filled at its own pixels.
[[nodiscard]] SizePx stored_size_px(SizePx source_px, SizePx canvas_px, SizeFit fit,
                                    std::optional<SizePx> exact_px) noexcept;

/// What one panel shows of a movie that fills the canvas with bezels shown, in movie pixels; {0, 0}
/// without a wall.
[[nodiscard]] SizePx panel_share_px(SizePx movie_px, const WallTarget& wall, SizeFit fit) noexcept;

/// What every panel shows of the movie, in movie pixels, with what its filter looks at where it is
/// scaled; empty without a wall.
[[nodiscard]] std::vector<RectF> panel_shares_px(SizePx movie_px, const WallTarget& wall,
                                                 SizeFit fit);

/// Whether panels and blocks of that share coincide: the movie fills the abutting canvas on both
/// axes.
[[nodiscard]] bool fills_canvas(SizePx movie_px, const WallTarget& wall, SizeFit fit) noexcept;

// What an import needs to know of a wall.

/// `bezels`: the mode that the movie is made for; empty: the wall's default.
[[nodiscard]] WallTarget wall_target_of(const wall::Wall& wall,
                                        std::optional<wall::BezelMode> bezels = {});

}  // namespace tilewall::movie
