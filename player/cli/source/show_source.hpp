// Turns the INPUT of `play` into the source of a scene. Some inputs are imported into the cache
// first.
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "player/cli/options/live_options.hpp"
#include "player/cli/options/volume_options.hpp"
#include "player/movie/cache/cache_uses.hpp"
#include "player/movie/convert/progress_sink.hpp"
#include "player/movie/playlist/playlist.hpp"
#include "player/movie/source/tone_curve.hpp"
#include "player/scene/source_spec.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::cli {

/// How ordinary movies are played: decoded during the show, or imported into the cache first.
enum class MovieWay { direct, imported };

/// How inputs are opened.
struct ShowWays {
  MovieWay movie = MovieWay::direct;
  VolumeHostArguments volume;
  movie::HdrMode hdr = movie::HdrMode::map;
  /// Treatment of entries of playlists without a file.
  movie::MissingEntries missing = movie::MissingEntries::refused;
  std::vector<std::string>* skipped = nullptr;  ///< gets Playlist::skipped; may be null
  /// Locks imported entries; null: they may be removed at any time.
  movie::CacheUses* uses = nullptr;
  LiveArguments live{};
};

/// Opens the inputs of a show as users name them. Wall movies, image sequences, "pattern:NAME",
/// volumes and most ordinary movies are shown from their files. EXR and large images, SM movies,
/// movies whose pictures are too large for shared memory, and ordinary movies with
/// MovieWay::imported go through the user's cache: an import with a progress bar, for stills at
/// their own size, for others made for `wall`. Lists, folders of movies, and several inputs that
/// are not all images are a playlist; its notes are printed to stderr.
/// `ways.live` is refused for inputs that are no live source. Throws InputError (input) or
/// JobError (cache).
[[nodiscard]] scene::SourceSpec open_show_source(const std::vector<std::string>& named,
                                                 const wall::Wall& wall, const ShowWays& ways,
                                                 const std::stop_token& stop);

/// The deepest folder below which all of the files lie; "/" where there is none. The paths are
/// absolute, and an empty one does not count.
[[nodiscard]] std::filesystem::path common_folder(const std::vector<std::filesystem::path>& files);

/// Size, frames and rate of one input that is no playlist, without importing it. Throws InputError.
[[nodiscard]] scene::SourceSpec describe_input(const std::string& input);

/// Opens one path of a playlist.
using OpenInput = std::function<scene::SourceSpec(const std::string& path)>;

/// Joins the entries of a playlist to one source with a continuous schedule. Every path is opened
/// once, even if several entries have it; `progress` is updated if there are many. A source of one
/// frame is a still. A range that ends beyond its movie is cut. Throws what `open` throws, with the
/// list's name and line in front, and InputError for a range that begins beyond its movie.
[[nodiscard]] scene::SourceSpec playlist_source(const movie::Playlist& list, const OpenInput& open,
                                                movie::ProgressSink& progress);

}  // namespace tilewall::cli
