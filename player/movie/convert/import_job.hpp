// The import job: anything that can be opened -> a wall movie.
//
//   decode thread -> bounded queue -> one worker per core: scale, colour, pyramid, encode, write a
//   frame
//
// Resuming: the folder itself is the state. A frame that is there is whole (it got its name last),
// so the same call goes on where an interrupted or killed one ended; another source or other
// options are refused. Threads: the caller's thread waits and reports; the job's own end before
// import_movie() returns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "player/movie/convert/movie_size.hpp"
#include "player/movie/convert/progress_sink.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/source/movie_info.hpp"
#include "player/movie/source/tone_curve.hpp"
#include "sync/base/rational.hpp"

namespace tilewall::movie {

/// Frames [first, last], counted from 0.
struct FrameRange {
  std::int64_t first = 0;
  std::int64_t last = 0;  ///< max_frames - 1: to the end, wherever that is
  bool operator==(const FrameRange&) const = default;
};

/// "3-5", or "3-" to the end.
[[nodiscard]] std::string to_string(const FrameRange& range);

struct ImportOptions {
  std::vector<std::string> inputs;   ///< one movie, image, folder, pattern or glob; or many images
  std::filesystem::path output;      ///< folder of the wall movie; made where it is missing
  WallTarget wall;                   ///< all zero: made for no wall
  SizeFit fit = SizeFit::contain;    ///< into the wall's canvas
  std::optional<SizePx> size_px;     ///< exactly this size
  std::optional<RectPx> crop_px;     ///< part of the displayed source that is stored
  std::optional<Rational> fps;       ///< empty: the source's own (images: 24)
  std::optional<FrameRange> frames;  ///< of the frames at that rate; stored from number 0 on
  int quality = 85;                  ///< JPEG, 1..100
  BlockCompression compression = BlockCompression::jpeg;
  HdrMode hdr = HdrMode::map;  ///< what becomes of PQ and HLG
  bool overwrite = false;      ///< start anew in a folder that holds another movie
  int workers = 0;             ///< 0: one per core
  std::stop_token stop;        ///< asks for a clean end: JobError, what is written stays
};

struct ImportResult {
  MovieManifest manifest;             ///< as saved
  std::int64_t written_frames = 0;    ///< by this call, repeats included
  std::int64_t decoded_pictures = 0;  ///< by this call
  std::int64_t damaged_frames = 0;    ///< source pictures lost or shown with concealed damage
  std::vector<std::string> problems;  ///< Each has a line, up to 100 of them.
  std::uint64_t written_bytes = 0;
  double duration_s = 0;
  bool already_complete = false;
  std::optional<HdrLight> hdr;  ///< of the source's first picture; empty: not HDR
};

/// Throws InputError (source, options, folder) or JobError (disk, stop).
ImportResult import_movie(const ImportOptions& options, ProgressSink& progress);

/// What an import would take images for: the first one that decodes says it.
struct ImagesLook {
  MovieInfo info;                     ///< An image that is imported by rows has its size alone.
  std::int64_t judged_images = 1;     ///< So many of the first ones were decoded for it.
  std::vector<std::string> problems;  ///< a line for each of them that is damaged; at most 100
};

/// Throws InputError naming the first problem where none decodes.
[[nodiscard]] ImagesLook look_at_images(const std::vector<std::string>& inputs);

}  // namespace tilewall::movie
