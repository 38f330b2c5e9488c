// An ordinary movie as a panel sees it: decoded once per host by a process of its own, cropped,
// scaled and converted here.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "player/picture/picture_source.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::movie {

struct SharedMovieOptions {
  std::filesystem::path socket;  ///< of the host service
  std::string file;              ///< the movie, as this host names it
  SizePx size_px;                ///< as displayed
  int threads = 1;               ///< that scale
  /// Asked a few times a second while a frame is waited for: whether nobody wants it any more.
  std::function<bool()> abandon;
};

/// Throws InputError where the decoder refuses the file, JobError where there is no host service.
/// While the decoder is dead or stalled, draw() keeps the last good picture after at most 2.5 s.
[[nodiscard]] std::unique_ptr<picture::PictureSource> open_shared_movie(SharedMovieOptions options);

}  // namespace tilewall::movie
