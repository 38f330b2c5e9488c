// Reads our own form of transfer functions, to be written by hand; README.md has an example.

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "render/transfer/colour_space.hpp"
#include "render/transfer/files/formats.hpp"
#include "render/transfer/files/transfer_file.hpp"
#include "render/transfer/named_transfers.hpp"
#include "render/transfer/transfer_curves.hpp"
#include "wallconfigs/toml/toml_reader.hpp"

namespace tilewall::render {
namespace {

constexpr std::string_view top_keys[] = {"name", "range", "unit", "colors", "points", "opacity"};
constexpr std::string_view point_keys[] = {"at", "color", "opacity"};
constexpr wall::RealRange part = {0, 1};

/// The unit of the file's values.
struct Axis {
  TransferScale scale = TransferScale::shares;
  wall::RealRange values = part;  ///< Range of the points' values
  double first = 0;
  double last = 1;
};

struct Lines {
  std::vector<TransferPoint> colours;
  std::vector<TransferPoint> opacities;
};

Axis axis_of(const wall::TomlSection& top) {
  const wall::RealRange any = {-max_transfer_value, max_transfer_value};
  const auto range = top.numbers("range", 2, any);
  if (!range) return {};
  if (!((*range)[0] < (*range)[1]))
    top.refuse("range", "the least value and a greater one",
               fmt::format("[{}, {}]", (*range)[0], (*range)[1]));
  return {TransferScale::values, any, (*range)[0], (*range)[1]};
}

Rgba colour_in(const wall::TomlSection& point) {
  if (point.is_array("color")) {
    const auto c = point.numbers("color", 3, part).value();
    return {static_cast<float>(c[0]), static_cast<float>(c[1]), static_cast<float>(c[2]), 1};
  }
  const std::string text = point.text("color").value();
  std::uint32_t rgb = 0;
  const char* const end = text.data() + text.size();
  if (text.size() != 7 || text[0] != '#' ||
      std::from_chars(text.data() + 1, end, rgb, 16).ptr != end)
    point.refuse("color", "\"#rrggbb\" or [red, green, blue] in [0, 1]");
  return colour_of(rgb);
}

/// Colours of a named map, or of a file beside this one.
std::vector<TransferPoint> colours_named(const wall::TomlSection& top, const TransferFile& file,
                                         const Axis& axis) {
  const std::string name = top.text("colors").value_or("default");
  std::optional<TransferSpec> spec = named_transfer(name);
  if (!spec) {
    const auto path = std::filesystem::path(file.path).parent_path() / name;
    if (lower_case(name).find(".toml") != std::string::npos)  // a TOML file could name itself
      top.refuse("colors", "a colour map's name or file, not another .toml");
    spec = read_transfer_file(path.string());
  }
  std::vector<TransferPoint> colours = as_shares(*std::move(spec)).points;
  for (TransferPoint& p : colours) p.value = std::lerp(axis.first, axis.last, p.value);
  return colours;
}

Lines lines_of_points(const wall::TomlSection& top, const Axis& axis) {
  Lines lines;
  const auto points = top.tables("points", point_keys);
  if (points.size() > max_transfer_points)
    top.refuse("points", fmt::format("at most {} points", max_transfer_points));
  for (const wall::TomlSection& point : points) {
    const auto at = point.number("at", axis.values);
    if (!at) point.refuse("at", "the value that the point stands at");
    if (point.has("color")) lines.colours.push_back({*at, colour_in(point)});
    if (const auto opacity = point.number("opacity", part))
      lines.opacities.push_back({*at, {0, 0, 0, static_cast<float>(*opacity)}});
  }
  return lines;
}

Lines lines_of(const wall::TomlSection& top, const TransferFile& file, const Axis& axis) {
  Lines lines = lines_of_points(top, axis);
  if (top.has("colors") && !lines.colours.empty())
    top.refuse("colors", "colors of points, or a map's, not both");
  if (const auto rows = top.number_rows("opacity", max_transfer_points, 2, axis.values)) {
    if (!lines.opacities.empty()) top.refuse("opacity", "opacities of points, or a list, not both");
    for (const auto& row : *rows) {
      const InputPlace place = {file.path, top.line_of("opacity")};
      lines.opacities.push_back({row[0], {0, 0, 0, checked_channel(place, "opacity", row[1])}});
    }
  }
  return lines;
}

}  // namespace

TransferSpec read_transfer_toml(const TransferFile& file) {
  const wall::TomlFile toml(file.path, max_transfer_file_bytes);
  const wall::TomlSection top = toml.root(top_keys);
  const Axis axis = axis_of(top);
  TransferSpec spec;
  spec.scale = axis.scale;
  spec.name = top.text("name", max_transfer_name_bytes).value_or("");
  spec.unit = top.number("unit", {0, max_transfer_value, true});
  Lines lines = lines_of(top, file, axis);
  if (lines.colours.empty() && lines.opacities.empty() && !top.has("colors"))
    throw InputError({file.path}, "points", "points, or colors = \"...\", or opacity = [...]",
                     "none of them");
  if (lines.colours.empty()) lines.colours = colours_named(top, file, axis);
  spec.has_default_opacity = lines.opacities.empty();
  if (lines.opacities.empty()) lines.opacities = default_opacity(axis.first, axis.last);
  const InputPlace place = {file.path, top.line_of("points")};
  check_rising(place, "points", lines.colours);
  check_rising(top.has("opacity") ? InputPlace{file.path, top.line_of("opacity")} : place,
               "opacity", lines.opacities);
  spec.points = joined(lines.colours, lines.opacities);
  return spec;
}

std::string transfer_toml_text(const TransferSpec& spec) {
  std::string text;
  // Names are printable, but may have quotes.
  if (!spec.name.empty() && spec.name.find_first_of("'\\\"") == std::string::npos)
    text += fmt::format("name = \"{}\"\n", spec.name);
  if (spec.scale == TransferScale::values)
    text += fmt::format("range = [{}, {}]\n", spec.points.front().value, spec.points.back().value);
  if (spec.unit) text += fmt::format("unit = {}\n", *spec.unit);
  text += "points = [\n";
  for (const TransferPoint& point : spec.points) {
    const Rgba& c = point.colour;
    text += fmt::format("  {{at = {}, color = [{}, {}, {}]", point.value, c.r, c.g, c.b);
    if (!spec.has_default_opacity) text += fmt::format(", opacity = {}", c.a);
    text += "},\n";
  }
  return text + "]\n";
}

}  // namespace tilewall::render
