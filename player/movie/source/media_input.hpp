// Opens a media file through FFmpeg without trusting it.
//
// Only local files are read (no playlist reaches the network), single allocations and the analysis
// at the start are bounded, and a read that makes no progress is given up.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>

#include "player/movie/source/ffmpeg.hpp"

namespace tilewall {

inline constexpr std::int64_t max_ffmpeg_picture_px = 268'000'000;  ///< FFmpeg refuses more itself
inline constexpr std::chrono::seconds media_stall_limit{8};

class MediaInput {
 public:
  /// Throws InputError naming the file: missing, a directory, empty, nothing FFmpeg knows.
  explicit MediaInput(const std::filesystem::path& file);

  [[nodiscard]] AVFormatContext* get() const noexcept { return input_.get(); }

  /// Reads that follow may take media_stall_limit from now.
  void restart_deadline() noexcept;
  [[nodiscard]] bool past_deadline() const noexcept;

 private:
  struct Deadline {
    std::chrono::steady_clock::time_point at;
  };
  static int interrupt(void* deadline);

  std::unique_ptr<Deadline> deadline_;  // outlives input_, whose callback reads it
  AvInput input_;
};

// The sound of a movie file: which stream it is, and where it lies beside the pictures.

/// Second of the container's time axis at which the picture of frame 0 stands; 0 where there are no
/// pictures (a cover's picture is none).
[[nodiscard]] double video_start_s(AVFormatContext* context) noexcept;

/// The best audio stream; from now on only its packets are read. Null where there is none.
[[nodiscard]] AVStream* select_sound(AVFormatContext* context) noexcept;

}  // namespace tilewall
