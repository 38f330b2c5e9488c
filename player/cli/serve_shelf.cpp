#include "player/cli/serve_shelf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "player/movie/frames/manifest.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t most_counted = 10'000;
constexpr std::size_t most_shown_names = 6;

std::vector<fs::path> movie_places(const std::vector<fs::path>& inputs) {
  std::vector<fs::path> places;
  for (const fs::path& input : inputs)
    if (std::error_code error; fs::is_directory(input, error) && !is_volume_folder(input))
      places.push_back(input);
  return places;
}

std::vector<fs::path> volume_places(const std::vector<fs::path>& inputs) {
  std::vector<fs::path> places;
  std::ranges::copy_if(inputs, std::back_inserter(places),
                       [](const fs::path& input) { return !is_wall_movie(input); });
  return places;
}

}  // namespace

ServeShelf::ServeShelf(const std::vector<fs::path>& inputs)
    : movies_(movie_places(inputs)), volumes_(volume_places(inputs)) {}

Json ServeShelf::call(const Json& question) {
  const Json type = question.value("type", Json());
  if (type == "range") return volumes_.call(question);
  if (type == "list") {
    Json answer = movies_.call(question);
    const Json volumes = volumes_.call(question);
    answer["volumes"] = volumes.at("volumes");
    answer["left_out"] =
        answer.at("left_out").get<std::size_t>() + volumes.at("left_out").get<std::size_t>();
    return answer;
  }
  const Json name = question.value("name", Json());
  if (type != "open" || !name.is_string() || movies_.has(name.get<std::string>()))
    return movies_.call(question);
  if (volumes_.has(name.get<std::string>())) return volumes_.call(question);
  throw InputError({name.get<std::string>()}, "",
                   "a movie or volume of this server, which has " + shown_names(), "none");
}

std::shared_ptr<const SlabBuffer> ServeShelf::read(std::span<const std::byte> request) {
  return asks_for_box(request) ? volumes_.read(request) : movies_.read(request);
}

ServeShelf::Count ServeShelf::count() {
  return {movies_.call({{"type", "list"}}).at("movies").size(),
          volumes_.names(most_counted).size()};
}

/// "ball.npy, numbers and 3 more"
std::string ServeShelf::shown_names() {
  std::vector<std::string> names = volumes_.names(most_counted);
  const Json list = movies_.call({{"type", "list"}});
  for (const Json& movie : list.at("movies")) names.push_back(movie.at("name").get<std::string>());
  if (names.empty()) return "nothing";
  std::sort(names.begin(), names.end());
  const std::size_t more = names.size() - std::min(names.size(), most_shown_names);
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace tilewall
