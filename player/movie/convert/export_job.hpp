// The export job: converts a wall movie to an ordinary video, or to numbered images in a folder.
//
// Threads: one per core reads and decodes frames ahead. The caller's thread encodes a video's
// frames in order; images are compressed on threads of their own.
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
  std::optional<FrameRange> frames;         ///< empty: all frames
  std::optional<Rational> fps;              ///< rate of the video, frames/s; empty: the movie's
  ExportImages images = ExportImages::png;  ///< format of images in a folder
  int crf = 18;                             ///< x264's constant quality, 0 (lossless) .. 51
  bool overwrite = false;                   ///< replace an output that exists
  std::stop_token stop;                     ///< ends the job with a JobError
};

struct ExportResult {
  std::int64_t frames = 0;
  std::int64_t damaged_frames = 0;  ///< missing or damaged frames, shown as the last good one
  SizePx size_px;   ///< size of the output; odd sides of a video grow by one pixel, with a note
  SizePx movie_px;  ///< size of the wall movie
  bool with_sound = false;
  std::uint64_t bytes = 0;
  double duration_s = 0;
};

/// Exports a movie. A video gets its name only when it is complete, and images of an export that
/// ends early are removed. With `overwrite`, the images in a folder are removed first. Throws
/// InputError for the movie, the options, an output that exists or a folder of other files;
/// JobError for the disk, the encoder, a stop, or if no frame can be read.
ExportResult export_movie(const ExportOptions& options, ProgressSink& progress);

}  // namespace tilewall::movie
