#include "player/path/path_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "player/path/taken_style.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "wallconfigs/toml/toml_reader.hpp"

namespace tilewall::path {
namespace {

constexpr std::string_view top_keys[] = {"name", "volume", "duration_s", "ease_s", "logo", "key"};
constexpr std::string_view logo_keys[] = {"file", "at", "width", "across"};
constexpr std::string_view key_keys[] = {"name",     "time_s", "hold_s",     "stop",
                                         "timestep", "eye",    "look_at",    "up",
                                         "fov_deg",  "lens",   "view_height"};

/// How a style field's value may be written in TOML; a text is always possible.
enum class StyleValue { text, number, boolean, numbers, planes };
struct StyleKey {
  std::string_view name;
  StyleValue value = StyleValue::text;
  std::size_t count = 0;  ///< How many numbers
};
// A preset is applied before the switches that it sets, and a range before window and level.
constexpr StyleKey style_keys[] = {{"tf"},
                                   {"range", StyleValue::numbers, 2},
                                   {"scale"},
                                   {"low", StyleValue::boolean},
                                   {"mode"},
                                   {"lit", StyleValue::boolean},
                                   {"light", StyleValue::numbers, 3},
                                   {"iso", StyleValue::number},
                                   {"iso_shift", StyleValue::number},
                                   {"step", StyleValue::number},
                                   {"opacity", StyleValue::number},
                                   {"window", StyleValue::number},
                                   {"level", StyleValue::number},
                                   {"clip", StyleValue::numbers, 6},
                                   {"plane", StyleValue::planes, 4},
                                   {"background"},
                                   {"annotate"},
                                   {"axes", StyleValue::boolean},
                                   {"bar", StyleValue::boolean},
                                   {"label", StyleValue::boolean},
                                   {"box", StyleValue::boolean},
                                   {"ruler", StyleValue::boolean},
                                   {"title"},
                                   {"date"},
                                   {"caption"},
                                   {"caption_at", StyleValue::numbers, 2},
                                   {"letters", StyleValue::number}};
constexpr double farthest_mm = 1e6;
constexpr wall::RealRange style_numbers{-1e30, 1e30};
constexpr std::size_t most_planes = 100;  // the style has a limit of its own

const std::vector<std::string_view>& all_key_keys() {
  static const std::vector<std::string_view> keys = [] {
    std::vector<std::string_view> all(std::begin(key_keys), std::end(key_keys));
    for (const std::string_view name : style_word_fields()) all.push_back(name);
    return all;
  }();
  return keys;
}

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

std::string numbers_text(const std::vector<double>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

/// A file that lies beside the path, by the name that it has from here; other words as they are.
std::string located(const std::string& word, const std::string& file) {
  const std::size_t choice = std::min(word.find('#'), word.size());
  const std::filesystem::path there =
      std::filesystem::path(file).parent_path() / word.substr(0, choice);
  std::error_code ignored;
  return std::filesystem::is_regular_file(there, ignored) ? there.string() + word.substr(choice)
                                                          : word;
}

/// The values of a style field: several where it may be given several times.
std::vector<std::string> style_values(const wall::TomlSection& section, const StyleKey& key) {
  if (section.is_text(key.name)) {
    std::string text = *section.any_text(key.name);
    if (text.size() > longest_style_value)
      section.refuse(key.name, fmt::format("at most {} bytes", longest_style_value),
                     fmt::format("{}", text.size()));
    return {key.name == "tf" ? located(text, section.file()) : std::move(text)};
  }
  switch (key.value) {
    case StyleValue::number:
      return {fmt::format("{}", *section.number(key.name, style_numbers))};
    case StyleValue::boolean:
      return {*section.boolean(key.name) ? "on" : "off"};
    case StyleValue::numbers:
      return {numbers_text(*section.numbers(key.name, key.count, style_numbers))};
    case StyleValue::planes: {
      const auto rows = section.number_rows(key.name, most_planes, key.count, style_numbers);
      std::vector<std::string> planes;
      for (const auto& row : *rows) planes.push_back(numbers_text(row));
      return planes;
    }
    case StyleValue::text:
      break;
  }
  section.refuse(key.name, "a text");
}

std::vector<StyleWord> style_of(const wall::TomlSection& section) {
  std::vector<StyleWord> words;
  for (const StyleKey& key : style_keys) {
    if (!section.has(key.name)) continue;
    const std::string place = fmt::format("{}:{}: {}", section.file(), section.line_of(key.name),
                                          section.field(key.name));
    for (std::string& value : style_values(section, key))
      words.push_back({std::string(key.name), std::move(value), place});
  }
  return words;
}

PathKey key_of(const wall::TomlSection& section, const render::VolumeCamera& before) {
  PathKey key;
  key.name = section.text("name").value_or("");
  key.flight.camera = camera_of(section, before);
  key.flight.time_s = section.number("time_s", seconds);
  key.flight.hold_s = section.number("hold_s", seconds).value_or(0);
  key.flight.stops = section.boolean("stop").value_or(false);
  key.timestep = section.number("timestep", {0, most_timesteps});
  key.style = style_of(section);
  return key;
}

/// A length in mm, as in "40mm".
std::optional<double> millimetres(std::string_view text) {
  if (!text.ends_with("mm")) return std::nullopt;
  text.remove_suffix(2);
  double length = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (error != std::errc{} || end != text.data() + text.size() ||
      !(length >= 0 && length <= farthest_mm))
    return std::nullopt;
  return length;
}

PathLogo logo_of(const wall::TomlSection& section) {
  PathLogo logo;
  const auto file = section.text("file", longest_style_value);
  if (!file) section.refuse("file", "an image");
  const std::filesystem::path beside = std::filesystem::path(section.file()).parent_path() / *file;
  logo.file = std::filesystem::absolute(beside).lexically_normal().string();
  logo.place =
      fmt::format("{}:{}: {}", section.file(), section.line_of("file"), section.field("file"));
  logo.is_across = section.boolean("across").value_or(false);
  if (section.is_text("at")) {
    const std::string text = *section.any_text("at");
    const std::size_t comma = std::min(text.find(','), text.size());
    const auto x = millimetres(text.substr(0, comma));
    const auto y = millimetres(text.substr(std::min(comma + 1, text.size())));
    if (!x || !y) section.refuse("at", "two shares from 0 to 1, or as in \"40mm,25mm\"");
    logo.x = *x;
    logo.y = *y;
    logo.is_in_mm = true;
  } else if (const auto at = section.numbers("at", 2, {0, 1})) {
    logo.x = (*at)[0];
    logo.y = (*at)[1];
  }
  if (section.is_text("width")) {
    const auto width = millimetres(*section.any_text("width"));
    if (!width || !(*width > 0)) section.refuse("width", "a share over 0, to 1, or as in \"40mm\"");
    logo.width = *width;
    logo.width_is_in_mm = true;
  } else if (const auto width = section.number("width", {0, 1, true})) {
    logo.width = *width;
  }
  return logo;
}

std::string logo_text(const PathLogo& logo) {
  const auto mm = [](double length) { return fmt::format("{}mm", length); };
  std::string text = fmt::format("\n[logo]\nfile = {}\n", wall::toml_quoted(logo.file));
  text += logo.is_in_mm ? fmt::format("at = \"{},{}\"\n", mm(logo.x), mm(logo.y))
                        : fmt::format("at = [{}, {}]\n", logo.x, logo.y);
  text += logo.width_is_in_mm ? fmt::format("width = \"{}\"\n", mm(logo.width))
                              : fmt::format("width = {}\n", logo.width);
  return text + (logo.is_across ? "across = true\n" : "");
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

/// Whether a text is a list of so many numbers.
bool is_numbers(const std::string& text, std::size_t count) {
  std::size_t found = 0;
  for (const char *at = text.data(), *const end = at + text.size(); at < end; ++at, ++found) {
    double number = 0;
    const auto [stop, error] = std::from_chars(at, end, number);
    if (error != std::errc{} || (stop != end && *stop != ',')) return false;
    at = stop;
  }
  return found == count;
}

/// A style field's value in TOML: numbers and switches as such, all else as texts.
std::string style_value_text(const StyleKey& key, const std::vector<std::string>& values) {
  const std::string& first = values.front();
  if (key.value == StyleValue::boolean && (first == "on" || first == "off"))
    return first == "on" ? "true" : "false";
  if (key.value == StyleValue::number && is_numbers(first, 1)) return first;
  const auto listed = [&](std::string_view numbers) {
    std::string list = "[";
    for (const char c : numbers) list += c == ',' ? ", " : std::string(1, c);
    return list + "]";
  };
  if (key.value == StyleValue::numbers && is_numbers(first, key.count)) return listed(first);
  if (key.value == StyleValue::planes && is_numbers(first, key.count)) {
    std::vector<std::string> planes;
    std::ranges::transform(values, std::back_inserter(planes), listed);
    return fmt::format("[{}]", fmt::join(planes, ", "));
  }
  return wall::toml_quoted(first);
}

std::string style_text(const std::vector<StyleWord>& style) {
  std::string text;
  for (const StyleKey& key : style_keys) {
    std::vector<std::string> values;
    for (const StyleWord& word : style)
      if (word.field == key.name) values.push_back(word.value);
    if (!values.empty()) text += fmt::format("{} = {}\n", key.name, style_value_text(key, values));
  }
  return text;
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
  return text + style_text(key.style);
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
    if (const auto logo = top.table("logo", logo_keys)) path.logo = logo_of(*logo);
    keys = top.tables("key", all_key_keys(), "name");
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

std::vector<std::string_view> style_word_fields() {
  std::vector<std::string_view> names(std::size(style_keys));
  std::ranges::transform(style_keys, names.begin(), &StyleKey::name);
  return names;
}

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

namespace {

/// The lines that a key needs to stay as it is without the one before it.
std::string taken_over_text(const Reading& reading, std::size_t removed) {
  const wall::TomlSection& next = reading.keys[removed + 1];
  const wall::TomlSection& from = reading.keys[removed];
  const render::VolumeCamera& camera = reading.path.keys[removed].flight.camera;
  const auto lacks = [&](std::string_view field) { return from.has(field) && !next.has(field); };
  std::string text;
  if (lacks("up")) text += fmt::format("up = {}\n", vector_text(camera.up));
  if (lacks("fov_deg")) text += fmt::format("fov_deg = {:.10g}\n", camera.fov_rad / degree);
  if (lacks("view_height")) text += fmt::format("view_height = {:.10g}\n", camera.view_height);
  if (lacks("lens"))
    text += camera.lens == render::Lens::orthographic ? "lens = \"orthographic\"\n"
                                                      : "lens = \"perspective\"\n";
  std::vector<StyleWord> taken =
      taken_words(reading.path.keys[removed].style, reading.path.keys[removed + 1].style);
  // A file's name is found from the path's folder, as it is written there.
  for (StyleWord& word : taken)
    if (word.field == "tf") word.value = *from.any_text("tf");
  return text + style_text(taken);
}

}  // namespace

void remove_key(const std::string& file, std::size_t index) {
  const Reading reading(file);
  const LineRange range = lines_of_key(reading, file, index);
  std::vector<std::string> lines = lines_of(file);
  if (index + 1 < reading.keys.size())
    if (std::string taken = taken_over_text(reading, index); !taken.empty())
      lines.insert(lines.begin() + lines_of_key(reading, file, index + 1).first + 1, taken);
  const bool is_parted =
      range.first > 0 && lines[static_cast<std::size_t>(range.first - 1)] == "\n";
  lines.erase(lines.begin() + range.first - (is_parted ? 1 : 0), lines.begin() + range.end);
  write_lines(file, lines, reading.keys.size() - 1);
}

void move_key(const std::string& file, std::size_t index, std::size_t to) {
  const Reading reading(file);
  const LineRange range = lines_of_key(reading, file, index);
  const LineRange place = lines_of_key(reading, file, to);
  std::vector<std::string> lines = lines_of(file);
  if (!lines.empty() && !lines.back().ends_with('\n')) lines.back() += '\n';
  const auto begin = lines.begin();
  if (to < index)
    std::rotate(begin + place.first, begin + range.first, begin + range.end);
  else if (to > index)
    std::rotate(begin + range.first, begin + range.end, begin + place.end);
  std::string text;
  for (const std::string& line : lines) text += line;
  const Reading moved(file, text);
  const auto fault = render::fault_of(flight_keys(moved.path), moved.path.options);
  if (fault && !render::fault_of(flight_keys(reading.path), reading.path.options))
    throw InputError({file},
                     fault->key ? moved.keys[*fault->key].field(fault->field) : fault->field,
                     fault->expected, fault->found);
  write_lines(file, lines, reading.keys.size());
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
  if (!key.empty() && named != path.keys.end())
    return static_cast<std::size_t>(named - path.keys.begin());
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
  if (error == std::errc() && end == key.data() + key.size() && number >= 1 &&
      number <= path.keys.size())
    return number - 1;
  throw InputError({file}, "",
                   fmt::format("the name of a key, or a number from 1 to {}", path.keys.size()),
                   '"' + key + '"');
}

std::size_t nearest_key(const PathFile& path, const std::string& file,
                        const render::VolumeCamera& camera) {
  if (path.keys.empty()) throw InputError({file}, "key", "a key frame", "none");
  const auto distance = [&](const PathKey& key) {
    return length(key.flight.camera.eye - camera.eye) +
           length(key.flight.camera.look_at - camera.look_at);
  };
  return static_cast<std::size_t>(std::ranges::min_element(path.keys, {}, distance) -
                                  path.keys.begin());
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
  if (path.logo) text += logo_text(*path.logo);
  for (const PathKey& key : path.keys) text += key_text(key);
  return text;
}

std::vector<render::FlightKey> flight_keys(const PathFile& path) {
  std::vector<render::FlightKey> keys(path.keys.size());
  std::ranges::transform(path.keys, keys.begin(), &PathKey::flight);
  return keys;
}

std::optional<double> timestep_at(const PathFile& path, const render::FlightPath& flight,
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
  return timestep;
}

double last_whole(double timestep) {
  constexpr double rounding = 1e-6;
  return std::floor(timestep + rounding);
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
