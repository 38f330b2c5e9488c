// The interface of what draws one volume: the processor's kernels, or a GPU.
#pragma once

#include <cstdint>

#include "render/volume/cast_style.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::render {

/// Times of a caster. Shading is part of sampling: a kernel does both for the same lanes at once,
/// and reading a clock between them would take longer than either.
struct CastTimes {
  std::uint64_t occupancy_ns = 0;  ///< Elapsed time for finding the newest style's cells
  /// CPU time of all threads for the newest picture's lists of samples.
  std::uint64_t beams_cpu_ns = 0;
  /// CPU time of all threads for sampling, shading and writing the newest picture.
  std::uint64_t sample_cpu_ns = 0;
  std::uint64_t gpu_ns = 0;  ///< GPU time of the newest picture
};

/// Threads: one owner. It draws one volume, which outlives it.
class PictureCaster {
 public:
  PictureCaster() = default;
  PictureCaster(const PictureCaster&) = delete;
  PictureCaster& operator=(const PictureCaster&) = delete;
  virtual ~PictureCaster() = default;

  /// Sets the style of the pictures from now on. Throws InputError for a style without a meaning.
  virtual void set_style(const TransferFunction& function, const CastStyle& style, int threads) = 0;

  /// Casts the rectangle `part` of the picture into `to`, which has the same size, on up to
  /// `threads` threads. Returns the number of samples taken. Throws InputError for a view without a
  /// meaning. @pre a style was set
  virtual std::uint64_t cast(const CastView& view, RectPx part, const ImageView& to,
                             int threads) = 0;

  [[nodiscard]] virtual CastTimes times() const noexcept = 0;
};

}  // namespace tilewall::render
