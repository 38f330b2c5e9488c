// The import job: converts a movie or images to a wall movie.
//
//   reading thread -> bounded queue -> one worker per core: load, convert, pyramid, encode, write
//
// Resuming: the folder itself is the state. A frame gets its name when it is complete, so the same
// call goes on where an interrupted or killed one ended. Another source or other options are
// refused.
//
// Threads: the caller's thread waits and reports. The job's own threads end before import_movie()
// returns.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "player/movie/convert/movie_size.hpp"
#include "player/movie/convert/progress_sink.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/source/movie_info.hpp"
#include "player/movie/source/tone_curve.hpp"
#include "sync/base/rational.hpp"
#include "sync/base/sandbox.hpp"

namespace tilewall::movie {

/// Frames [first, last], counted from 0.
struct FrameRange {
  std::int64_t first = 0;
  std::int64_t last = 0;  ///< max_frames - 1 = to the end
  bool operator==(const FrameRange&) const = default;
};

/// A text such as "3-5", or "3-" for a range to the end.
[[nodiscard]] std::string to_string(const FrameRange& range);

/// Returns which of `frames` frames, at least 1, are asked for: all of them where nothing is.
/// Throws InputError that names --frames where one is asked for that is not there.
[[nodiscard]] FrameRange frames_within(const std::optional<FrameRange>& asked, std::int64_t frames);

/// What frames become: files of a wall movie, or images. EXR images are made of float pictures.
enum class FrameFiles { movie, png, exr };
inline constexpr std::string_view frame_files_names[] = {"movie", "png", "exr"};

struct ImportOptions {
  std::vector<std::string> inputs;   ///< one movie, image, folder, pattern or glob; or many images
  std::filesystem::path output;      ///< folder of the wall movie; made if it is missing
  WallTarget wall;                   ///< the wall that the movie is made for; all zero: no wall
  SizeFit fit = SizeFit::contain;    ///< fit of the movie to the wall's canvas
  std::optional<SizePx> size_px;     ///< exact stored size; empty: follows from wall and fit
  std::optional<RectPx> crop_px;     ///< part of the displayed source that is stored; empty: all
  std::optional<Rational> fps;       ///< frames/s; empty: the source's own, 24 for images
  std::optional<FrameRange> frames;  ///< stored frames at that rate, renumbered from 0; empty: all
  int quality = 85;                  ///< JPEG quality, 1..100
  BlockCompression compression = BlockCompression::jpeg;
  HdrMode hdr = HdrMode::map;  ///< treatment of PQ and HLG
  FrameFiles files = FrameFiles::movie;
  bool overwrite = false;    ///< replace another movie in the folder
  int workers = 0;           ///< number of worker threads; 0 = one per core
  std::stop_token stop;      ///< ends the job with a JobError; written frames stay
  bool is_portable = false;  ///< frames get the same bytes on every processor
};

struct ImportResult {
  MovieManifest manifest;             ///< the manifest as saved
  std::int64_t written_frames = 0;    ///< frames written by this call, repeats included
  std::int64_t decoded_pictures = 0;  ///< pictures decoded by this call
  std::int64_t damaged_frames = 0;    ///< source pictures lost or shown with concealed damage
  std::vector<std::string> problems;  ///< one line for each damaged place, at most 100
  std::uint64_t written_bytes = 0;
  double duration_s = 0;
  bool already_complete = false;  ///< the folder held the whole movie before, so nothing was done
  std::optional<HdrLight> hdr;    ///< light of the source's first picture; empty: not HDR
};

/// How a source is known in the manifest.
struct StoredSource {
  std::string name;      ///< in messages, too
  std::string identity;  ///< another word where the source is another one, or was changed
  std::string options;   ///< added to the manifest's import_options; "" = none
};

class FrameFetcher;

/// Imports a movie or images. Throws InputError for the source, the options or the folder; JobError
/// for the disk or a stop.
ImportResult import_movie(const ImportOptions& options, ProgressSink& progress);

/// Stores the pictures of any source as a wall movie, as import_movie() does. Of `options` the
/// inputs and fps are not used. `source` is called once samples were taken.
ImportResult store_pictures(FrameFetcher& fetcher, const std::function<StoredSource()>& source,
                            const ImportOptions& options, ProgressSink& progress);

/// What a process that reads these inputs may do: read their folders.
[[nodiscard]] Sandbox sandbox_to_read(const std::vector<std::string>& inputs);
/// What a process that runs the import may do: read its inputs, and write into its folder, which
/// has to exist.
[[nodiscard]] Sandbox sandbox_to_import(const ImportOptions& options);

/// Size, rate and colour of images as an import would see them.
struct ImagesLook {
  MovieInfo info;                     ///< only the size for an image that is imported by rows
  std::int64_t judged_images = 1;     ///< images decoded for it, up to the first readable one
  std::vector<std::string> problems;  ///< a line for each damaged one of them; at most 100
};

/// Decodes images up to the first readable one. Throws InputError naming the first problem if no
/// image can be read.
[[nodiscard]] ImagesLook look_at_images(const std::vector<std::string>& inputs);

}  // namespace tilewall::movie
