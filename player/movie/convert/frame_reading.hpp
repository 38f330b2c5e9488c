// The frames of a wall movie in order, decoded ahead on several threads.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <future>
#include <memory>
#include <optional>

#include "player/movie/frames/manifest.hpp"
#include "player/movie/frames/planar_picture.hpp"

namespace tilewall::movie {

using SharedPicture = std::shared_ptr<const PlanarPicture>;

/// One thread calls; at most `ahead` frames are decoded at a time.
class FrameReading {
 public:
  /// Reads frames [first, last] of the movie. @pre first <= last
  FrameReading(MovieManifest manifest, std::filesystem::path folder, std::int64_t first,
               std::int64_t last, int ahead);

  /// The next frame; empty at the end. A frame that is missing or damaged gives the one before it
  /// (black at the start) and is counted.
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
  std::deque<std::future<SharedPicture>> running_;  // in order; null = damaged
};

}  // namespace tilewall::movie
