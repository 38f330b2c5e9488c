// Opens a media file through FFmpeg without trusting it.
//
// Only local files are read, so that no playlist reaches the network. Single allocations and the
// analysis at the start are bounded, and a read without progress ends at a deadline.
//
// Threads: one owner.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

#include "player/movie/source/ffmpeg.hpp"

namespace tilewall::movie {

inline constexpr std::int64_t max_ffmpeg_picture_px = 268'000'000;  ///< FFmpeg refuses more itself
inline constexpr std::chrono::seconds media_stall_limit{8};

class MediaInput {
 public:
  /// Throws InputError naming the file if it is missing, a directory, empty or of no format that
  /// FFmpeg knows; JobError when memory runs out.
  explicit MediaInput(const std::filesystem::path& file);
  /// The same of a regular file that is open for reading, which is borrowed; `name` stands in
  /// messages. For processes that may open no file themselves: files that this one refers to are
  /// not read.
  MediaInput(int file, const std::filesystem::path& name);

  [[nodiscard]] AVFormatContext* get() const noexcept { return input_.get(); }

  /// Sets the deadline for reading to media_stall_limit from now. FFmpeg aborts a read that runs
  /// past it.
  void restart_deadline() noexcept;
  [[nodiscard]] bool past_deadline() const noexcept;

 private:
  struct Deadline {
    std::chrono::steady_clock::time_point at;
  };
  struct Borrowed;
  struct BorrowedTraits {
    using Raw = Borrowed*;
    static constexpr Raw null() noexcept { return nullptr; }
    static void close(Raw raw) noexcept;
  };
  static int interrupt(void* deadline);
  /// Opens the file behind borrowed_, or else the one of this name.
  void open(const std::filesystem::path& file);

  std::unique_ptr<Deadline> deadline_;     // outlives input_, whose callback reads it
  UniqueHandle<BorrowedTraits> borrowed_;  // outlives input_, which reads through it
  AvInput input_;
};

/// The first picture's time on the container's time axis, in seconds; 0 if there is no video
/// stream. A cover picture is no video stream.
[[nodiscard]] double video_start_s(AVFormatContext* context) noexcept;

/// Finds the best audio stream and discards the packets of all others; null if there is none.
[[nodiscard]] AVStream* select_sound(AVFormatContext* context) noexcept;

}  // namespace tilewall::movie
