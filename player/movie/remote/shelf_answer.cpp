#include "player/movie/remote/shelf_answer.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "player/movie/frames/manifest.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall {
namespace {

using Json = nlohmann::json;

Json field_of(const Json& answer, const char* field) {
  return answer.is_object() ? answer.value(field, Json()) : Json();
}

bool is_listed_movie(const Json& movie) {
  const auto is_number = [&](const char* field, std::uint64_t most) {
    const Json number = field_of(movie, field);
    return number.is_number_unsigned() && number.get<std::uint64_t>() <= most;
  };
  return field_of(movie, "name").is_string() && is_number("width_px", max_movie_side_px) &&
         is_number("height_px", max_movie_side_px) && is_number("frames", max_frames) &&
         field_of(movie, "fps").is_string() && field_of(movie, "complete").is_boolean();
}

}  // namespace

OpenAnswer parse_open_answer(const Json& answer, const std::string& name) {
  const Json manifest = field_of(answer, "manifest");
  if (!manifest.is_string()) throw InputError({name}, "manifest", "a text", shown_json(manifest));
  const Json sound = field_of(answer, "sound_bytes");
  if (!sound.is_null() && !sound.is_number_unsigned())
    throw InputError({name}, "sound_bytes", "a number of bytes", shown_json(sound));
  return {manifest.get<std::string>(), sound.is_null() ? 0 : sound.get<std::uint64_t>()};
}

Json parse_list_answer(const Json& answer, const std::string& server) {
  Json movies = field_of(answer, "movies");
  if (!movies.is_array() || !std::all_of(movies.begin(), movies.end(), is_listed_movie))
    throw InputError({server}, "movies", "a list of movies", shown_json(movies));
  return movies;
}

}  // namespace tilewall
