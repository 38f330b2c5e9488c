// Maps decoded HDR pictures to SDR pictures of the same size, before any other conversion. Import
// and direct play both use it, so that they show the same colours.
//
// The result has 8 bits, the source's chroma sampling and siting, and the colour that wall movies
// store: BT.601 matrix and full range, while RGB stays RGB. Chroma is mapped with the mean luma
// around its sites, luma with chroma interpolated to its sites.
//
// Threads: one owner. Starts a worker pool of its own at the first HDR picture.
#pragma once

#include <memory>

#include "player/movie/source/tone_curve.hpp"

namespace tilewall::movie {

class ToneMapper {
 public:
  /// `threads` = number of threads that share each picture's rows.
  ToneMapper(HdrMode mode, int threads);
  ~ToneMapper();
  ToneMapper(const ToneMapper&) = delete;
  ToneMapper& operator=(const ToneMapper&) = delete;

  /// The mapped picture, owned by this object and valid until the next call. Returns `frame` itself
  /// if it is not HDR, in mode clip, or has float, YCgCo or 4:1:1 samples; PictureConverter then
  /// clips it.
  /// Throws JobError when memory runs out.
  [[nodiscard]] const AVFrame& mapped(const AVFrame& frame);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall::movie
