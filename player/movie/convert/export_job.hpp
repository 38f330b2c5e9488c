// The export job: a wall movie -> an ordinary video, or numbered images in a folder.
//
// Frames are read and decoded ahead on one thread per core; the caller's thread encodes them in
// order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "player/movie/convert/import_job.hpp"
#include "player/movie/convert/progress_sink.hpp"
#include "sync/base/rational.hpp"

namespace tilewall::movie {

enum class ExportImages { png, jpeg };

struct ExportOptions {
  std::filesystem::path movie;   ///< folder of a wall movie
  std::filesystem::path output;  ///< a video by its suffix (.mp4, .mkv, .mov, ...), else a folder
  std::optional<FrameRange> frames;         ///< empty: all
  std::optional<Rational> fps;              ///< empty: the movie's
  ExportImages images = ExportImages::png;  ///< for a folder
  int crf = 18;                             ///< x264's constant quality, 0 (lossless) .. 51
  bool overwrite = false;                   ///< replace an output that exists
  std::stop_token stop;
};

struct ExportResult {
  std::int64_t frames = 0;
  std::int64_t damaged_frames = 0;  ///< missing or damaged; the last good one stands in their place
  SizePx size_px;   ///< of the output; odd sides of a video grow by one pixel, which is noted
  SizePx movie_px;  ///< of the wall movie
  bool with_sound = false;
  std::uint64_t bytes = 0;
  double duration_s = 0;
};

/// A video appears whole or not at all. Throws InputError (movie, options, an output that exists)
/// or JobError (disk, encoder, stop).
ExportResult export_movie(const ExportOptions& options, ProgressSink& progress);

}  // namespace tilewall::movie
