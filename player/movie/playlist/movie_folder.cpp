#include "player/movie/playlist/movie_folder.hpp"

#include <algorithm>
#include <string_view>

#include "player/movie/playlist/image_sequence.hpp"
#include "player/scene/source_spec.hpp"
#include "sync/base/error.hpp"
#include "sync/base/numbered_names.hpp"

namespace tilewall {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view movie_suffixes[] = {
    ".mp4", ".m4v",  ".mov",  ".mkv",  ".webm", ".avi", ".mpg", ".mpeg", ".m2v", ".ts",  ".m2ts",
    ".mts", ".mxf",  ".wmv",  ".asf",  ".flv",  ".ogv", ".ogg", ".y4m",  ".3gp", ".vob", ".dv",
    ".nut", ".hevc", ".h264", ".h265", ".264",  ".265", ".av1", ".ivf",  ".sm"};

bool has_movie_name(const fs::path& file) {
  std::string suffix = file.extension().string();
  std::transform(suffix.begin(), suffix.end(), suffix.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return std::find(std::begin(movie_suffixes), std::end(movie_suffixes), suffix) !=
         std::end(movie_suffixes);
}

}  // namespace

std::vector<fs::path> movies_in_folder(const fs::path& folder) {
  std::vector<fs::path> movies;
  if (is_wall_movie(folder)) return movies;
  std::size_t images = 0;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    std::error_code ignored;  // of one entry, such as a link to nowhere
    const bool file = it->is_regular_file(ignored);
    if (file && has_image_name(it->path())) ++images;
    if (file ? has_movie_name(it->path()) : it->is_directory(ignored) && is_wall_movie(it->path()))
      movies.push_back(it->path());
  }
  if (error) throw InputError({folder.string()}, "", "a readable folder", error.message());
  if (movies.size() <= images) return {};
  std::sort(movies.begin(), movies.end(), [](const fs::path& a, const fs::path& b) {
    return natural_less(a.native(), b.native());
  });
  return movies;
}

}  // namespace tilewall
