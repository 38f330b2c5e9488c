// Readers of list files: M3U, M3U8 and plain lists of paths, and cue lists. Lists are not trusted.
//
// Threads: any.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "player/movie/playlist/playlist.hpp"

namespace tilewall::movie {

// The lines of a list.

inline constexpr std::size_t max_list_bytes = std::size_t{64} << 20;
inline constexpr std::size_t max_list_line_bytes = 16'384;

/// Encoding of a list: file names are bytes, but an .m3u8 list has to be UTF-8.
enum class ListText { utf8, any_bytes };

struct ListLine {
  int number = 0;  ///< counted from 1
  std::string text;
};

/// Whether a list's entry is an address of a movie on a server (tilewall://).
[[nodiscard]] inline bool is_address(std::string_view entry) noexcept {
  return entry.starts_with("tilewall://");
}

/// Reads the lines that are not empty, without blanks at both ends and without a byte order mark.
/// LF, CRLF and CR end a line. Throws InputError naming file and line for a file that is unreadable
/// or larger than max_list_bytes, a line longer than max_list_line_bytes, control characters, and
/// other bytes where `text` is utf8.
[[nodiscard]] std::vector<ListLine> read_list_lines(const std::filesystem::path& file,
                                                    ListText text);

/// A title from a list as valid UTF-8 of at most 200 characters. Bytes that are not UTF-8 are read
/// as Latin-1, the encoding of older lists.
[[nodiscard]] std::string title_text(std::string_view bytes);

// Cue lists of Sidecar, the operator's console of Blockbuster: each cue is BEGINCUE ... ENDCUE,
// with KEY=VALUE in between. Blockbuster's documentation and its reader define the keys.
//
// These keys have an effect: LoadMovie (a cue without it uses the movie of the cue before),
// StartFrame and EndFrame (from 0; EndFrame 0 or less: the movie's end), CurrentFrame (where the
// first pass begins), Rate, Loop (0 plays once, 1 twice, N from 2 on N times, -1 for ever) and
// Play=0 (the current frame is held as a still). Keys about windows, zoom and playing backwards are
// ignored, and a note names them.

/// Reads the cues as entries; a cue that begins in the middle of a loop gives two entries. A cue
/// that plays for ever ends the list, because without an operator no cue follows it. Throws
/// InputError naming file and line.
[[nodiscard]] Playlist read_cue_list(const std::filesystem::path& file);

// Lists with one path per line: M3U and M3U8 with durations in #EXTINF, and plain ones.

/// Reads the entries; relative paths are relative to the list's folder. Lines that begin with # are
/// comments, except #EXTINF. Throws InputError naming file and line.
[[nodiscard]] std::vector<PlaylistEntry> read_path_list(const std::filesystem::path& file);

}  // namespace tilewall::movie
