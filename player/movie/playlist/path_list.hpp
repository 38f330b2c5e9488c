// Lists with a path a line: M3U and M3U8 with durations in #EXTINF, and plain ones.
#pragma once

#include <filesystem>

#include "player/movie/playlist/playlist.hpp"

namespace tilewall {

/// The entries as the file names them, relative to it. Lines that begin with # are comments.
/// Throws InputError naming file and line.
[[nodiscard]] std::vector<PlaylistEntry> read_path_list(const std::filesystem::path& file);

}  // namespace tilewall
