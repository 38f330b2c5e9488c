#include "player/scene/path_messages.hpp"

#include <nlohmann/json.hpp>

#include "sync/base/json_fields.hpp"

namespace tilewall::scene {

using Json = nlohmann::json;

Json to_json(const KeptPath& path) {
  return {{"file", path.file},
          {"is_previewed", path.is_previewed},
          {"answers", path.answers},
          {"answer", path.answer},
          {"has_failed", path.has_failed}};
}

KeptPath kept_path_from_json(const Json& json) {
  return {json_field<std::string>(json, "file"), json_field<bool>(json, "is_previewed"),
          json_field<std::uint64_t>(json, "answers"), json_field<std::string>(json, "answer"),
          json_field<bool>(json, "has_failed")};
}

}  // namespace tilewall::scene
