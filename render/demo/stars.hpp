// The demo's stars: those of the galaxy's disc, and those far behind it.
#pragma once

#include <span>
#include <vector>

#include "render/demo/camera.hpp"
#include "render/demo/float4.hpp"

namespace tilewall::render {

/// Rows [y_begin, y_begin + light.size() / width) of a picture as linear light.
struct LightRows {
  std::span<Float4> light;
  SizePx picture_px;
  int y_begin = 0;
  [[nodiscard]] int y_end() const noexcept {
    return y_begin + static_cast<int>(light.size()) / picture_px.width;
  }
};

/// Immutable.
class Stars {
 public:
  Stars();

  /// Adds the stars that reach into `rows`, as seen at `phase` of the loop.
  void add_to(const LightRows& rows, const DemoCamera& camera, double phase) const noexcept;

 private:
  struct DiscStar {
    Vec3f place;
    Float4 light;
  };
  struct FarStar {
    float x;  ///< 0..1 across the picture
    float y;
    float twinkle_phase;
    float twinkles;  ///< per loop, a whole number
    float halo;      ///< radius of its glow against the star's own; 0 = none
    Float4 light;
  };
  void add_disc_stars();
  void add_far_stars();

  std::vector<DiscStar> disc_;
  std::vector<FarStar> far_;
};

}  // namespace tilewall::render
