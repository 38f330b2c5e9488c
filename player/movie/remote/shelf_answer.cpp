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

bool is_listed_volume(const Json& volume) {
  if (!field_of(volume, "name").is_string()) return false;
  if (volume.size() == 1) return true;
  const Json size = field_of(volume, "size_voxels");
  return field_of(volume, "format").is_string() && field_of(volume, "type").is_string() &&
         field_of(volume, "timesteps").is_number_unsigned() && size.is_array() &&
         size.size() == 3 && std::all_of(size.begin(), size.end(), [](const Json& side) {
           return side.is_number_unsigned();
         });
}

/// Empty where the server knows of no such things.
Json list_of(const Json& answer, const char* field, bool (*is_one)(const Json&),
             const std::string& server) {
  Json list = field_of(answer, field);
  if (list.is_null()) return Json::array();
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_one))
    throw InputError({server}, field, std::string("a list of ") + field, shown_json(list));
  return list;
}

}  // namespace

bool holds_volume(const Json& answer) { return !field_of(answer, "volume").is_null(); }

OpenAnswer parse_open_answer(const Json& answer, const std::string& name) {
  const Json manifest = field_of(answer, "manifest");
  if (manifest.is_null() && holds_volume(answer))
    throw InputError({name}, "", "a movie", "a volume, which 'tilewall view' shows");
  if (!manifest.is_string()) throw InputError({name}, "manifest", "a text", shown_json(manifest));
  const Json sound = field_of(answer, "sound_bytes");
  if (!sound.is_null() && !sound.is_number_unsigned())
    throw InputError({name}, "sound_bytes", "a number of bytes", shown_json(sound));
  return {manifest.get<std::string>(), sound.is_null() ? 0 : sound.get<std::uint64_t>()};
}

Json parse_list_answer(const Json& answer, const std::string& server) {
  if (!answer.is_object()) throw InputError({server}, "", "a list", shown_json(answer));
  return {{"movies", list_of(answer, "movies", is_listed_movie, server)},
          {"volumes", list_of(answer, "volumes", is_listed_volume, server)}};
}

}  // namespace tilewall
