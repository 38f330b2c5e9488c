#include "player/console/written_movies.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "sync/base/busy_folder.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::console {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::seconds movies_interval{1};
constexpr std::size_t most_movies = 20;
constexpr std::size_t most_movie_status_bytes = 1 << 20;
constexpr std::int64_t most_counted = std::int64_t{1} << 50;
// The files of player/movie/convert/transfer_status.hpp.
constexpr const char* status_file = "status.json";
constexpr const char* picture_file = "status.png";

/// The name by which browsers ask for the picture of a folder's movie.
std::string picture_name_of(const std::filesystem::path& folder) {
  const std::string& text = folder.native();
  return fmt::format("{:016x}.png", XXH3_64bits(text.data(), text.size()));
}

/// Its name with the time at which it was made; null where there is none.
Json picture_in(const std::filesystem::path& folder) {
  struct stat status {};
  if (::lstat((folder / picture_file).c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return nullptr;
  return fmt::format("{}?{}.{:09}", picture_name_of(folder), status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

/// Opens a file of the folder for reading. Empty where it is not a regular one: others may write
/// the folder, too, so their links lead nowhere, and a pipe of theirs is not waited for.
UniqueFd file_in(const std::filesystem::path& folder, const char* name) {
  UniqueFd file(::open((folder / name).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat status {};
  if (file.empty() || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return file;
}

/// How far the movie in a folder is; empty where its job has not told yet.
std::optional<Json> movie_in(const std::filesystem::path& folder) try {
  const UniqueFd file = file_in(folder, status_file);
  if (file.empty()) return std::nullopt;
  const Json status =
      parse_json(read_all(file.get(), folder / status_file, most_movie_status_bytes));
  const bool has_rest = status.contains("left_s");
  return Json{{"movie", printable_text(folder.string())},
              {"done", json_number<std::int64_t>(status, "done", 0, most_counted)},
              {"total", json_number<std::int64_t>(status, "total", 0, most_counted)},
              {"unit", printable_text(json_field<std::string>(status, "unit"))},
              {"per_s", json_field<double>(status, "per_s")},
              {"left_s", has_rest ? Json(json_field<double>(status, "left_s")) : Json(nullptr)},
              {"picture", picture_in(folder)}};
} catch (const InputError&) {
  return std::nullopt;
}

}  // namespace

WrittenMovies::WrittenMovies(boost::asio::io_context& io, std::function<void()> changed)
    : changed_(std::move(changed)), timer_(io) {
  look();
  look_again_later();
}

void WrittenMovies::look_again_later() {
  timer_.expires_after(movies_interval);
  timer_.async_wait([this](boost::system::error_code error) {
    if (error) return;
    look();
    look_again_later();
  });
}

void WrittenMovies::look() {
  Json movies = Json::array();
  folders_.clear();
  for (const std::filesystem::path& folder : busy_folders()) {
    if (movies.size() == most_movies) break;
    std::optional<Json> movie = movie_in(folder);
    if (!movie) continue;
    movies.push_back(*std::move(movie));
    folders_.emplace(picture_name_of(folder), folder);
  }
  if (movies == json_) return;
  json_ = std::move(movies);
  changed_();
}

UniqueFd WrittenMovies::open_picture(std::string_view name) const {
  const auto found = folders_.find(name);
  if (found == folders_.end()) return {};
  return file_in(found->second, picture_file);
}

}  // namespace tilewall::console
