// Frames that are too large for memory, drawn in bands of rows from above.
//
// Frames under way and what is made of them may take about as much memory as --memory gives the
// volume. A frame that needs more by itself is drawn, converted and compressed band by band. Its
// file has the same bytes. The compressed blocks of panels that are not complete come on top.
//
// Threads: FrameBands has one owner; free functions without state.
#pragma once

#include <cstdint>
#include <functional>

#include "player/movie/codecs/image_rows.hpp"
#include "player/movie/source/ffmpeg.hpp"
#include "player/rendering/frame_painter.hpp"

namespace tilewall::rendering {

/// Rows of a frame that are drawn at a time: even, or all of its height.
[[nodiscard]] int band_rows_of(const PictureJob& job) noexcept;

/// How many of `most` threads store a frame each, so that those under way fit the limit: 1 for
/// frames in bands.
[[nodiscard]] int storing_threads(const PictureJob& job, int most) noexcept;

/// Whether the job's frames are drawn in bands.
[[nodiscard]] bool is_banded(const PictureJob& job) noexcept;

/// The part of a frame by which its chroma is chosen: all of it, or of a frame in bands its middle.
[[nodiscard]] RectPx sampled_part(const PictureJob& job) noexcept;

/// The rows of one frame. Each band is drawn when its first row is read.
class FrameBands final : public movie::ImageRows {
 public:
  /// Draws a part of the frame as RGB.
  using DrawPart = std::function<movie::SharedFrame(const RectPx& part)>;

  FrameBands(const PictureJob& job, DrawPart draw);

  /// Throws what drawing throws.
  void read_row(std::uint8_t* out) override;

 private:
  const int band_rows_;
  const DrawPart draw_;
  movie::SharedFrame band_;
  int band_end_ = 0;  ///< first row below the band
  int next_row_ = 0;
};

}  // namespace tilewall::rendering
