// Converts stored planes (JPEG's colour, or RGB) to planes of limited-range video, by zimg.
//
// Threads: one owner.
#pragma once

#include <memory>

#include "player/movie/codecs/planar_picture.hpp"
#include "player/movie/source/ffmpeg.hpp"

namespace tilewall::movie {

/// The matrix of video of this size: BT.709 from 720 lines up, BT.601 below.
[[nodiscard]] AVColorSpace video_matrix(SizePx size) noexcept;

/// Makes frames of yuv420p with even sides, limited range and chroma sited on the left.
class PlaneConverter {
 public:
  /// `size` and `chroma` are those of the pictures to convert. Throws JobError if zimg cannot.
  PlaneConverter(SizePx size, Chroma chroma);
  ~PlaneConverter();
  PlaneConverter(const PlaneConverter&) = delete;
  PlaneConverter& operator=(const PlaneConverter&) = delete;

  /// Size of the frames: the pictures' size with odd sides rounded up.
  [[nodiscard]] SizePx video_px() const noexcept;

  /// Converts to a new frame, tagged with its colour. Odd sides become even by repeating their last
  /// samples. Throws JobError when memory runs out.
  [[nodiscard]] AvFrame convert(const PlanarPicture& picture);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall::movie
