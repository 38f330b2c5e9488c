#include "player/cli/options/camera_file.hpp"

#include <vector>

#include "wallconfigs/toml/toml_reader.hpp"

namespace tilewall {
namespace {

constexpr std::size_t max_camera_file_bytes = std::size_t{64} << 10;

constexpr CameraField all_camera_fields[] = {
    {"eye", "[X, Y, Z]", "where it stands, in the volume's units of length"},
    {"look_at", "[X, Y, Z]", "what it looks at, likewise"},
    {"up", "[X, Y, Z]", "the direction that is up in the picture"},
    {"fov_deg", "DEGREES", "field of view of the picture's height, above 0, to 179"},
    {"lens", "\"perspective\" | \"orthographic\"", "rays from the eye, or parallel ones"},
    {"view_height", "LENGTH", "of an orthographic picture's height, in the volume's units"}};

using Json = nlohmann::json;

void read_camera_field(const TomlSection& top, std::string_view name, Json& change) {
  Json& field = change[std::string(name)];
  if (name == "lens") {
    const auto lens = top.text(name);
    if (lens && *lens != "perspective" && *lens != "orthographic")
      top.refuse(name, "perspective or orthographic", *lens);
    if (lens) field = *lens;
  } else if (name == "fov_deg" || name == "view_height") {
    const auto number = top.number(name, {0, name == "fov_deg" ? 179.0 : 1e12, true});
    if (number) field = *number;
  } else if (const auto place = top.numbers(name, 3, {-1e12, 1e12})) {
    field = *place;
  }
  if (field.is_null()) change.erase(std::string(name));
}

}  // namespace

std::span<const CameraField> camera_fields() { return all_camera_fields; }

Json read_camera_file(const std::string& file) {
  std::vector<std::string_view> names;
  for (const CameraField& field : all_camera_fields) names.push_back(field.name);
  const TomlFile toml(file, max_camera_file_bytes);
  const TomlSection top = toml.root(names);
  Json change = Json::object();
  for (const std::string_view name : names) read_camera_field(top, name, change);
  return change;
}

}  // namespace tilewall
