#include "player/path/path_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
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

/// Ten digits: of more, a person who edits the file would see the rounding.
std::string vector_text(Vec3d v) {
  return fmt::format("[{:.10g}, {:.10g}, {:.10g}]", v.x, v.y, v.z);
}

std::string key_text(const PathKey& key) {
  const render::VolumeCamera& camera = key.flight.camera;
  std::string text = "\n[[key]]\n";
  if (!key.name.empty()) text += fmt::format("name = {}\n", wall::toml_quoted(key.name));
  if (key.flight.time_s) text += fmt::format("time_s = {}\n", *key.flight.time_s);
  if (key.flight.hold_s > 0) text += fmt::format("hold_s = {}\n", key.flight.hold_s);
  if (key.flight.stops) text += "stop = true\n";
  if (key.timestep) text += fmt::format("timestep = {}\n", *key.timestep);
  text +=
      fmt::format("eye = {}\nlook_at = {}\nup = {}\nfov_deg = {:.10g}\n", vector_text(camera.eye),
                  vector_text(camera.look_at), vector_text(camera.up), camera.fov_rad / degree);
  if (camera.lens == render::Lens::orthographic)
    text += fmt::format("lens = \"orthographic\"\nview_height = {:.10g}\n", camera.view_height);
  else
    text += "lens = \"perspective\"\n";  // a key before it may have another one
  return text;
}

}  // namespace

namespace {

constexpr const char* first_line = "# A flight path: 'tilewall path check FILE' describes it.\n";

/// The tables of the keys, and what they say.
struct Reading {
  explicit Reading(const std::string& file)
      : Reading(file, read_text_file(file, largest_path_bytes)) {}
  Reading(const std::string& file, std::string_view text)
      : toml(file, text, largest_path_bytes), top(toml.root(top_keys)) {
    path.name = top.text("name").value_or("");
    for (const std::string& volume :
         top.texts("volume", most_volume_files).value_or(std::vector<std::string>()))
      path.volume.push_back(volume.find("://") != std::string::npos
                                ? volume
                                : (std::filesystem::path(file).parent_path() / volume).string());
    path.options.duration_s = top.number("duration_s", seconds);
    path.options.ease_s = top.number("ease_s", seconds).value_or(path.options.ease_s);
    keys = top.tables("key", key_keys, "name");
    render::VolumeCamera before = usual_camera();
    for (const wall::TomlSection& key : keys) {
      path.keys.push_back(key_of(key, before));
      before = path.keys.back().flight.camera;
    }
  }

  wall::TomlFile toml;
  wall::TomlSection top;
  std::vector<wall::TomlSection> keys;
  PathFile path;
};

/// The lines of a file, each with its end.
std::vector<std::string> lines_of(const std::string& file) {
  const std::string text = read_text_file(file, largest_path_bytes);
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1);
    lines.push_back(text.substr(at, end + 1 - at));
    at = end + 1;
  }
  return lines;
}

/// The lines of a key, from its [[key]] on: first to end - 1, from 0.
struct LineRange {
  std::ptrdiff_t first = 0;
  std::ptrdiff_t end = 0;
};

LineRange lines_of_key(const Reading& reading, const std::string& file, std::size_t index) {
  if (index >= reading.keys.size())
    throw InputError({file}, "", fmt::format("a key, of {}", reading.keys.size()),
                     std::to_string(index + 1));
  return {reading.keys[index].line() - 1, reading.keys[index].end_line() - 1};
}

/// Writes the lines, where they are the draft of a path with so many keys.
void write_lines(const std::string& file, const std::vector<std::string>& lines, std::size_t keys) {
  std::string text;
  for (const std::string& line : lines) text += line;
  const Reading draft(file, text);
  if (draft.keys.size() != keys)
    throw InputError({file}, "key", "tables written [[key]], each on lines of its own", "others");
  rewrite_file_atomically(file, text);
}

}  // namespace

PathFile read_path_file(const std::string& file) {
  const Reading reading(file);
  const auto fault = render::fault_of(flight_keys(reading.path), reading.path.options);
  if (!fault) return reading.path;
  const wall::TomlSection& place = fault->key ? reading.keys[*fault->key] : reading.top;
  place.refuse(fault->field, fault->expected, fault->found);
}

PathFile read_path_draft(const std::string& file) { return Reading(file).path; }

std::size_t add_key(const std::string& file, const PathKey& key, const std::string& volume) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    const std::string named =
        volume.empty() ? "" : fmt::format("volume = {}\n", wall::toml_quoted(volume));
    write_lines(file, {first_line, named, key_text(key)}, 1);
    return 1;
  }
  const std::size_t before = read_path_draft(file).keys.size();
  std::vector<std::string> lines = lines_of(file);
  if (!lines.empty() && !lines.back().ends_with('\n')) lines.back() += '\n';
  lines.push_back(key_text(key));
  write_lines(file, lines, before + 1);
  return before + 1;
}

void remove_key(const std::string& file, std::size_t index) {
  const Reading reading(file);
  const LineRange range = lines_of_key(reading, file, index);
  std::vector<std::string> lines = lines_of(file);
  const bool is_parted =
      range.first > 0 && lines[static_cast<std::size_t>(range.first - 1)] == "\n";
  lines.erase(lines.begin() + range.first - (is_parted ? 1 : 0), lines.begin() + range.end);
  write_lines(file, lines, reading.keys.size() - 1);
}

void retime_key(const std::string& file, std::size_t index, std::optional<double> time_s) {
  const Reading reading(file);
  const LineRange range = lines_of_key(reading, file, index);
  std::vector<std::string> lines = lines_of(file);
  std::string line = time_s ? fmt::format("time_s = {}\n", *time_s) : "";
  if (reading.keys[index].has("time_s")) {
    std::string& old =
        lines.at(static_cast<std::size_t>(reading.keys[index].line_of("time_s") - 1));
    if (const std::size_t comment = old.find('#'); comment != std::string::npos) {
      if (time_s) line.back() = ' ';
      line += old.substr(comment);
    }
    old = line;
  } else {
    lines.insert(lines.begin() + range.first + 1, line);
  }
  write_lines(file, lines, reading.keys.size());
}

std::size_t find_key(const PathFile& path, const std::string& file, const std::string& key) {
  const auto named = std::ranges::find(path.keys, key, &PathKey::name);
  if (named != path.keys.end()) return static_cast<std::size_t>(named - path.keys.begin());
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
  if (error == std::errc() && end == key.data() + key.size() && number >= 1 &&
      number <= path.keys.size())
    return number - 1;
  throw InputError({file}, "",
                   fmt::format("the name of a key, or a number from 1 to {}", path.keys.size()),
                   '"' + key + '"');
}

std::string path_text(const PathFile& path) {
  std::string text = first_line;
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
