// What draws one volume, whoever computes: the processor's kernels or a GPU.
#pragma once

#include <cstdint>

#include "render/volume/cast_style.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall {

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
};

}  // namespace tilewall
