// A panel's edge blend as factors of its pixel values, the last thing done to them.
//
// Of a place that several panels light, each has its fading's share of the sum of all, in light:
// where two panels lie side by side that is the smoothstep from 0 to 1 and its complement, in the
// corner of four the products; and it adds up to 1 wherever panels of different sizes, beside
// holes, or in positions given by hand overlap.
#pragma once

#include <cstdint>
#include <vector>

#include "wallconfigs/edge_blend.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::present {

/// The panel's share of the light at that place, 0..1. @pre inside of the panel
[[nodiscard]] double light_share(const wall::PanelBlend& blend, PointF at_px) noexcept;

/// What a pixel value is multiplied by, in 65535ths: a panel's light grows with the value's power
/// of gamma, so this is the gamma-th root of light_share().
inline constexpr std::uint16_t whole_factor = 65535;

/// One factor per pixel, row by row; all whole_factor where nothing is blended.
[[nodiscard]] std::vector<std::uint16_t> blend_factors(const wall::PanelBlend& blend,
                                                       SizePx frame_buffer_px,
                                                       wall::Rotation rotation);

/// The factors of a frame buffer where they change anything. Immutable.
class EdgeMask {
 public:
  EdgeMask(const wall::PanelBlend& blend, SizePx frame_buffer_px, wall::Rotation rotation);

  /// Darkens the frame buffer's edges: each of blue, green and red becomes its product with the
  /// factor, rounded. @pre of the size given to the constructor
  void apply(const ImageView& frame_buffer) const noexcept;

 private:
  struct Run {
    PointPx at_px;
    int length_px = 0;
    std::size_t first_factor = 0;
  };
  std::vector<Run> runs_;
  std::vector<std::uint16_t> factors_;
};

}  // namespace tilewall::present
