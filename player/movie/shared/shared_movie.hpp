// An ordinary movie as a panel draws it. A process of its own decodes it once per host; the panel
// crops, scales and converts its part.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "player/picture/picture_source.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::movie {

struct SharedMovieOptions {
  std::filesystem::path socket;  ///< socket of the host service
  std::string file;              ///< path of the movie on this host
  SizePx size_px;                ///< size as displayed
  int threads = 1;               ///< number of scaling threads
  /// Returns true to end a wait for a frame. It is called about every 20 ms while a panel waits.
  std::function<bool()> abandon;
  /// In place of `abandon` while the movie is opened; may be empty.
  std::function<bool()> abandon_open = {};
};

/// Opens a movie through the host service. Throws InputError if the decoder refuses the file,
/// JobError if no host service answers. While the decoder is dead or makes no progress, draw()
/// repeats the last good picture after at most 2.5 s.
[[nodiscard]] std::unique_ptr<picture::PictureSource> open_shared_movie(SharedMovieOptions options);

}  // namespace tilewall::movie
