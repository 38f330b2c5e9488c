// What is played one after the other: several inputs, a list file, or a folder of movies.
//
// Lists are M3U and M3U8, plain lists (.txt, .lst: a path a line), and the cue lists (.cues) of
// Blockbuster's Sidecar. Paths in a list are relative to it. A list within a list stands for its
// entries; a folder of movies for these in natural order. Nothing is opened but lists and folders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sync/base/error.hpp"
#include "sync/base/rational.hpp"

namespace tilewall::movie {

inline constexpr std::size_t max_playlist_entries = 100'000;  ///< of all lists, repeats included
inline constexpr double default_still_s = 5;

struct PlaylistEntry {
  std::string path;  ///< to open it by; a movie, an image, a folder, a pattern or glob of images
  InputPlace place;  ///< the list and line that name it; the path itself without a list
  std::int64_t first_frame = 0;           ///< of its own frames
  std::optional<std::int64_t> end_frame;  ///< one behind the last; empty or beyond: its own end
  std::optional<Rational> fps;            ///< of its frames; empty: its own
  std::optional<double> still_s;          ///< how long a still is held
  std::string title;                      ///< UTF-8; "" = the list gives none
  bool held = false;                      ///< a movie's first_frame is shown like a still
  int times = 1;                          ///< played so often in a row
};

struct Playlist {
  std::vector<PlaylistEntry> entries;  ///< at least one
  bool repeat_last = false;            ///< the last entry goes on for ever
  std::vector<std::string> notes;      ///< lines for people: what lists say and is not followed
  std::vector<std::string> skipped;    ///< lines for people: entries left out, as nothing is there
};

/// What becomes of an entry that names no file or folder.
enum class MissingEntries { refused, skipped };

/// Whether `inputs` are to be played one after the other: several that are not all images, a list
/// by its name, or a folder with more movies than images in it.
[[nodiscard]] bool is_playlist(const std::vector<std::string>& inputs);

/// Throws InputError naming list and line: no such file, an address of the network, a list that
/// contains itself, too many entries, no entries (left), and what the formats' readers refuse.
[[nodiscard]] Playlist read_playlist(const std::vector<std::string>& inputs,
                                     MissingEntries missing = MissingEntries::refused);

// Folders that hold movies.

/// The movies in a folder in natural order: files by their name's ending, and wall movies. Empty
/// where the folder is a wall movie itself, or holds no more movies than images: then it is an
/// image sequence, if anything. Throws InputError for a folder that cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> movies_in_folder(
    const std::filesystem::path& folder);

}  // namespace tilewall::movie
