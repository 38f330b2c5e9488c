#include "player/movie/playlist/playlist.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "player/movie/playlist/image_sequence.hpp"
#include "player/movie/playlist/list_formats.hpp"
#include "player/scene/source_spec.hpp"
#include "sync/base/error.hpp"
#include "sync/base/numbered_names.hpp"

namespace tilewall::movie {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_skip_lines = 20;
constexpr std::size_t max_lists = 1000;  // readings of lists, each repeated one included

enum class ListKind { none, paths, cues };

ListKind kind_by_name(const fs::path& file) {
  std::string ending = file.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".cues") return ListKind::cues;
  constexpr std::string_view paths[] = {".m3u", ".m3u8", ".txt", ".lst"};
  return std::find(std::begin(paths), std::end(paths), ending) == std::end(paths) ? ListKind::none
                                                                                  : ListKind::paths;
}

bool is_folder(const fs::path& path) {
  std::error_code error;
  return fs::is_directory(path, error);
}

bool names_image(const std::string& input) {
  std::error_code error;
  return has_image_name(input) ? !is_folder(input)
                               : fs::is_regular_file(input, error) && has_image_magic(input);
}

/// Whether the path is a pattern ("frame-%06d.png") or a glob that names several images.
bool is_image_pattern(const std::string& path) {
  return path.find_first_of("%*?[") != std::string::npos;
}

/// "show.m3u8:2: gone.mp4: left out, because it does not exist"
std::string skip_line(const PlaylistEntry& entry) {
  const std::string place =
      entry.place.line > 0 ? fmt::format("{}:{}: ", entry.place.file, entry.place.line) : "";
  return fmt::format("{}{}: left out, because it does not exist", place, entry.path);
}

// Replaces lists and folders of movies by their entries, depth first.
class Expansion {
 public:
  explicit Expansion(MissingEntries missing) : missing_(missing) {}

  void add(PlaylistEntry entry) {
    if (const ListKind kind = kind_by_name(entry.path); kind != ListKind::none)
      add_list(entry, kind);
    else if (is_folder(entry.path))
      add_folder(std::move(entry));
    else
      add_leaf(std::move(entry));
  }

  Playlist take(const std::string& name) {
    if (list_.entries.empty())
      throw InputError({name}, "", "at least one entry",
                       left_out_ > 0 ? fmt::format("none ({} missing)", left_out_) : "none");
    if (left_out_ > most_skip_lines)
      list_.skipped.push_back(fmt::format("{}: {} more entries left out, because they do not exist",
                                          name, left_out_ - most_skip_lines));
    return std::move(list_);
  }

 private:
  void add_list(const PlaylistEntry& entry, ListKind kind) {
    if (!is_there(entry)) return;
    const fs::path real = fs::weakly_canonical(entry.path);
    if (std::find(open_.begin(), open_.end(), real) != open_.end())
      throw InputError(entry.place, "", "a list that does not contain itself", entry.path);
    if (++lists_ > max_lists)
      throw InputError(entry.place, "", fmt::format("at most {} lists within lists", max_lists),
                       "more");
    open_.push_back(real);
    Playlist inner;
    if (kind == ListKind::cues)
      inner = read_cue_list(entry.path);
    else
      inner.entries = read_path_list(entry.path);
    std::move(inner.notes.begin(), inner.notes.end(), std::back_inserter(list_.notes));
    std::size_t before = list_.entries.size();
    for (PlaylistEntry& found : inner.entries) {
      before = list_.entries.size();
      add(std::move(found));
    }
    list_.repeat_last = inner.repeat_last && list_.entries.size() > before;
    open_.pop_back();
  }

  void add_folder(PlaylistEntry entry) {
    const std::vector<fs::path> movies = movies_in_folder(entry.path);
    if (movies.empty()) return add_leaf(std::move(entry));  // a wall movie, or images
    for (const fs::path& movie : movies) {
      PlaylistEntry one = entry;
      one.path = movie.string();
      add_leaf(std::move(one));
    }
  }

  void add_leaf(PlaylistEntry entry) {
    if (!is_there(entry)) return;
    places_ += static_cast<std::size_t>(entry.times);
    if (places_ > max_playlist_entries)
      throw InputError(entry.place, "", fmt::format("at most {} entries", max_playlist_entries),
                       "more");
    if (std::exchange(list_.repeat_last, false))
      list_.notes.push_back(fmt::format("{}:{}: played once, because other entries follow",
                                        list_.entries.back().place.file,
                                        list_.entries.back().place.line));
    list_.entries.push_back(std::move(entry));
  }

  /// Whether the entry exists. Throws InputError if it does not, unless such entries are left out.
  bool is_there(const PlaylistEntry& entry) {
    const auto [known, added] = there_.try_emplace(entry.path, false);
    std::error_code error;
    if (added)
      known->second =
          is_address(entry.path) || is_image_pattern(entry.path) || fs::exists(entry.path, error);
    if (known->second) return true;
    if (missing_ == MissingEntries::refused || error)
      throw InputError(entry.place, entry.place.file == entry.path ? "" : entry.path,
                       "a file or folder that exists", error ? error.message() : "none");
    if (++left_out_ <= most_skip_lines) list_.skipped.push_back(skip_line(entry));
    return false;
  }

  const MissingEntries missing_;
  Playlist list_;
  std::vector<fs::path> open_;  // lists that are being read, outermost first
  std::size_t lists_ = 0;
  std::size_t places_ = 0;
  std::size_t left_out_ = 0;
  std::unordered_map<std::string, bool> there_;  // by path: whether it exists
};

}  // namespace

bool is_playlist(const std::vector<std::string>& inputs) {
  if (inputs.size() > 1) return !std::all_of(inputs.begin(), inputs.end(), names_image);
  const std::string& input = inputs.front();
  if (is_folder(input)) return !movies_in_folder(input).empty();
  return kind_by_name(input) != ListKind::none;
}

Playlist read_playlist(const std::vector<std::string>& inputs, MissingEntries missing) {
  Expansion expansion(missing);
  for (const std::string& input : inputs) {
    PlaylistEntry entry;
    entry.path = input;
    entry.place = {input, 0};
    expansion.add(std::move(entry));
  }
  return expansion.take(inputs.front());
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view movie_suffixes[] = {
    ".mp4", ".m4v",  ".mov",  ".mkv",  ".webm", ".avi", ".mpg", ".mpeg", ".m2v", ".ts",  ".m2ts",
    ".mts", ".mxf",  ".wmv",  ".asf",  ".flv",  ".ogv", ".ogg", ".y4m",  ".3gp", ".vob", ".dv",
    ".nut", ".hevc", ".h264", ".h265", ".264",  ".265", ".av1", ".ivf",  ".sm"};

}  // namespace

bool has_movie_name(const fs::path& file) {
  std::string suffix = file.extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::find(std::begin(movie_suffixes), std::end(movie_suffixes), suffix) !=
         std::end(movie_suffixes);
}

std::vector<fs::path> movies_in_folder(const fs::path& folder) {
  std::vector<fs::path> movies;
  if (scene::is_wall_movie(folder)) return movies;
  std::size_t images = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;  // an entry that cannot be read, such as a broken link, is no movie
    const bool file = it->is_regular_file(ignored);
    if (file && has_image_name(it->path())) ++images;
    if (file ? has_movie_name(it->path())
             : it->is_directory(ignored) && scene::is_wall_movie(it->path()))
      movies.push_back(it->path());
  }
  if (error) throw InputError({folder.string()}, "", "a readable folder", error.message());
  if (movies.size() <= images) return {};
  std::sort(movies.begin(), movies.end(), [](const fs::path& a, const fs::path& b) {
    return natural_less(a.native(), b.native());
  });
  return movies;
}

}  // namespace tilewall::movie
