#include "player/path/path_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "sync/base/error.hpp"
#include "wallconfigs/toml/toml_reader.hpp"

namespace tilewall::path {
namespace {

constexpr std::string_view top_keys[] = {"name", "volume", "duration_s", "ease_s", "key"};
constexpr std::string_view key_keys[] = {"name",     "time_s", "hold_s",     "stop",
                                         "timestep", "eye",    "look_at",    "up",
                                         "fov_deg",  "lens",   "view_height"};

constexpr std::size_t most_volume_files = 1000;
constexpr double most_timesteps = 1e9;
constexpr wall::RealRange seconds{0, render::longest_flight_s};

Vec3d place_of(const wall::TomlSection& key, std::string_view field) {
  const auto place = key.numbers(field, 3, {-farthest_place, farthest_place});
  if (!place) key.refuse(field, "three numbers");
  return {(*place)[0], (*place)[1], (*place)[2]};
}

/// The camera of a key. What a key leaves out is as in the key before it, but for its places.
render::VolumeCamera camera_of(const wall::TomlSection& key, render::VolumeCamera camera) {
  camera.eye = place_of(key, "eye");
  camera.look_at = place_of(key, "look_at");
  if (key.has("up")) camera.up = place_of(key, "up");
  if (const auto fov = key.number("fov_deg", {0, 179, true})) camera.fov_rad = *fov * degree;
  if (const auto lens = key.text("lens")) {
    if (*lens != "perspective" && *lens != "orthographic")
      key.refuse("lens", "perspective or orthographic", *lens);
    camera.lens = *lens == "perspective" ? render::Lens::perspective : render::Lens::orthographic;
  }
  if (const auto height = key.number("view_height", {0, farthest_place, true}))
    camera.view_height = *height;
  return camera;
}

PathKey key_of(const wall::TomlSection& section, const render::VolumeCamera& before) {
  PathKey key;
  key.name = section.text("name").value_or("");
  key.flight.camera = camera_of(section, before);
  key.flight.time_s = section.number("time_s", seconds);
  key.flight.hold_s = section.number("hold_s", seconds).value_or(0);
  key.flight.stops = section.boolean("stop").value_or(false);
  key.timestep = section.number("timestep", {0, most_timesteps});
  return key;
}

render::VolumeCamera usual_camera() {
  render::VolumeCamera camera;
  camera.up = {0, 0, 1};
  camera.fov_rad = 30 * degree;
  return camera;
}

std::string vector_text(Vec3d v) { return fmt::format("[{}, {}, {}]", v.x, v.y, v.z); }

std::string key_text(const PathKey& key) {
  const render::VolumeCamera& camera = key.flight.camera;
  std::string text = "\n[[key]]\n";
  if (!key.name.empty()) text += fmt::format("name = {}\n", wall::toml_quoted(key.name));
  if (key.flight.time_s) text += fmt::format("time_s = {}\n", *key.flight.time_s);
  if (key.flight.hold_s > 0) text += fmt::format("hold_s = {}\n", key.flight.hold_s);
  if (key.flight.stops) text += "stop = true\n";
  if (key.timestep) text += fmt::format("timestep = {}\n", *key.timestep);
  text += fmt::format("eye = {}\nlook_at = {}\nup = {}\nfov_deg = {}\n", vector_text(camera.eye),
                      vector_text(camera.look_at), vector_text(camera.up), camera.fov_rad / degree);
  if (camera.lens == render::Lens::orthographic)
    text += fmt::format("lens = \"orthographic\"\nview_height = {}\n", camera.view_height);
  return text;
}

}  // namespace

PathFile read_path_file(const std::string& file) {
  const wall::TomlFile toml(file, largest_path_bytes);
  const wall::TomlSection top = toml.root(top_keys);
  PathFile path;
  path.name = top.text("name").value_or("");
  for (const std::string& volume :
       top.texts("volume", most_volume_files).value_or(std::vector<std::string>()))
    path.volume.push_back(volume.find("://") != std::string::npos
                              ? volume
                              : (std::filesystem::path(file).parent_path() / volume).string());
  path.options.duration_s = top.number("duration_s", seconds);
  path.options.ease_s = top.number("ease_s", seconds).value_or(path.options.ease_s);
  const std::vector<wall::TomlSection> sections = top.tables("key", key_keys, "name");
  render::VolumeCamera before = usual_camera();
  for (const wall::TomlSection& section : sections) {
    path.keys.push_back(key_of(section, before));
    before = path.keys.back().flight.camera;
  }
  const auto fault = render::fault_of(flight_keys(path), path.options);
  if (!fault) return path;
  const wall::TomlSection& place = fault->key ? sections[*fault->key] : top;
  place.refuse(fault->field, fault->expected, fault->found);
}

std::string path_text(const PathFile& path) {
  std::string text = "# A flight path: 'tilewall path check FILE' describes it.\n";
  if (!path.name.empty()) text += fmt::format("name = {}\n", wall::toml_quoted(path.name));
  if (!path.volume.empty()) {
    std::vector<std::string> quoted(path.volume.size());
    std::ranges::transform(path.volume, quoted.begin(), wall::toml_quoted);
    text += fmt::format("volume = [{}]\n", fmt::join(quoted, ", "));
  }
  if (path.options.duration_s) text += fmt::format("duration_s = {}\n", *path.options.duration_s);
  text += fmt::format("ease_s = {}\n", path.options.ease_s);
  for (const PathKey& key : path.keys) text += key_text(key);
  return text;
}

std::vector<render::FlightKey> flight_keys(const PathFile& path) {
  std::vector<render::FlightKey> keys(path.keys.size());
  std::ranges::transform(path.keys, keys.begin(), &PathKey::flight);
  return keys;
}

std::optional<std::int64_t> timestep_at(const PathFile& path, const render::FlightPath& flight,
                                        double time_s) {
  struct Moment {
    double at_s;
    double timestep;
  };
  std::optional<Moment> before;
  std::optional<Moment> after;
  for (std::size_t i = 0; i < path.keys.size() && !after; ++i) {
    const std::optional<double>& timestep = path.keys[i].timestep;
    if (!timestep) continue;
    if (flight.arrival_s(i) > time_s)
      after = {flight.arrival_s(i), *timestep};
    else
      before = {flight.departure_s(i), *timestep};
  }
  if (!before && !after) return std::nullopt;
  double timestep = before ? before->timestep : after->timestep;
  if (before && after && time_s > before->at_s)
    timestep += (after->timestep - before->timestep) * (time_s - before->at_s) /
                (after->at_s - before->at_s);
  constexpr double rounding = 1e-6;
  return static_cast<std::int64_t>(std::floor(timestep + rounding));
}

render::FlightPath flight_of(const PathFile& path, const std::string& file) {
  std::vector<render::FlightKey> keys = flight_keys(path);
  if (const auto fault = render::fault_of(keys, path.options))
    throw InputError(
        {file}, fault->key ? fmt::format("key[{}].{}", *fault->key, fault->field) : fault->field,
        fault->expected, fault->found);
  return {std::move(keys), path.options};
}

}  // namespace tilewall::path
