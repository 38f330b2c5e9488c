// From the INPUT of `play` to the source of a scene: what can be shown as it is, and what is
// imported into the cache first.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "player/cli/options/volume_options.hpp"
#include "player/movie/cache/cache_uses.hpp"
#include "player/movie/convert/progress_sink.hpp"
#include "player/movie/playlist/playlist.hpp"
#include "player/movie/source/tone_curve.hpp"
#include "player/scene/source_spec.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::cli {

/// How ordinary movies are played: decoded on the way, or from the cache.
enum class MovieWay { direct, imported };

/// How inputs of other kinds are opened.
struct ShowWays {
  MovieWay movie = MovieWay::direct;
  VolumeHostArguments volume;
  movie::HdrMode hdr = movie::HdrMode::map;
  movie::MissingEntries missing = movie::MissingEntries::refused;  ///< of playlists
  std::vector<std::string>* skipped = nullptr;  ///< gets Playlist::skipped; null: goes unheard
  movie::CacheUses* uses =
      nullptr;  ///< gets what is imported; null: it may be removed from then on
};

/// Wall movies, image sequences, "pattern:NAME", volumes and ordinary movies are shown as they are.
/// EXR and large images, SM movies, movies whose pictures are too large to be shared in memory, and
/// movies that are asked for `imported` are imported into the user's cache, with a progress bar,
/// and come from there the next time: a still at its own size, others for `wall`. Several inputs
/// that are not all images, lists and folders of movies are a playlist; what their notes say goes
/// to stderr. Throws InputError (input) or JobError (cache).
[[nodiscard]] scene::SourceSpec open_show_source(const std::vector<std::string>& inputs,
                                                 const wall::Wall& wall, const ShowWays& ways,
                                                 const std::stop_token& stop);

/// What one input of that kind holds (size, frames, rate), without importing it; no playlist.
/// Throws InputError.
[[nodiscard]] scene::SourceSpec describe_input(const std::string& input);

// From the entries of a playlist to one source: a continuous schedule over all of them.

/// The source that one path of a list names.
using OpenInput = std::function<scene::SourceSpec(const std::string& path)>;

/// Every path is opened once, however often it stands in the list; `progress` hears of it where
/// there are many. A source of one frame is a still. Ranges end where their movie ends. Throws what
/// `open` throws, behind the list's name and line, and InputError for a range that begins behind
/// its movie.
[[nodiscard]] scene::SourceSpec playlist_source(const movie::Playlist& list, const OpenInput& open,
                                                movie::ProgressSink& progress);

}  // namespace tilewall::cli
