// An owning handle for TurboJPEG, and its names of our chroma layouts.
#pragma once

#include <turbojpeg.h>

#include "player/movie/codecs/planar_picture.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::movie {

struct TurboJpegTraits {
  using Raw = tjhandle;
  static constexpr tjhandle null() noexcept { return nullptr; }
  static void close(tjhandle handle) noexcept { tjDestroy(handle); }
};
using TurboJpegHandle = UniqueHandle<TurboJpegTraits>;

/// @pre chroma is one that JPEG blocks hold
[[nodiscard]] constexpr int turbojpeg_subsampling(Chroma chroma) noexcept {
  return chroma == Chroma::gray ? TJSAMP_GRAY : chroma == Chroma::yuv420 ? TJSAMP_420 : TJSAMP_444;
}

}  // namespace tilewall::movie
