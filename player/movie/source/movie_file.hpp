// Decodes the best video stream of a movie through FFmpeg, in display order.
//
// Trust: the file may be broken or hostile. Analysis, picture size and single allocations are
// bounded, and decoding ends with an error when no picture comes for media_stall_limit.
//
// Threads: one owner; FFmpeg decodes on threads of its own inside next().
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

namespace tilewall::movie {

struct MoviePicture {
  SharedFrame frame;
  std::optional<std::int64_t> pts;  ///< ticks of MovieFile::time_base(); may start anywhere
  std::int64_t duration = 0;        ///< ticks; 0 = unknown
  bool after_loss = false;          ///< at least one picture just before this one is lost
};

/// Damage that decoding has passed so far.
struct DecodeCounters {
  std::int64_t damaged_packets = 0;   ///< packets that gave no picture
  std::int64_t damaged_pictures = 0;  ///< pictures with AV_FRAME_FLAG_CORRUPT; picture_damage.hpp
};

/// A picture's time stamp by its packet; ticks of MovieFile::time_base().
struct PictureStamp {
  std::optional<std::int64_t> pts;
  std::int64_t duration = 0;  ///< 0 = unknown
};

/// How an error of the disk or network is handled. end: the movie ends there, and a damaged packet
/// is counted. thrown: next() throws JobError, as the next attempt may succeed. Where damage in the
/// file itself stops reading, the movie ends in both modes.
enum class ReadErrors { end, thrown };

struct FrameCount {
  std::int64_t frames = 0;  ///< 0 = unknown
  bool estimated = false;   ///< computed from the container's duration and rate
};

class MovieFile {
 public:
  /// Opens the file and its decoder. `threads` = number of decoding threads, 0 = one per core, at
  /// most 16. `hardware` decodes instead of them until it gives up; null: only the processor does.
  /// Throws InputError naming the file if it is missing, empty, or has no video that FFmpeg
  /// decodes.
  explicit MovieFile(const std::filesystem::path& file, int threads = 0,
                     ReadErrors read_errors = ReadErrors::end,
                     std::shared_ptr<HardwareDecoder> hardware = nullptr);
  ~MovieFile();
  MovieFile(const MovieFile&) = delete;
  MovieFile& operator=(const MovieFile&) = delete;

  [[nodiscard]] const MovieInfo& info() const noexcept;
  [[nodiscard]] Rational time_base() const noexcept;  ///< seconds per tick

  /// The next picture in display order, without those that the edit list cuts off; empty at the
  /// end. Throws InputError when no picture comes for media_stall_limit, JobError when memory runs
  /// out and, with ReadErrors::thrown, on read errors.
  [[nodiscard]] std::optional<MoviePicture> next();

  /// Seeks to the key picture at or before `seconds` after the start; false if the file cannot
  /// seek.
  bool seek(double seconds);

  /// Seeks to the key picture at or before the stamp `pts`; false if the file cannot seek. The next
  /// picture refers to none before it. It may lie behind `pts` where the file's index is coarse.
  bool seek_to(std::int64_t pts);

  /// Whether the file's index has a key picture in (after, until]; empty if the index ends before
  /// `until`. A key picture shortly before `until` may be missed, because an index may hold
  /// decoding stamps.
  [[nodiscard]] std::optional<bool> key_between(std::int64_t after, std::int64_t until) const;

  /// Reads the stamps of all pictures without decoding, in display order; empty if that takes
  /// longer than `limit`. Leaves the file at its end; a seek leads back. @pre nothing was read yet
  [[nodiscard]] std::optional<std::vector<PictureStamp>> read_stamps(
      std::chrono::milliseconds limit);

  /// The number of frames that import makes of the movie at info().fps, counted from the stamps;
  /// the container's estimate if reading all stamps takes longer than `limit`. Leaves the file at
  /// its end. @pre nothing was read yet
  [[nodiscard]] FrameCount count_frames(std::chrono::milliseconds limit);

  /// Whether decoding leaves out pictures that no other one refers to, for packets read from now
  /// on.
  void leave_out_unreferenced(bool leave_out) noexcept;

  [[nodiscard]] DecodeCounters counters() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Orientation by the frame's own side data, such as a JPEG's EXIF; upright if there is none.
[[nodiscard]] Orientation frame_orientation(const AVFrame& frame) noexcept;

}  // namespace tilewall::movie
