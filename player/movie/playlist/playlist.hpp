// Turns inputs that are played one after the other (several inputs, a list file, or a folder of
// movies) into a flat list of entries.
//
// Lists are M3U and M3U8, plain lists (.txt, .lst: one path per line), and the cue lists (.cues) of
// Blockbuster's Sidecar. Paths in a list are relative to its folder. A list within a list is
// replaced by its entries, and a folder of movies by these in natural order. Only lists and folders
// are opened.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sync/base/error.hpp"
#include "sync/base/rational.hpp"

namespace tilewall::movie {

inline constexpr std::size_t max_playlist_entries = 100'000;  ///< all lists together, with repeats
inline constexpr double default_still_s = 5;

struct PlaylistEntry {
  std::string path;  ///< path of a movie, image or folder; pattern or glob of images; or address
  InputPlace place;  ///< list and line of the entry; the path itself without a list
  std::int64_t first_frame = 0;           ///< first frame to play, counted from 0
  std::optional<std::int64_t> end_frame;  ///< one after the last; empty or beyond: the movie's end
  std::optional<Rational> fps;            ///< rate to play at; empty: the movie's own
  std::optional<double> still_s;          ///< seconds that a still is held; empty: default_still_s
  std::string title;                      ///< title in UTF-8; "" = none
  bool held = false;                      ///< a movie's first_frame is shown like a still
  int times = 1;                          ///< number of passes in a row
};

struct Playlist {
  std::vector<PlaylistEntry> entries;  ///< Entries of the list, at least one
  bool repeat_last = false;            ///< the last entry plays for ever
  std::vector<std::string> notes;      ///< Lines for people about ignored parts of lists
  std::vector<std::string> skipped;    ///< Lines for people about entries that do not exist
};

/// refused: an entry that does not exist is an error. skipped: it is left out.
enum class MissingEntries { refused, skipped };

/// Whether `inputs` are played one after the other: several that are not all images, a file with
/// the name of a list, or a folder with more movies than images. @pre at least one input
[[nodiscard]] bool is_playlist(const std::vector<std::string>& inputs);

/// Reads the inputs as one list. Throws InputError naming list and line for a file that does not
/// exist, a network address, a list that contains itself, too many entries or none, and errors of
/// the list formats.
[[nodiscard]] Playlist read_playlist(const std::vector<std::string>& inputs,
                                     MissingEntries missing = MissingEntries::refused);

/// Whether the name has the ending of a movie (.mp4, .mov, .sm, ...), in upper or lower case.
[[nodiscard]] bool has_movie_name(const std::filesystem::path& file);

// Folders that hold movies.

/// The movies in a folder in natural order: files with the ending of a movie, and wall movies.
/// Empty if the folder is a wall movie itself, or has no more movies than images, because it may
/// then be an image sequence. Throws InputError for a folder that cannot be read.
[[nodiscard]] std::vector<std::filesystem::path> movies_in_folder(
    const std::filesystem::path& folder);

}  // namespace tilewall::movie
