// Stored planes (JPEG's colour, or RGB) -> planes of ordinary limited-range video, by zimg.
#pragma once

#include <memory>

#include "player/movie/frames/planar_picture.hpp"
#include "player/movie/source/ffmpeg.hpp"

namespace tilewall {

/// Video has BT.709 from 720 lines up and BT.601 below, limited range, chroma on the left.
[[nodiscard]] AVColorSpace video_matrix(SizePx size) noexcept;

/// One thread.
class PlaneConverter {
 public:
  /// For pictures of this size and chroma; the frames made are yuv420p with even sides.
  PlaneConverter(SizePx size, Chroma chroma);
  ~PlaneConverter();
  PlaneConverter(const PlaneConverter&) = delete;
  PlaneConverter& operator=(const PlaneConverter&) = delete;

  [[nodiscard]] SizePx video_px() const noexcept;

  /// A new frame, tagged with its colour. An odd side is made even by repeating its last samples.
  [[nodiscard]] AvFrame convert(const PlanarPicture& picture);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall
