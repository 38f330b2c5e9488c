// A panel's edge blend as factors of its pixel values, applied last.
//
// Where several panels light the same place, each gives its fading's share of the sum of all, in
// linear light. Two panels side by side get the smoothstep from 0 to 1 and its complement, four in
// a corner the products. The shares add up to 1 wherever panels overlap, also with different sizes,
// beside holes, and at positions given by hand.
#pragma once

#include <cstdint>
#include <vector>

#include "wallconfigs/edge_blend.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::present {

/// The panel's share of the light at `at_px`, 0..1. @pre `at_px` lies inside of the panel
[[nodiscard]] double light_share(const wall::PanelBlend& blend, PointF at_px) noexcept;

/// Factor of pixel values that stands for 1; factors are 65535ths. A panel's light grows with the
/// value's power of gamma, so a factor is the gamma-th root of light_share().
inline constexpr std::uint16_t whole_factor = 65535;

/// One factor per pixel, row by row; all whole_factor where nothing is blended.
[[nodiscard]] std::vector<std::uint16_t> blend_factors(const wall::PanelBlend& blend,
                                                       SizePx frame_buffer_px,
                                                       wall::Rotation rotation);

/// The factors of a frame buffer, kept only for the pixels that they change. Immutable.
class EdgeMask {
 public:
  EdgeMask(const wall::PanelBlend& blend, SizePx frame_buffer_px, wall::Rotation rotation);

  /// Darkens the frame buffer's edges: blue, green and red are multiplied by the factor and
  /// rounded. @pre `frame_buffer` has the size given to the constructor
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
