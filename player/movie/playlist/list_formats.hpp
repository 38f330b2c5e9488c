// Readers of list files: lines of paths, and cue lists.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "player/movie/playlist/playlist.hpp"

namespace tilewall::movie {

/// The lines of a list that people or other programs wrote: any end of line, bounded, text alone.
inline constexpr std::size_t max_list_bytes = std::size_t{64} << 20;
inline constexpr std::size_t max_list_line_bytes = 16'384;

enum class ListText { utf8, any_bytes };  ///< file names are bytes; some lists promise UTF-8

struct ListLine {
  int number = 0;  ///< from 1
  std::string text;
};

/// Whether a list's entry is a movie on a server: nothing of this machine.
[[nodiscard]] inline bool is_address(std::string_view entry) noexcept {
  return entry.starts_with("tilewall://");
}

/// Lines that are not empty, without the blanks at both ends and without a byte order mark. LF,
/// CRLF and CR end a line. Throws InputError naming file and line: not readable, too large, too
/// long, control characters, not UTF-8 where it must be.
[[nodiscard]] std::vector<ListLine> read_list_lines(const std::filesystem::path& file,
                                                    ListText text);

/// A title out of a list as valid UTF-8 of at most 200 characters. Bytes that are not UTF-8 are
/// taken for Latin-1, which older lists are written in.
[[nodiscard]] std::string title_text(std::string_view bytes);

// Cue lists of Sidecar, the operator's console of Blockbuster: one BEGINCUE ... ENDCUE a cue, with
// KEY=VALUE in between.
//
// Followed: LoadMovie (a cue without one goes on with the movie before it), StartFrame and EndFrame
// (from 0; EndFrame 0 or less: the movie's end), CurrentFrame (where the first pass begins), Rate,
// Loop (0 plays once, 1 twice, N so often, -1 for ever) and Play=0 (the current frame is held as a
// still). Keys that say where in which window a picture stands, or how it goes backwards, are named
// in a note. Meaning of the keys: Blockbuster's documentation and its reader.

/// The cues as entries; a cue that begins in the middle of a loop gives two. A cue that goes on for
/// ever ends the list, as in a show without an operator nothing follows it. Throws InputError
/// naming file and line.
[[nodiscard]] Playlist read_cue_list(const std::filesystem::path& file);

// Lists with a path a line: M3U and M3U8 with durations in #EXTINF, and plain ones.

/// The entries as the file names them, relative to it. Lines that begin with # are comments.
/// Throws InputError naming file and line.
[[nodiscard]] std::vector<PlaylistEntry> read_path_list(const std::filesystem::path& file);

}  // namespace tilewall::movie
