// ParaView's colour maps: an object, or an array of them, with RGBPoints (x, r, g, b, ...) or
// IndexedColors (r, g, b, ...), Points (x, opacity, midpoint, sharpness, ...) and ColorSpace.
//
// Points from 0 to 1 or from -1 to 1 are those of presets, which ParaView stretches over whatever
// range it has: shares. Others are values of the data that the map was made for.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

#include "render/transfer/colour_space.hpp"
#include "render/transfer/files/formats.hpp"
#include "render/transfer/transfer_curves.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::render {
namespace {

using Json = nlohmann::json;

constexpr int max_json_depth = 8;  // limit of arrays in objects; a colour map has depth 3
constexpr int max_pieces = 64;     // limit of straight lines in place of a curve between two points

std::string describe(const Json& json) {
  if (json.is_array()) return fmt::format("an array of {}", json.size());
  if (json.is_object()) return "an object";
  if (json.is_null()) return "nothing";
  return escaped_text(json.dump(-1, ' ', true, Json::error_handler_t::replace));
}

Json parsed(const TransferFile& file) {
  const auto shallow = [&](int depth, Json::parse_event_t /*event*/, Json& /*parsed*/) {
    if (depth > max_json_depth)
      throw InputError({file.path}, "", "JSON of a colour map", "nesting without end");
    return true;
  };
  try {
    return Json::parse(file.bytes, shallow);
  } catch (const Json::parse_error& error) {
    const auto end =
        file.bytes.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, file.bytes.size()));
    const auto line = 1 + std::count(file.bytes.begin(), end, '\n');
    throw InputError({file.path, static_cast<int>(line)}, "", "valid JSON", "something else");
  } catch (const Json::exception&) {
    throw InputError({file.path}, "", "JSON of a colour map", "a number out of range");
  }
}

/// One of a file's maps. Keeps references to both arguments.
class Map {
 public:
  Map(const TransferFile& file, const Json& json, std::string path)
      : file_(file), json_(json), path_(std::move(path)) {
    if (!json_.is_object()) refuse("", "an object", describe(json_));
  }

  [[nodiscard]] bool has(const char* key) const { return json_.contains(key); }

  [[nodiscard]] std::string text(const char* key) const {
    if (!has(key)) return "";
    if (!json_[key].is_string()) refuse(key, "a text", describe(json_[key]));
    return json_[key].get<std::string>();
  }

  /// A flag, which may also be 0 or 1.
  [[nodiscard]] bool flag(const char* key) const {
    return has(key) && (json_[key] == true || json_[key] == 1);
  }

  [[nodiscard]] std::optional<double> number(const char* key) const {
    if (!has(key)) return std::nullopt;
    if (!json_[key].is_number()) refuse(key, "a number", describe(json_[key]));
    return json_[key].get<double>();
  }

  /// A list of at least `least` groups of `group` numbers.
  [[nodiscard]] std::vector<double> numbers(const char* key, std::size_t group,
                                            std::size_t least) const {
    const Json& array = json_[key];
    const std::size_t count = array.is_array() ? array.size() : 0;
    if (count % group != 0 || count < least * group || count > max_transfer_points * group)
      refuse(key, fmt::format("{} to {} groups of {} numbers", least, max_transfer_points, group),
             describe(array));
    std::vector<double> numbers;
    numbers.reserve(count);
    for (const Json& item : array) {
      if (!item.is_number()) refuse(element(key, numbers.size()), "a number", describe(item));
      numbers.push_back(item.get<double>());
    }
    return numbers;
  }

  [[nodiscard]] static std::string element(const char* key, std::size_t index) {
    return fmt::format("{}[{}]", key, index);
  }
  [[nodiscard]] float channel(const char* key, std::span<const double> of, std::size_t at) const {
    return checked_channel(place(), field(element(key, at)), of[at]);
  }
  [[nodiscard]] InputPlace place() const { return {file_.path}; }
  [[nodiscard]] std::string field(const std::string& key) const {
    return path_.empty() || key.empty() ? path_ + key : path_ + "." + key;
  }
  [[noreturn]] void refuse(const std::string& key, std::string_view expected,
                           const std::string& found) const {
    throw InputError(place(), field(key), expected, found);
  }

 private:
  const TransferFile& file_;
  const Json& json_;
  std::string path_;
};

struct NamedSpace {
  std::string_view name;
  std::optional<ColourSpace> space;  ///< empty: steps
};

/// Colour spaces by name. The geodesics of "Lab/CIEDE2000" are so near to straight lines of Lab
/// that those are used.
constexpr NamedSpace spaces[] = {{"", ColourSpace::rgb},
                                 {"RGB", ColourSpace::rgb},
                                 {"HSV", ColourSpace::hsv},
                                 {"Lab", ColourSpace::lab},
                                 {"CIELAB", ColourSpace::lab},
                                 {"Lab/CIEDE2000", ColourSpace::lab},
                                 {"Diverging", ColourSpace::diverging},
                                 {"Step", std::nullopt}};

std::optional<ColourSpace> space_of(const Map& map) {
  const std::string name = map.text("ColorSpace");
  const auto* const found = std::find_if(std::begin(spaces), std::end(spaces),
                                         [&](const NamedSpace& s) { return s.name == name; });
  if (found == std::end(spaces))
    map.refuse("ColorSpace", "RGB, HSV, Lab, CIELAB, Lab/CIEDE2000, Diverging or Step",
               fmt::format("\"{}\"", escaped_text(name)));
  if (found->space == ColourSpace::hsv && map.flag("HSVWrap")) return ColourSpace::hsv_wrapped;
  return found->space;
}

/// Colours as bands of equal width.
std::vector<TransferPoint> indexed_colours(const Map& map) {
  constexpr const char* key = "IndexedColors";
  const std::vector<double> numbers = map.numbers(key, 3, 1);
  std::vector<TransferPoint> colours;
  const std::size_t count = numbers.size() / 3;
  for (std::size_t i = 0; i < count; ++i) {
    const Rgba colour = {map.channel(key, numbers, 3 * i), map.channel(key, numbers, 3 * i + 1),
                         map.channel(key, numbers, 3 * i + 2), 1};
    colours.push_back({static_cast<double>(i) / static_cast<double>(count), colour});
    colours.push_back({static_cast<double>(i + 1) / static_cast<double>(count), colour});
  }
  return colours;
}

std::vector<TransferPoint> corners(const Map& map) {
  constexpr const char* key = "RGBPoints";
  const std::vector<double> numbers = map.numbers(key, 4, 2);
  std::vector<TransferPoint> points;
  for (std::size_t i = 0; i < numbers.size(); i += 4)
    points.push_back({numbers[i],
                      {map.channel(key, numbers, i + 1), map.channel(key, numbers, i + 2),
                       map.channel(key, numbers, i + 3), 1}});
  check_rising(map.place(), map.field(key), points);
  return points;
}

/// How many pieces each of `count` curves may have, a power of two, for all to fit.
int pieces_each(std::size_t count) {
  int pieces = max_pieces;
  while (pieces > 1 && static_cast<std::size_t>(pieces) * count > max_transfer_points / 2)
    pieces /= 2;
  return pieces;
}

/// The lines between the map's points in its colour space, as lines in RGB.
std::vector<TransferPoint> colours_between(std::span<const TransferPoint> points,
                                           std::optional<ColourSpace> space) {
  std::vector<TransferPoint> colours = {points.front()};
  const int most = pieces_each(points.size());
  for (std::size_t i = 1; i < points.size(); ++i) {
    const TransferPoint& from = points[i - 1];
    const TransferPoint& to = points[i];
    if (!space) {  // VTK: an interval has the colour of its end
      append_step(colours, from.value, from.colour, to.colour);
      colours.push_back(to);
    } else if (*space == ColourSpace::rgb || from.value == to.value) {
      colours.push_back(to);
    } else {
      append_curve(
          colours, to.value,
          [&](double part) { return mixed(*space, from.colour, to.colour, part); }, most);
    }
  }
  return colours;
}

/// A point of opacity, and the shape of the curve to the next one.
struct OpacityPoint {
  double value = 0;
  double opacity = 0;
  double midpoint = 0.5;  ///< Share of the way at which half the difference is reached
  double sharpness = 0;   ///< 0: a straight line; 1: a step
};

/// The curve of vtkPiecewiseFunction: a Hermite curve through both points, with its parameter bent
/// by the midpoint.
double eased(double part, const OpacityPoint& from) noexcept {
  const double middle = std::clamp(from.midpoint, 1e-5, 1 - 1e-5);
  double s = part < middle ? 0.5 * part / middle : 0.5 + 0.5 * (part - middle) / (1 - middle);
  if (from.sharpness < 0.01) return s;
  const double bend = 1 + 10 * from.sharpness;
  s = s < 0.5 ? 0.5 * std::pow(2 * s, bend) : 1 - 0.5 * std::pow(2 * (1 - s), bend);
  const double slope = 1 - from.sharpness;
  const double curve = s * s * (3 - 2 * s) + slope * (2 * s * s * s - 3 * s * s + s);
  return std::clamp(curve, 0.0, 1.0);
}

void append_opacity(std::vector<TransferPoint>& line, const OpacityPoint& from,
                    const OpacityPoint& to, int most) {
  const auto opacity = [](double value) { return Rgba{0, 0, 0, static_cast<float>(value)}; };
  const double middle = std::lerp(from.value, to.value, std::clamp(from.midpoint, 0.0, 1.0));
  if (from.value == to.value || from.opacity == to.opacity) {
    line.push_back({to.value, opacity(to.opacity)});
  } else if (from.sharpness > 0.99) {
    append_step(line, middle, opacity(from.opacity), opacity(to.opacity));
    line.push_back({to.value, opacity(to.opacity)});
  } else if (from.sharpness < 0.01) {
    if (from.midpoint != 0.5) line.push_back({middle, opacity((from.opacity + to.opacity) / 2)});
    line.push_back({to.value, opacity(to.opacity)});
  } else {
    append_curve(
        line, to.value,
        [&](double part) {
          return opacity(std::lerp(from.opacity, to.opacity, eased(part, from)));
        },
        most);
  }
}

/// Replaces values by their logarithms, on whose scale ParaView's curves run. Throws InputError for
/// values that have none.
void to_logarithms(const Map& map, const char* key, std::span<TransferPoint> points) {
  for (TransferPoint& point : points) {
    if (!(point.value > 0))
      map.refuse(key, "values above 0, because of UseLogScale", fmt::format("{}", point.value));
    point.value = std::log10(point.value);
  }
}

void from_logarithms(std::span<TransferPoint> points) {
  for (TransferPoint& point : points) point.value = std::pow(10, point.value);
}

std::vector<TransferPoint> opacities(const Map& map, bool by_log) {
  constexpr const char* key = "Points";
  const std::vector<double> numbers = map.numbers(key, 4, 2);
  std::vector<OpacityPoint> points;
  for (std::size_t i = 0; i < numbers.size(); i += 4) {
    const auto part = [&](std::size_t j) {
      return static_cast<double>(map.channel(key, numbers, i + j));
    };
    points.push_back({numbers[i], part(1), part(2), part(3)});
  }
  std::vector<TransferPoint> line;
  line.reserve(points.size());
  for (const OpacityPoint& p : points) line.push_back({p.value, {}});
  check_rising(map.place(), map.field(key), line);
  if (by_log) {
    to_logarithms(map, key, line);
    for (std::size_t i = 0; i < points.size(); ++i) points[i].value = line[i].value;
  }
  line = {{points[0].value, {0, 0, 0, static_cast<float>(points[0].opacity)}}};
  const int most = pieces_each(points.size());
  for (std::size_t i = 1; i < points.size(); ++i)
    append_opacity(line, points[i - 1], points[i], most);
  return line;
}

bool is_preset(std::span<const TransferPoint> points) {
  const double first = points.front().value;
  return (first == 0 || first == -1) && points.back().value == 1;
}

TransferSpec spec_of(const Map& map) {
  TransferSpec spec;
  spec.name = transfer_name(map.text("Name"));
  spec.by_log = map.flag("UseLogScale");
  std::vector<TransferPoint> colours;
  if (map.has("RGBPoints") && !map.flag("IndexedLookup")) {
    auto points = corners(map);
    spec.scale = is_preset(points) ? TransferScale::shares : TransferScale::values;
    if (spec.by_log && spec.scale == TransferScale::values) to_logarithms(map, "RGBPoints", points);
    colours = colours_between(points, space_of(map));
  } else if (map.has("IndexedColors")) {
    colours = indexed_colours(map);
  } else {
    map.refuse("RGBPoints", "RGBPoints or IndexedColors", "neither");
  }
  const bool in_logarithms = spec.by_log && spec.scale == TransferScale::values;
  spec.has_default_opacity = !map.has("Points");
  auto opacity = map.has("Points") ? opacities(map, in_logarithms)
                                   : default_opacity(colours.front().value, colours.back().value);
  if (spec.scale == TransferScale::shares) {
    stretch_to_shares(colours);
    stretch_to_shares(opacity);
  }
  spec.points = joined(colours, opacity);
  if (in_logarithms) from_logarithms(spec.points);
  spec.unit = map.number("ScalarOpacityUnitDistance");
  return spec;
}

}  // namespace

TransferSpec read_paraview_json(const TransferFile& file) {
  const Json json = parsed(file);
  if (json.is_object()) {
    const Map map(file, json, "");
    const std::string names[] = {map.text("Name")};
    static_cast<void>(chosen(file, names));
    return spec_of(map);
  }
  if (!json.is_array() || json.empty())
    throw InputError({file.path}, "", "a colour map, or an array of them", describe(json));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < json.size(); ++i)
    names.push_back(Map(file, json[i], fmt::format("[{}]", i)).text("Name"));
  const std::size_t index = chosen(file, names);
  return spec_of(Map(file, json[index], fmt::format("[{}]", index)));
}

}  // namespace tilewall::render
