// A volume like a simulated universe: filaments between halos, nine tenths of it nearly empty. For
// benchmarks; the same scene at every size.
//
// A Gaussian random field g with the power k^-2.4, cut off at 12 waves a side, gives soft clouds;
// where it and a second one, h, are both near 0 runs a filament; 700 halos with a Pareto
// distribution of masses lie anywhere. The logarithm of all that, between 0 and 1.
#pragma once

#include <vector>

#include "render/volume/transfer_function.hpp"
#include "render/volume/volume.hpp"

namespace tilewall::render {

/// Immutable.
class WebScene {
 public:
  WebScene();
  /// Makes side^3 voxels on `threads` threads: 0 to 1 as f32, 0 to 255 as u8, 0 to 65535 as u16.
  /// scale_of() maps them to 0 to 1 again.
  [[nodiscard]] VoxelArray voxels(VoxelType type, int side, int threads) const;
  [[nodiscard]] static ValueScale scale_of(VoxelType type) noexcept;

 private:
  struct Halo {
    Vec3d at;       ///< Place, 0 to 1
    double radius;  ///< Radius as a share of the whole's side
    double height;
  };
  /// Waves (x, y, z), 0 <= x < waves, |y| and |z| < waves, as cosine and sine.
  struct Waves {
    std::vector<float> cosine;
    std::vector<float> sine;
  };
  class Slice;

  static Waves random_waves(unsigned seed);

  Waves clouds_;
  Waves ridges_;
  std::vector<Halo> halos_;
  float least_ = 0;  ///< Least value of the logarithm
  float greatest_ = 1;
};

/// Transfer functions for benchmarks. `side` is in voxels; the opacities' unit keeps the picture
/// the same at every size.
[[nodiscard]] TransferFunction sparse_function(int side);
[[nodiscard]] TransferFunction fog_function(int side);

}  // namespace tilewall::render
