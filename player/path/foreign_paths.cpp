#include "player/path/foreign_paths.hpp"

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/handle.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::path {
namespace {

using Json = nlohmann::json;

constexpr double usual_fov_deg = 30;
constexpr std::int64_t most_json_frames = 1'000'000;

// nerfstudio

/// A camera-to-world matrix by rows, and what stands beside it.
struct PosedCamera {
  std::array<double, 16> matrix = {};
  double fov_deg = usual_fov_deg;
  std::string name;
  std::optional<double> time_share;  ///< Time of the camera, as a share of the whole duration

  [[nodiscard]] Vec3d column(std::size_t i) const {
    return {matrix[i], matrix[4 + i], matrix[8 + i]};
  }
  [[nodiscard]] Vec3d eye() const { return column(3); }
  [[nodiscard]] Vec3d up() const { return column(1); }
  [[nodiscard]] Vec3d ahead() const { return -1.0 * column(2); }
};

double number_in(const Json& json, const std::string& file, const std::string& field) {
  if (!json.is_number() || !(std::abs(json.get<double>()) <= farthest_place))
    throw InputError({file}, field, "a number", shown_json(json));
  return json.get<double>();
}

/// Some fields are JSON in a text.
Json unpacked(const Json& json, const std::string& file, const std::string& field) {
  if (!json.is_string()) return json;
  try {
    return parse_json(json.get<std::string>());
  } catch (const InputError&) {
    throw InputError({file}, field, "JSON in a text", shown_json(json));
  }
}

/// A camera-to-world matrix by rows. The last row is 0 0 0 1: so it tells by itself whether it is
/// given by rows or, as of nerfstudio's first viewer, by columns.
std::array<double, 16> matrix_in(const Json& json, const std::string& file,
                                 const std::string& field) {
  const Json numbers = unpacked(json, file, field);
  if (!numbers.is_array() || numbers.size() != 16)
    throw InputError({file}, field, "16 numbers", shown_json(numbers));
  std::array<double, 16> given = {};
  for (std::size_t i = 0; i < 16; ++i) given[i] = number_in(numbers[i], file, field);
  const auto is_last_row = [&](std::size_t first, std::size_t step) {
    return given[first] == 0 && given[first + step] == 0 && given[first + 2 * step] == 0 &&
           given[first + 3 * step] == 1;
  };
  // Of a camera at the origin both hold; the first viewer wrote a text.
  const bool by_columns = is_last_row(3, 4) && (json.is_string() || !is_last_row(12, 1));
  if (!by_columns && !is_last_row(12, 1))
    throw InputError({file}, field, "a last row of 0 0 0 1", shown_json(numbers));
  std::array<double, 16> matrix = given;
  if (by_columns)
    for (std::size_t i = 0; i < 16; ++i) matrix[i] = given[i % 4 * 4 + i / 4];
  for (std::size_t i = 0; i < 3; ++i)
    if (const Vec3d axis{matrix[i], matrix[4 + i], matrix[8 + i]};
        std::abs(length(axis) - 1) > 0.01)
      throw InputError({file}, field, "columns of length 1 (a rotation)",
                       fmt::format("one of {:.3g}", length(axis)));
  return matrix;
}

PosedCamera keyframe_in(const Json& json, const std::string& file, const std::string& field) {
  if (!json.is_object() || !json.contains("matrix"))
    throw InputError({file}, field, "a keyframe with a matrix", shown_json(json));
  PosedCamera camera;
  camera.matrix = matrix_in(json["matrix"], file, field + ".matrix");
  if (json.contains("fov")) camera.fov_deg = number_in(json["fov"], file, field + ".fov");
  if (!json.contains("properties")) return camera;
  const Json properties = unpacked(json["properties"], file, field + ".properties");
  if (!properties.is_array()) return camera;
  for (const Json& property : properties) {
    if (!property.is_array() || property.size() != 2 || !property[0].is_string()) continue;
    if (property[0] == "NAME" && property[1].is_string())
      camera.name = property[1].get<std::string>();
    if (property[0] == "TIME")
      camera.time_share = number_in(property[1], file, field + ".properties.TIME");
  }
  return camera;
}

PosedCamera frame_in(const Json& json, const std::string& file, const std::string& field) {
  if (!json.is_object() || !json.contains("camera_to_world"))
    throw InputError({file}, field, "a frame with camera_to_world", shown_json(json));
  PosedCamera camera;
  camera.matrix = matrix_in(json["camera_to_world"], file, field + ".camera_to_world");
  if (json.contains("fov")) camera.fov_deg = number_in(json["fov"], file, field + ".fov");
  return camera;
}

/// The point that the lines of sight come nearest to: the least sum of squared distances.
Vec3d focus_of(const std::vector<PosedCamera>& cameras) {
  double a[3][4] = {};
  for (const PosedCamera& camera : cameras) {
    const std::array<double, 3> d = axes_of(normalized(camera.ahead()));
    const std::array<double, 3> eye = axes_of(camera.eye());
    for (std::size_t row = 0; row < 3; ++row)
      for (std::size_t column = 0; column < 3; ++column) {
        const double across = (row == column ? 1 : 0) - d[row] * d[column];
        a[row][column] += across;
        a[row][3] += across * eye[column];
      }
  }
  for (std::size_t i = 0; i < 3; ++i) a[i][i] += 1e-9;  // lines that are parallel
  for (std::size_t i = 0; i < 3; ++i)                   // Gauss; the matrix is positive definite
    for (std::size_t row = 0; row < 3; ++row) {
      if (row == i) continue;
      const double factor = a[row][i] / a[i][i];
      for (std::size_t column = i; column < 4; ++column) a[row][column] -= factor * a[i][column];
    }
  return {a[0][3] / a[0][0], a[1][3] / a[1][1], a[2][3] / a[2][2]};
}

/// A matrix does not say how far away what it looks at is. Distances are those to the point that
/// all of them look at; where one looks away from it, the mean distance between eyes.
std::vector<PathKey> keys_of(const std::vector<PosedCamera>& cameras, const std::string& file,
                             std::optional<double> duration_s) {
  const Vec3d focus = focus_of(cameras);
  double mean = 0;
  for (std::size_t i = 1; i < cameras.size(); ++i)
    mean +=
        length(cameras[i].eye() - cameras[i - 1].eye()) / static_cast<double>(cameras.size() - 1);
  if (!(mean > 0)) mean = 1;
  std::vector<PathKey> keys;
  for (const PosedCamera& camera : cameras) {
    if (!(camera.fov_deg > 0 && camera.fov_deg <= 179))
      throw InputError({file}, fmt::format("keyframes[{}].fov", keys.size()), "over 0, to 179",
                       fmt::format("{:g}", camera.fov_deg));
    const double along = dot(focus - camera.eye(), camera.ahead());
    const double distance = along > 0.01 * mean ? along : mean;
    PathKey key;
    key.name = camera.name;
    key.flight.camera.eye = camera.eye();
    key.flight.camera.look_at = camera.eye() + distance * camera.ahead();
    key.flight.camera.up = camera.up();
    key.flight.camera.fov_rad = camera.fov_deg * degree;
    if (camera.time_share && duration_s) key.flight.time_s = *camera.time_share * *duration_s;
    keys.push_back(std::move(key));
  }
  return keys;
}

PathFile read_nerfstudio(const std::string& file) {
  const Json json = [&] {
    try {
      return parse_json(read_text_file(file, largest_path_bytes));
    } catch (const InputError& error) {
      throw InputError({file}, "", "a camera path as JSON", error.what());
    }
  }();
  const auto list = [&](const char* name) {
    return json.is_object() && json.contains(name) && json[name].is_array() ? json[name]
                                                                            : Json::array();
  };
  std::vector<PosedCamera> cameras;
  for (const Json& frame : list("keyframes"))
    cameras.push_back(keyframe_in(frame, file, fmt::format("keyframes[{}]", cameras.size())));
  const bool has_keys = !cameras.empty();
  if (!has_keys) {
    const Json frames = list("camera_path");
    for (const Json& frame : frames) {
      cameras.push_back(frame_in(frame, file, fmt::format("camera_path[{}]", cameras.size())));
      cameras.back().time_share =
          static_cast<double>(cameras.size() - 1) / static_cast<double>(frames.size());
    }
  }
  if (cameras.empty())
    throw InputError({file}, "keyframes", "cameras, here or in camera_path", "none");
  PathFile path;
  if (json.contains("seconds"))
    path.options.duration_s = number_in(json["seconds"], file, "seconds");
  path.keys = keys_of(cameras, file, path.options.duration_s);
  if (!has_keys) path.options.ease_s = 0;
  return path;
}

Json matrix_json(const render::VolumeCamera& camera, bool by_columns) {
  const render::CameraFrame frame = render::frame_of(camera);
  const Vec3d columns[4] = {frame.right, frame.up, -1.0 * frame.ahead, camera.eye};
  Json numbers = Json::array();
  for (std::size_t i = 0; i < 16; ++i) {
    const std::size_t row = by_columns ? i % 4 : i / 4;
    const std::size_t column = by_columns ? i / 4 : i % 4;
    if (row == 3)
      numbers.push_back(column == 3 ? 1 : 0);
    else
      numbers.push_back(axes_of(columns[column])[row]);
  }
  return numbers;
}

/// When the camera comes to a key, and when it leaves it, if it stays: a key of its own in formats
/// that have no stays.
std::vector<double> moments_of(const render::FlightPath& flight, std::size_t key) {
  std::vector<double> moments = {flight.arrival_s(key)};
  if (flight.departure_s(key) > flight.arrival_s(key)) moments.push_back(flight.departure_s(key));
  return moments;
}

std::string nerfstudio_text(const PathFile& path, const render::FlightPath& flight, double fps) {
  const double duration_s = flight.duration_s();
  Json keyframes = Json::array();
  for (std::size_t i = 0; i < path.keys.size(); ++i) {
    const render::VolumeCamera& camera = path.keys[i].flight.camera;
    const double fov_deg = camera.fov_rad / degree;
    const std::string name =
        path.keys[i].name.empty() ? fmt::format("Camera {}", i) : path.keys[i].name;
    for (const double at_s : moments_of(flight, i)) {
      const Json properties =
          Json::array({Json::array({"FOV", fov_deg}), Json::array({"NAME", name}),
                       Json::array({"TIME", at_s / duration_s})});
      keyframes.push_back({{"matrix", matrix_json(camera, true).dump()},
                           {"fov", fov_deg},
                           {"aspect", 1},
                           {"properties", properties.dump()}});
    }
  }
  Json frames = Json::array();
  const auto count = static_cast<std::int64_t>(std::max(1.0, std::round(duration_s * fps)));
  if (count > most_json_frames)
    throw InputError({"--fps"}, "", fmt::format("at most {} frames", most_json_frames),
                     std::to_string(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const render::VolumeCamera camera = flight.camera_at(static_cast<double>(i) / fps);
    frames.push_back({{"camera_to_world", matrix_json(camera, false)},
                      {"fov", camera.fov_rad / degree},
                      {"aspect", 1}});
  }
  const Json json = {{"keyframes", std::move(keyframes)},
                     {"camera_type", "perspective"},
                     {"render_height", 1080},
                     {"render_width", 1920},
                     {"camera_path", std::move(frames)},
                     {"fps", fps},
                     {"seconds", duration_s},
                     {"is_cycle", false}};
  return json_text(json, 2) + "\n";
}

// CSV

constexpr std::array<std::string_view, 11> csv_columns = {
    "eye_x", "eye_y", "eye_z", "look_at_x", "look_at_y", "look_at_z",
    "up_x",  "up_y",  "up_z",  "fov_deg",   "time_s"};
constexpr std::size_t fewest_csv_columns = 6;

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (;;) {
    const std::size_t comma = line.find_first_of(",;\t");
    std::string_view cell = line.substr(0, comma);
    while (!cell.empty() && (cell.front() == ' ' || cell.front() == '"')) cell.remove_prefix(1);
    while (!cell.empty() && (cell.back() == ' ' || cell.back() == '"' || cell.back() == '\r'))
      cell.remove_suffix(1);
    cells.push_back(cell);
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() ||
      !(std::abs(number) <= farthest_place))
    return std::nullopt;
  return number;
}

/// For each cell of a line its place in csv_columns.
std::vector<std::size_t> columns_named(const std::vector<std::string_view>& names,
                                       const std::string& file) {
  std::vector<std::size_t> columns;
  for (const std::string_view name : names) {
    const auto found = std::ranges::find(csv_columns, name);
    if (found == csv_columns.end())
      throw InputError({file, 1}, "", fmt::format("columns among {}", fmt::join(csv_columns, ", ")),
                       std::string(name));
    columns.push_back(static_cast<std::size_t>(found - csv_columns.begin()));
  }
  for (std::size_t i = 0; i < fewest_csv_columns; ++i)
    if (std::ranges::count(columns, i) != 1)
      throw InputError({file, 1}, std::string(csv_columns[i]), "one column", "none or several");
  return columns;
}

PathKey csv_key(const std::array<std::optional<double>, csv_columns.size()>& row) {
  const auto place = [&](std::size_t first, Vec3d usual) {
    return Vec3d{row[first].value_or(usual.x), row[first + 1].value_or(usual.y),
                 row[first + 2].value_or(usual.z)};
  };
  PathKey key;
  key.flight.camera.eye = place(0, {});
  key.flight.camera.look_at = place(3, {});
  key.flight.camera.up = place(6, {0, 0, 1});
  key.flight.camera.fov_rad = row[9].value_or(usual_fov_deg) * degree;
  key.flight.time_s = row[10];
  return key;
}

PathFile read_csv(const std::string& file) {
  const std::string text = read_text_file(file, largest_path_bytes);
  PathFile path;
  std::vector<std::size_t> columns;
  int line_number = 0;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    ++line_number;
    if (line.find_first_not_of(" \t\r,;") == std::string_view::npos || line.front() == '#')
      continue;
    const std::vector<std::string_view> cells = cells_of(line);
    if (columns.empty()) {
      if (!number_of(cells.front())) {
        columns = columns_named(cells, file);
        continue;
      }
      for (std::size_t i = 0; i < cells.size(); ++i) columns.push_back(i);
    }
    if (cells.size() != columns.size() || cells.size() < fewest_csv_columns ||
        cells.size() > csv_columns.size())
      throw InputError({file, line_number}, "",
                       fmt::format("{} numbers", std::max(columns.size(), fewest_csv_columns)),
                       fmt::format("{}", cells.size()));
    std::array<std::optional<double>, csv_columns.size()> row;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      row[columns[i]] = number_of(cells[i]);
      if (!row[columns[i]])
        throw InputError({file, line_number}, std::string(csv_columns[columns[i]]), "a number",
                         std::string(cells[i].substr(0, 40)));
    }
    if (row[9] && !(*row[9] > 0 && *row[9] <= 179))
      throw InputError({file, line_number}, "fov_deg", "over 0, to 179",
                       fmt::format("{:g}", *row[9]));
    path.keys.push_back(csv_key(row));
  }
  return path;
}

std::string csv_text(const PathFile& path, const render::FlightPath& flight) {
  std::string text = fmt::format("{}\n", fmt::join(csv_columns, ","));
  for (std::size_t i = 0; i < path.keys.size(); ++i) {
    const render::VolumeCamera& c = path.keys[i].flight.camera;
    for (const double at_s : moments_of(flight, i))
      text +=
          fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", c.eye.x, c.eye.y, c.eye.z, c.look_at.x,
                      c.look_at.y, c.look_at.z, c.up.x, c.up.y, c.up.z, c.fov_rad / degree, at_s);
  }
  return text;
}

// ParaView

struct XmlTraits {
  using Raw = XML_Parser;
  static constexpr XML_Parser null() noexcept { return nullptr; }
  static void close(XML_Parser parser) noexcept { XML_ParserFree(parser); }
};

/// The numbers of the properties that are read: "CameraPosition" and so on.
using PvccNumbers = std::map<std::string, std::vector<double>, std::less<>>;

struct PvccReading {
  PvccNumbers properties;
  std::string open;  ///< name of the property whose elements come
};

void begin_element(void* user, const XML_Char* element, const XML_Char** attributes) {
  auto& reading = *static_cast<PvccReading*>(user);
  const auto value = [&](std::string_view name) -> std::string_view {
    for (const XML_Char** one = attributes; one[0] != nullptr; one += 2)
      if (name == one[0]) return one[1];
    return {};
  };
  const std::string_view name = element;
  if (name == "Property") reading.open = value("name");
  if (name != "Element" || !reading.open.starts_with("Camera")) return;
  std::vector<double>& numbers = reading.properties[reading.open];
  if (const auto number = number_of(value("value")); number && numbers.size() < 3)
    numbers.push_back(*number);
}

PvccNumbers read_pvcc_numbers(const std::string& file) {
  const std::string text = read_text_file(file, largest_path_bytes);
  const UniqueHandle<XmlTraits> parser(XML_ParserCreate(nullptr));
  if (parser.empty()) throw JobError("out of memory for an XML parser");
  PvccReading reading;
  XML_SetUserData(parser.get(), &reading);
  XML_SetStartElementHandler(parser.get(), &begin_element);
  if (XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), 1) != XML_STATUS_OK)
    throw InputError({file, static_cast<int>(XML_GetCurrentLineNumber(parser.get()))}, "", "XML",
                     XML_ErrorString(XML_GetErrorCode(parser.get())));
  return reading.properties;
}

PathKey pvcc_key(const std::string& file) {
  const PvccNumbers numbers = read_pvcc_numbers(file);
  const auto place = [&](const char* name) {
    const auto found = numbers.find(name);
    if (found == numbers.end() || found->second.size() != 3)
      throw InputError({file}, name, "three numbers", "fewer");
    return Vec3d{found->second[0], found->second[1], found->second[2]};
  };
  const auto number = [&](const char* name, double usual) {
    const auto found = numbers.find(name);
    return found == numbers.end() || found->second.empty() ? usual : found->second[0];
  };
  PathKey key;
  key.name = std::filesystem::path(file).stem().string();
  render::VolumeCamera& camera = key.flight.camera;
  camera.eye = place("CameraPosition");
  camera.look_at = place("CameraFocalPoint");
  camera.up = place("CameraViewUp");
  const double fov_deg = number("CameraViewAngle", usual_fov_deg);
  const double scale = number("CameraParallelScale", 1);
  if (!(fov_deg > 0 && fov_deg <= 179))
    throw InputError({file}, "CameraViewAngle", "over 0, to 179", fmt::format("{:g}", fov_deg));
  if (!(scale > 0))
    throw InputError({file}, "CameraParallelScale", "over 0", fmt::format("{:g}", scale));
  camera.fov_rad = fov_deg * degree;
  camera.view_height = 2 * scale;  // the scale is half of the height
  if (number("CameraParallelProjection", 0) != 0) camera.lens = render::Lens::orthographic;
  return key;
}

}  // namespace

PathFormat path_format_of(const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (ending == ".toml") return PathFormat::toml;
  if (ending == ".json") return PathFormat::nerfstudio;
  if (ending == ".csv") return PathFormat::csv;
  if (ending == ".pvcc") return PathFormat::pvcc;
  throw InputError({file}, "", "a path that ends in .toml, .json, .csv or .pvcc",
                   ending.empty() ? "no ending" : ending);
}

PathFile read_any_path(const std::vector<std::string>& files) {
  const PathFormat format = path_format_of(files.front());
  if (format == PathFormat::pvcc) {
    PathFile path;
    for (const std::string& file : files) {
      if (path_format_of(file) != PathFormat::pvcc)
        throw InputError({file}, "", "a .pvcc file as the others are", "another format");
      path.keys.push_back(pvcc_key(file));
    }
    return path;
  }
  if (files.size() > 1)
    throw InputError({files[1]}, "", "one path (several files are of .pvcc alone)", "another one");
  if (format == PathFormat::toml) return read_path_file(files.front());
  return format == PathFormat::csv ? read_csv(files.front()) : read_nerfstudio(files.front());
}

std::string text_in(PathFormat format, const PathFile& path, const render::FlightPath& flight,
                    double fps) {
  if (format == PathFormat::toml) return path_text(path);
  if (format == PathFormat::pvcc)
    throw InputError({"--output"}, "", "a path that ends in .toml, .json or .csv", ".pvcc");
  for (const PathKey& key : path.keys)
    if (key.flight.camera.lens != render::Lens::perspective)
      throw InputError({"--output"}, "",
                       "a path that ends in .toml, which can have orthographic cameras",
                       "another format");
  return format == PathFormat::csv ? csv_text(path, flight) : nerfstudio_text(path, flight, fps);
}

}  // namespace tilewall::path
