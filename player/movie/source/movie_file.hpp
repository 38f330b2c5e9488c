// A movie that FFmpeg opens: its best video stream, decoded in display order.
//
// Trust: the file may be broken or hostile. Packets, analysis, picture size and single allocations
// are bounded, and decoding gives up when no picture comes for media_stall_limit. Threads: one
// owner; FFmpeg decodes on threads of its own inside next().
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "player/movie/source/ffmpeg.hpp"
#include "player/movie/source/hardware_decoder.hpp"
#include "player/movie/source/movie_info.hpp"

namespace tilewall {

struct MoviePicture {
  SharedFrame frame;
  std::optional<std::int64_t> pts;  ///< ticks of MovieFile::time_base(); may start anywhere
  std::int64_t duration = 0;        ///< ticks; 0 = unknown
  bool after_loss = false;          ///< a picture between the one before and this one is lost
};

/// What decoding met on its way; it goes on where it can.
struct DecodeCounters {
  std::int64_t damaged_packets = 0;   ///< that gave no picture
  std::int64_t damaged_pictures = 0;  ///< with AV_FRAME_FLAG_CORRUPT; picture_damage.hpp
};

/// When a picture is shown, as its packet says; ticks of MovieFile::time_base().
struct PictureStamp {
  std::optional<std::int64_t> pts;
  std::int64_t duration = 0;  ///< 0 = unknown
};

/// What becomes of an error of the disk or network: the movie ends there, with a damaged packet
/// counted, or a JobError, as the next attempt may go well. Damage in the file is always the
/// former.
enum class ReadErrors { end, thrown };

struct FrameCount {
  std::int64_t frames = 0;  ///< 0 = unknown
  bool estimated = false;   ///< from the container's duration and rate
};

class MovieFile {
 public:
  /// Throws InputError naming the file: missing, empty, no video in it, no decoder. `threads`
  /// decode; 0 = one per core. `hardware` decodes instead of them until it gives up; may be null.
  explicit MovieFile(const std::filesystem::path& file, int threads = 0,
                     ReadErrors read_errors = ReadErrors::end,
                     std::shared_ptr<HardwareDecoder> hardware = nullptr);
  ~MovieFile();
  MovieFile(const MovieFile&) = delete;
  MovieFile& operator=(const MovieFile&) = delete;

  [[nodiscard]] const MovieInfo& info() const noexcept;
  [[nodiscard]] Rational time_base() const noexcept;  ///< seconds per tick

  /// The next picture in display order; empty at the end. What the edit list cuts off is left out.
  /// Throws InputError when it stalls, JobError when memory is out or, where they are
  /// to be thrown, on read errors.
  [[nodiscard]] std::optional<MoviePicture> next();

  /// Goes to the key picture at or before `seconds` after the start; false when the file cannot.
  bool seek(double seconds);

  /// The same for a stamp. The next picture is one that needs none before it, and may lie behind
  /// `pts` where the file's index is coarse.
  bool seek_to(std::int64_t pts);

  /// Whether the file's index names a key picture in (after, until]; empty where it does not reach
  /// so far. One that stands just before `until` may be missed: indexes tell when it is decoded.
  [[nodiscard]] std::optional<bool> key_between(std::int64_t after, std::int64_t until) const;

  /// The stamps of all pictures in display order, read without decoding; empty where that takes
  /// longer than `limit`. Only a seek leads back to pictures. @pre nothing was read yet
  [[nodiscard]] std::optional<std::vector<PictureStamp>> read_stamps(
      std::chrono::milliseconds limit);

  /// The number of frames at the constant rate: counted from the stamps as import makes them, or
  /// the container's estimate where reading all stamps takes longer than `limit`. @pre as
  /// read_stamps()
  [[nodiscard]] FrameCount count_frames(std::chrono::milliseconds limit);

  /// Whether next() leaves out pictures that no other needs, of packets it reads from now on.
  void leave_out_unreferenced(bool leave_out) noexcept;

  [[nodiscard]] DecodeCounters counters() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Orientation that the frame's own side data asks for (EXIF of a JPEG).
[[nodiscard]] Orientation frame_orientation(const AVFrame& frame) noexcept;

}  // namespace tilewall
