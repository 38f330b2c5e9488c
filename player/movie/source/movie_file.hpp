// A movie that FFmpeg opens: its best video stream, decoded in display order.
//
// Trust: the file may be broken or hostile. Packets, analysis, picture size and single allocations
// are bounded, and decoding gives up when no picture comes for media_stall_limit. Threads: one
// owner; FFmpeg decodes on threads of its own inside next().
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>

#include "player/movie/source/ffmpeg.hpp"
#include "player/movie/source/movie_info.hpp"

namespace tilewall {

struct DecodedPicture {
  SharedFrame frame;
  std::optional<std::int64_t> pts;  ///< ticks of MovieFile::time_base(); may start anywhere
  std::int64_t duration = 0;        ///< ticks; 0 = unknown
};

/// What decoding met on its way; it goes on where it can.
struct DecodeCounters {
  std::int64_t damaged_packets = 0;   ///< that the decoder refused
  std::int64_t damaged_pictures = 0;  ///< that came out with concealed damage
};

class MovieFile {
 public:
  /// Throws InputError naming the file: missing, empty, no video in it, no decoder. `threads`
  /// decode; 0 = one per core.
  explicit MovieFile(const std::filesystem::path& file, int threads = 0);
  ~MovieFile();
  MovieFile(const MovieFile&) = delete;
  MovieFile& operator=(const MovieFile&) = delete;

  [[nodiscard]] const MovieInfo& info() const noexcept;
  [[nodiscard]] Rational time_base() const noexcept;  ///< seconds per tick

  /// The next picture in display order; empty at the end. What the edit list cuts off is left out.
  /// Throws InputError when it stalls, JobError when memory is out.
  [[nodiscard]] std::optional<DecodedPicture> next();

  /// Goes to the key picture at or before `seconds` after the start; false when the file cannot.
  bool seek(double seconds);

  [[nodiscard]] const DecodeCounters& counters() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Orientation that the frame's own side data asks for (EXIF of a JPEG).
[[nodiscard]] Orientation frame_orientation(const AVFrame& frame) noexcept;

}  // namespace tilewall
