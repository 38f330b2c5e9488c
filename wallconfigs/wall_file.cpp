#include "wallconfigs/wall_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/terminal_text.hpp"
#include "wallconfigs/address.hpp"
#include "wallconfigs/toml/toml_reader.hpp"

namespace tilewall::wall {
namespace {

constexpr std::size_t max_file_bytes = 1U << 20;
constexpr int max_panels = 1024;
constexpr std::size_t max_name_bytes = 64;

constexpr IntegerRange panel_px = {1, 16384};
constexpr IntegerRange grid_count = {1, max_panels};
constexpr IntegerRange window_px = {-32768, 32767};  // the range of X11
constexpr RealRange length_mm = {0, 100000, true};
constexpr RealRange position_mm = {-100000, 100000};
constexpr RealRange frame_mm = {0, 100000};
constexpr RealRange inches = {0, 4000, true};
constexpr RealRange angle_deg = {-360, 360};
constexpr RealRange gain_range = {0, 4};
constexpr RealRange gamma_range = {0.1, 10};

constexpr std::string_view top_keys[] = {
    "name", "columns", "rows", "clock_address", "control_address", "panels", "panel",
    "hole", "overlap", "arc",  "host",          "eye_mm"};
constexpr std::string_view default_keys[] = {
    "size_px", "size_mm", "diagonal_inches", "bezel_mm", "rotation_deg", "color", "display"};
constexpr std::string_view panel_keys[] = {
    "size_px",   "size_mm", "diagonal_inches", "bezel_mm", "rotation_deg", "color",
    "display",   "name",    "column",          "row",      "host",         "position_mm",
    "window_px", "pose",    "critical"};
constexpr std::string_view side_keys[] = {"left", "right", "top", "bottom"};
constexpr std::string_view color_keys[] = {"gain", "gamma"};
constexpr std::string_view pose_keys[] = {"centre_mm", "yaw_deg", "pitch_deg", "roll_deg"};
constexpr std::string_view hole_keys[] = {"name", "column", "row"};
constexpr std::string_view host_keys[] = {"name",   "address", "columns", "rows",
                                          "panels", "display", "critical"};
constexpr std::string_view overlap_keys[] = {"horizontal_mm", "vertical_mm", "horizontal_px",
                                             "vertical_px",   "blend",       "gamma"};
constexpr std::string_view arc_keys[] = {"radius_mm",          "start_angle_deg", "increment_deg",
                                         "columns_per_screen", "content",         "eye_mm"};

// Words that wall files, even wrong ones, have at the begin of a line, and other files do not.
constexpr std::string_view telling_keys[] = {"columns", "rows",    "panels", "panel",
                                             "hole",    "overlap", "arc",    "host"};

/// Whether a line is such as "[[panel]]", "panels.size_px = ..." or "columns = 5".
bool begins_as_wall_file_does(std::string_view line) {
  constexpr std::string_view around = " \t\"'";
  line.remove_prefix(std::min(line.find_first_not_of(" \t[\"'"), line.size()));
  const auto is_next = [&](std::string_view key) {
    if (!line.starts_with(key)) return false;
    const auto after = line.find_first_not_of(around, key.size());
    return after != std::string_view::npos &&
           std::string_view("=.]").find(line[after]) != std::string_view::npos;
  };
  return std::any_of(std::begin(telling_keys), std::end(telling_keys), is_next);
}

bool is_blank_or_comment(std::string_view line) {
  const auto first = line.find_first_not_of(" \t\r");
  return first == std::string_view::npos || line[first] == '#';
}

/// The text of a wall file, read once as it may be a pipe. Refuses files that are no wall files. A
/// typing error in a wall file gets its line instead.
std::string wall_file_text(const std::filesystem::path& file) {
  constexpr std::string_view expected = "a wall file (TOML with columns and rows)";
  std::error_code error;
  if (std::filesystem::is_directory(file, error))
    throw InputError({file.string()}, "", expected, "a folder");
  if (std::filesystem::file_size(file, error) > max_file_bytes && !error)
    throw InputError({file.string()}, "",
                     fmt::format("{} of at most {} bytes", expected, max_file_bytes), "more");
  std::string text = read_text_file(file, max_file_bytes);
  bool is_blank = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    if (begins_as_wall_file_does(line)) return text;
    is_blank &= is_blank_or_comment(line);
    begin = end + 1;
  }
  if (is_blank) return text;
  const bool is_binary = text.find('\0') != std::string::npos;
  throw InputError({file.string()}, "", expected,
                   is_binary ? "binary data" : "a file of another kind");
}

std::optional<int> small_integer(const TomlSection& table, std::string_view key,
                                 IntegerRange range) {
  const auto value = table.integer(key, range);
  return value ? std::optional(static_cast<int>(*value)) : std::nullopt;
}

int required(const TomlSection& table, std::string_view key, IntegerRange range) {
  if (const auto value = small_integer(table, key, range)) return *value;
  table.refuse(key, fmt::format("an integer in [{}, {}]", range.min, range.max));
}

std::string required_name(const TomlSection& table) {
  if (const auto name = table.text("name", max_name_bytes)) return *name;
  table.refuse("name", "a name");
}

SidesMm read_bezel(const TomlSection& table) {
  if (!table.is_table("bezel_mm")) {
    const double all = table.number("bezel_mm", frame_mm).value();
    return {all, all, all, all};
  }
  const TomlSection sides = table.table("bezel_mm", side_keys).value();
  const auto side = [&](std::string_view key) { return sides.number(key, frame_mm).value_or(0); };
  return {side("left"), side("right"), side("top"), side("bottom")};
}

Rotation read_rotation(const TomlSection& table) {
  const std::int64_t degrees = table.integer("rotation_deg", {-360, 360}).value();
  if (degrees % 90 != 0 || degrees < 0 || degrees > 270)
    table.refuse("rotation_deg", "0, 90, 180 or 270");
  return static_cast<Rotation>(degrees / 90);
}

/// Reads one number for all channels, or an array of three.
std::array<double, 3> read_channels(const TomlSection& table, std::string_view key,
                                    RealRange range) {
  if (!table.has(key)) return {1, 1, 1};
  if (table.is_array(key)) {
    const std::vector<double> values = table.numbers(key, 3, range).value();
    return {values[0], values[1], values[2]};
  }
  const double all = table.number(key, range).value();
  return {all, all, all};
}

PoseSpec read_pose(const TomlSection& table) {
  PoseSpec pose;
  if (const auto centre = table.numbers("centre_mm", 3, position_mm))
    pose.centre_mm = {(*centre)[0], (*centre)[1], (*centre)[2]};
  pose.yaw_deg = table.number("yaw_deg", angle_deg);
  pose.pitch_deg = table.number("pitch_deg", angle_deg);
  pose.roll_deg = table.number("roll_deg", angle_deg);
  return pose;
}

std::optional<std::string> read_display(const TomlSection& table) {
  auto display = table.text("display");
  if (display && !is_x_display(*display)) table.refuse("display", "an X display such as \":0.1\"");
  return display;
}

/// Reads the keys that [panels] and [[panel]] have in common.
PanelSpec read_panel(const TomlSection& table, std::string field) {
  PanelSpec spec;
  spec.field = std::move(field);
  spec.line = table.line();
  if (const auto size = table.integers("size_px", 2, panel_px))
    spec.size_px = {static_cast<int>((*size)[0]), static_cast<int>((*size)[1])};
  if (const auto size = table.numbers("size_mm", 2, length_mm))
    spec.size_mm = {(*size)[0], (*size)[1]};
  spec.diagonal_inches = table.number("diagonal_inches", inches);
  if (spec.diagonal_inches && spec.size_mm)
    table.refuse("diagonal_inches", "size_mm or diagonal_inches", "both");
  if (table.has("bezel_mm")) spec.bezel_mm = read_bezel(table);
  if (table.has("rotation_deg")) spec.rotation = read_rotation(table);
  if (const auto color = table.table("color", color_keys))
    spec.color = {read_channels(*color, "gain", gain_range),
                  read_channels(*color, "gamma", gamma_range)};
  spec.display = read_display(table);
  return spec;
}

/// Reads "c2r1" as a place of the grid; false where the text is none.
bool read_place_name(std::string_view name, const WallFile& wall, PanelSpec& spec) {
  for (int row = 0; row < wall.rows; ++row)
    for (int column = 0; column < wall.columns; ++column)
      if (name == fmt::format("c{}r{}", column, row)) {
        spec.column = column;
        spec.row = row;
        return true;
      }
  return false;
}

void read_place(const TomlSection& table, const WallFile& wall, PanelSpec& spec) {
  spec.column = small_integer(table, "column", {0, wall.columns - 1});
  spec.row = small_integer(table, "row", {0, wall.rows - 1});
  spec.name = table.text("name", max_name_bytes);
  if (!spec.column && !spec.row) {
    if (!spec.name) table.refuse("column", "column, row, or both");
    if (!read_place_name(*spec.name, wall, spec))
      table.refuse("name", "column and row beside it, or the name of a place such as \"c0r0\"");
  }
  if (spec.column && spec.row) return;
  for (const std::string_view key : {"name", "position_mm", "window_px", "pose"})
    if (table.has(key))
      table.refuse(key, "column and row, as this belongs to one panel",
                   spec.column ? "column alone" : "row alone");
}

PanelSpec read_one_panel(const TomlSection& table, const WallFile& wall, std::size_t index) {
  PanelSpec spec = read_panel(table, fmt::format("panel[{}]", index));
  read_place(table, wall, spec);
  spec.host = table.text("host");
  if (spec.host && !is_host_name(*spec.host)) table.refuse("host", "a host name or address");
  spec.critical = table.boolean("critical");
  if (const auto position = table.numbers("position_mm", 2, position_mm))
    spec.position_mm = {(*position)[0], (*position)[1]};
  if (const auto window = table.integers("window_px", 2, window_px))
    spec.window_px = {static_cast<int>((*window)[0]), static_cast<int>((*window)[1])};
  if (const auto pose = table.table("pose", pose_keys)) spec.pose = read_pose(*pose);
  return spec;
}

HoleSpec read_hole(const TomlSection& table, const WallFile& wall) {
  return {required_name(table), required(table, "column", {0, wall.columns - 1}),
          required(table, "row", {0, wall.rows - 1}), table.line()};
}

std::vector<int> grid_numbers(const TomlSection& table, std::string_view key, int count) {
  std::vector<int> numbers;
  const auto values = table.integers(key, 0, {0, count - 1});
  if (values)
    for (const std::int64_t value : *values) numbers.push_back(static_cast<int>(value));
  return numbers;
}

HostSpec read_host(const TomlSection& table, const WallFile& wall, std::size_t index) {
  HostSpec host;
  host.field = fmt::format("host[{}]", index);
  host.line = table.line();
  host.name = required_name(table);
  if (!is_host_name(host.name)) table.refuse("name", "a host name or address");
  host.address = table.text("address").value_or(host.name);
  if (!is_host_name(host.address)) table.refuse("address", "a host name or address");
  host.columns = grid_numbers(table, "columns", wall.columns);
  host.rows = grid_numbers(table, "rows", wall.rows);
  host.panels = table.texts("panels", max_panels).value_or(std::vector<std::string>{});
  host.display = read_display(table).value_or("");
  host.critical = table.boolean("critical").value_or(false);
  return host;
}

OverlapSpec read_overlap(const TomlSection& table) {
  OverlapSpec overlap;
  overlap.line = table.line();
  overlap.mm = {table.number("horizontal_mm", frame_mm).value_or(0),
                table.number("vertical_mm", frame_mm).value_or(0)};
  overlap.horizontal_px = small_integer(table, "horizontal_px", {0, panel_px.max});
  overlap.vertical_px = small_integer(table, "vertical_px", {0, panel_px.max});
  if (table.has("horizontal_mm") && table.has("horizontal_px"))
    table.refuse("horizontal_px", "horizontal_mm or horizontal_px", "both");
  if (table.has("vertical_mm") && table.has("vertical_px"))
    table.refuse("vertical_px", "vertical_mm or vertical_px", "both");
  overlap.blend.on = table.boolean("blend").value_or(true);
  overlap.blend.gamma = table.number("gamma", gamma_range).value_or(overlap.blend.gamma);
  return overlap;
}

void read_content(const TomlSection& table, ArcSpec& arc) {
  if (const auto text = table.text("content")) {
    const auto mode = parse_content_mode(*text);
    if (!mode) table.refuse("content", "\"arc_length\", \"eye\" or \"flat\"");
    arc.content = *mode;
  }
  arc.content_line = table.line_of("content");
}

void read_eye(const TomlSection& table, std::string_view field, WallFile& wall) {
  const auto eye = table.numbers("eye_mm", 3, position_mm);
  if (!eye) return;
  if (wall.eye_mm) table.refuse("eye_mm", "one eye point", "another one");
  wall.eye_mm = {(*eye)[0], (*eye)[1], (*eye)[2]};
  wall.eye_field = field;
  wall.eye_line = table.line_of("eye_mm");
}

ArcSpec read_arc(const TomlSection& table, const WallFile& wall) {
  constexpr RealRange increment = {0, 90, true};
  ArcSpec arc;
  arc.line = table.line();
  arc.radius_mm = table.number("radius_mm", length_mm);
  arc.start_angle_deg = table.number("start_angle_deg", {-180, 180});
  const auto step = table.number("increment_deg", increment);
  if (!step) table.refuse("increment_deg", "a number in (0, 90]");
  arc.increment_deg = *step;
  arc.columns_per_screen =
      small_integer(table, "columns_per_screen", {1, wall.columns}).value_or(1);
  const int steps = (wall.columns - 1) / arc.columns_per_screen;
  if (steps * arc.increment_deg >= 360)
    table.refuse("increment_deg", fmt::format("{} steps of less than 360 degrees in all", steps));
  read_content(table, arc);
  return arc;
}

void read_addresses(const TomlSection& root, WallFile& wall) {
  constexpr std::string_view form = "HOST:PORT with a port in [1, 65535]";
  wall.clock_addresses = root.texts("clock_address", 2).value_or(std::vector<std::string>{});
  for (const std::string& address : wall.clock_addresses)
    if (!is_host_port(address))
      root.refuse("clock_address", form, fmt::format("\"{}\"", escaped_text(address)));
  wall.control_address = root.text("control_address").value_or("");
  if (root.has("control_address") && !is_host_port(wall.control_address))
    root.refuse("control_address", form);
}

}  // namespace

WallFile read_wall_file(const std::filesystem::path& file) {
  const TomlFile toml(file.string(), wall_file_text(file), max_file_bytes);
  const TomlSection root = toml.root(top_keys);
  WallFile wall;
  wall.file = file.string();
  wall.name = root.text("name").value_or(file.stem().string());
  wall.columns = required(root, "columns", grid_count);
  wall.rows = required(root, "rows", grid_count);
  if (wall.columns * wall.rows > max_panels)
    root.refuse("rows", fmt::format("columns x rows of at most {}", max_panels),
                fmt::format("{} x {}", wall.columns, wall.rows));
  read_addresses(root, wall);
  if (const auto defaults = root.table("panels", default_keys))
    wall.defaults = read_panel(*defaults, "panels");
  for (const TomlSection& table : root.tables("panel", panel_keys))
    wall.panels.push_back(read_one_panel(table, wall, wall.panels.size()));
  for (const TomlSection& table : root.tables("hole", hole_keys))
    wall.holes.push_back(read_hole(table, wall));
  for (const TomlSection& table : root.tables("host", host_keys))
    wall.hosts.push_back(read_host(table, wall, wall.hosts.size()));
  if (const auto overlap = root.table("overlap", overlap_keys))
    wall.overlap = read_overlap(*overlap);
  read_eye(root, "eye_mm", wall);
  if (const auto arc = root.table("arc", arc_keys)) {
    wall.arc = read_arc(*arc, wall);
    read_eye(*arc, "arc.eye_mm", wall);
  }
  return wall;
}

}  // namespace tilewall::wall
