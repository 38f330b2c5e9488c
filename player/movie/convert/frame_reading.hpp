// Reads the frames of a wall movie in order, decoding ahead on several threads.
//
// Threads: one owner; each frame is decoded on a thread of its own.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>

#include "player/movie/codecs/planar_picture.hpp"
#include "player/movie/frames/manifest.hpp"

namespace tilewall::movie {

using SharedPicture = std::shared_ptr<const PlanarPicture>;

class FrameReading {
 public:
  /// Reads frames [first, last] of the movie; decodes at most `ahead` of them at a time.
  /// @pre first <= last
  FrameReading(MovieManifest manifest, std::filesystem::path folder, std::int64_t first,
               std::int64_t last, int ahead);

  /// The next frame; null at the end. A missing or damaged frame is counted, and replaced by the
  /// last good one, or by black at the start.
  [[nodiscard]] SharedPicture next();

  [[nodiscard]] std::int64_t damaged_frames() const noexcept { return damaged_; }

 private:
  void start_more();

  const MovieManifest manifest_;
  const std::filesystem::path folder_;
  std::int64_t next_started_;
  const std::int64_t last_;
  const std::size_t ahead_;
  SharedPicture last_good_;
  std::int64_t damaged_ = 0;
  std::deque<std::future<SharedPicture>> running_;  // frames in order; a null picture = damaged
};

}  // namespace tilewall::movie
