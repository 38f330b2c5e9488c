// From the entries of a playlist to one source: a continuous schedule over all of them.
#pragma once

#include <functional>
#include <string>

#include "player/movie/playlist/playlist.hpp"
#include "player/movie/transfer/progress_sink.hpp"
#include "player/scene/source_spec.hpp"

namespace tilewall {

/// The source that one path of a list names.
using OpenInput = std::function<SourceSpec(const std::string& path)>;

/// Every path is opened once, however often it stands in the list; `progress` hears of it where
/// there are many. A source of one frame is a still. Ranges end where their movie ends. Throws what
/// `open` throws, behind the list's name and line, and InputError for a range that begins behind
/// its movie.
[[nodiscard]] SourceSpec playlist_source(const Playlist& list, const OpenInput& open,
                                         ProgressSink& progress);

}  // namespace tilewall
