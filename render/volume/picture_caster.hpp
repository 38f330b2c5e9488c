// What draws one volume, whoever computes: the processor's kernels or a GPU.
#pragma once

#include <cstdint>

#include "render/volume/cast_style.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::render {

/// What a caster spent. Shading is part of sampling: a kernel does both for the same lanes at once,
/// and reading a clock between them would take longer than either.
struct CastTimes {
  std::uint64_t occupancy_ns = 0;   ///< finding the newest style's cells, as time passes
  std::uint64_t beams_cpu_ns = 0;   ///< of the newest picture: lists of samples, all threads' time
  std::uint64_t sample_cpu_ns = 0;  ///< of it: taking, shading and writing them, likewise
  std::uint64_t gpu_ns = 0;         ///< of it, by a GPU
};

/// Belongs to one thread, and to one volume that outlives it.
class PictureCaster {
 public:
  PictureCaster() = default;
  PictureCaster(const PictureCaster&) = delete;
  PictureCaster& operator=(const PictureCaster&) = delete;
  virtual ~PictureCaster() = default;

  /// What pictures show from now on. Throws InputError where the style has no meaning.
  virtual void set_style(const TransferFunction& function, const CastStyle& style, int threads) = 0;

  /// The rectangle `part` of the picture into `to`, of the same size, on up to `threads` threads.
  /// Returns how many samples were taken. Throws InputError for a view without a meaning. @pre a
  /// style was set
  virtual std::uint64_t cast(const CastView& view, RectPx part, const ImageView& to,
                             int threads) = 0;

  [[nodiscard]] virtual CastTimes times() const noexcept = 0;
};

}  // namespace tilewall::render
