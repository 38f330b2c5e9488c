// HDR pictures as a movie's decoder gives them -> SDR pictures of the same size, before anything
// else is done with them. Import and direct play both map here, so they show the same.
//
// The result has 8 bits, the source's chroma sampling and siting, and the colour that wall movies
// store: BT.601 matrix, full range (RGB stays RGB). Chroma is mapped with the mean luma around its
// sites, luma with chroma interpolated to its sites.
//
// Threads: one owner; owns a worker pool once there is an HDR picture.
#pragma once

#include <memory>

#include "player/movie/source/tone_curve.hpp"

namespace tilewall {

class ToneMapper {
 public:
  /// `threads` share each picture's rows.
  ToneMapper(HdrMode mode, int threads);
  ~ToneMapper();
  ToneMapper(const ToneMapper&) = delete;
  ToneMapper& operator=(const ToneMapper&) = delete;

  /// The picture to show; valid until the next call. The frame itself where it is not HDR, where
  /// HDR is to be clipped, or where its samples are none that are mapped (float, YCgCo, 4:1:1):
  /// then whoever converts it clips it. Throws JobError when memory is out.
  [[nodiscard]] const AVFrame& mapped(const AVFrame& frame);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Whether mapped() would map such a frame.
[[nodiscard]] bool can_tone_map(const AVFrame& frame);

}  // namespace tilewall
