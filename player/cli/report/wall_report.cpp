#include <fmt/format.h>

#include <algorithm>

#include "player/cli/report/reports.hpp"
#include "wallconfigs/advice.hpp"
#include "wallconfigs/picture_plane.hpp"

namespace tilewall::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;

const char* mode_name(wall::BezelMode mode) {
  return mode == wall::BezelMode::hide ? "hide" : "show";
}

wall::BezelMode other(wall::BezelMode mode) {
  return mode == wall::BezelMode::hide ? wall::BezelMode::show : wall::BezelMode::hide;
}

std::string size_text(SizePx size) { return fmt::format("{}x{}", size.width, size.height); }

OrderedJson pair(SizePx size) { return {size.width, size.height}; }

OrderedJson rect_json(const RectF& rect) {
  return {{"x", rect.x}, {"y", rect.y}, {"width", rect.width}, {"height", rect.height}};
}

OrderedJson canvas_json(const wall::Canvas& canvas) {
  return {{"width_px", canvas.size_px().width}, {"height_px", canvas.size_px().height}};
}

OrderedJson pose_json(const wall::Pose& pose) {
  return {{"centre_mm", pose.centre_mm},
          {"yaw_deg", pose.yaw_deg},
          {"pitch_deg", pose.pitch_deg},
          {"roll_deg", pose.roll_deg}};
}

OrderedJson panel_json(const wall::Wall& wall, std::size_t index, const wall::Canvas& hide,
                       const wall::Canvas& show) {
  const wall::Panel& panel = wall.panels[index];
  const wall::SidesMm& bezel = panel.bezel_mm;
  OrderedJson json = {{"name", panel.name},
                      {"column", panel.column},
                      {"row", panel.row},
                      {"host", panel.host},
                      {"display", panel.display},
                      {"size_px", pair(panel.size_px)},
                      {"rotation_deg", 90 * static_cast<int>(panel.rotation)},
                      {"viewed_size_px", pair(panel.viewed_size_px())},
                      {"canvas_hide_px", rect_json(hide.panel_rect_px(index))},
                      {"canvas_show_px", rect_json(show.panel_rect_px(index))},
                      {"position_mm", {panel.position_mm.x, panel.position_mm.y}},
                      {"size_mm", {panel.size_mm.width, panel.size_mm.height}},
                      {"bezel_mm",
                       {{"left", bezel.left},
                        {"right", bezel.right},
                        {"top", bezel.top},
                        {"bottom", bezel.bottom}}},
                      {"pose", pose_json(panel.pose)},
                      {"color", {{"gain", panel.color.gain}, {"gamma", panel.color.gamma}}},
                      {"window_px", nullptr}};
  if (panel.window_px) json["window_px"] = {panel.window_px->x, panel.window_px->y};
  return json;
}

OrderedJson hosts_json(const wall::Wall& wall) {
  OrderedJson hosts = OrderedJson::array();
  for (const wall::Host& host : wall.hosts) {
    OrderedJson names = OrderedJson::array();
    for (const wall::Panel& panel : wall.panels)
      if (panel.host == host.name) names.push_back(panel.name);
    hosts.push_back({{"name", host.name}, {"address", host.address}, {"panels", names}});
  }
  return hosts;
}

OrderedJson arc_json(const wall::Wall& wall) {
  if (!wall.arc) return nullptr;
  return {{"radius_mm", wall.arc->radius_mm},
          {"start_angle_deg", wall.arc->start_angle_deg},
          {"increment_deg", wall.arc->increment_deg},
          {"columns_per_screen", wall.arc->columns_per_screen}};
}

OrderedJson stretch_json(const wall::Stretch& stretch) {
  return {{"least", stretch.least}, {"middle", stretch.middle}, {"most", stretch.most}};
}

/// Each screen's stretch in every content mode; null if the wall cannot have that mode.
OrderedJson screens_json(const wall::Wall& wall) {
  OrderedJson screens = OrderedJson::array();
  for (const wall::WallScreen& screen : wall::screens_of(wall)) {
    OrderedJson names = OrderedJson::array();
    for (const std::size_t index : screen.panels) names.push_back(wall.panels[index].name);
    screens.push_back({{"panels", names}, {"stretch", OrderedJson::object()}});
  }
  for (const wall::ContentMode mode : wall::content_modes) {
    const std::vector<wall::Stretch> stretches = wall::stretch_of(wall, mode);
    for (std::size_t i = 0; i < screens.size(); ++i)
      screens[i]["stretch"][std::string(wall::to_string(mode))] =
          stretches.empty() ? OrderedJson() : stretch_json(stretches[i]);
  }
  return screens;
}

OrderedJson contents_json(const wall::Wall& wall, wall::BezelMode bezels) {
  OrderedJson contents = OrderedJson::object();
  for (const wall::ContentMode mode : wall::content_modes)
    contents[std::string(wall::to_string(mode))] =
        wall::content_obstacle(wall, mode) ? OrderedJson()
                                           : canvas_json(wall::Canvas(wall, bezels, mode));
  return contents;
}

OrderedJson holes_json(const wall::Wall& wall) {
  OrderedJson holes = OrderedJson::array();
  for (const wall::Hole& hole : wall.holes)
    holes.push_back({{"name", hole.name},
                     {"column", hole.column},
                     {"row", hole.row},
                     {"cell_mm", rect_json(hole.cell_mm)}});
  return holes;
}

OrderedJson clock_addresses_json(const wall::Wall& wall) {
  OrderedJson addresses = OrderedJson::array();
  for (const std::string& address : {wall.clock_address, wall.standby_clock_address})
    if (!address.empty()) addresses.push_back(address);
  return addresses;
}

std::string table_line(const wall::Wall& wall, const wall::Canvas& canvas, std::size_t index,
                       std::size_t name_width) {
  const wall::Panel& panel = wall.panels[index];
  const RectF& rect = canvas.panel_rect_px(index);
  std::string line = fmt::format(
      "{:<{}}  {:>10}  {:>4}  {:>8.1f} {:>8.1f}  {:>7.1f} x {:<7.1f}  {:>8.6g} {:>8.6g}  {:>7.6g} "
      "x {:<7.6g}",
      panel.name, name_width, size_text(panel.size_px), 90 * static_cast<int>(panel.rotation),
      panel.position_mm.x, panel.position_mm.y, panel.size_mm.width, panel.size_mm.height, rect.x,
      rect.y, rect.width, rect.height);
  if (!wall.flat()) line += fmt::format("  {:>7.6g}", panel.pose.yaw_deg);
  if (!panel.host.empty()) line += "  " + panel.host;
  if (!panel.display.empty()) line += "  " + panel.display;
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// "c0r0, c0r1"
std::string names_of(const wall::Wall& wall, const wall::WallScreen& screen) {
  std::string names;
  for (const std::size_t index : screen.panels)
    names += (names.empty() ? "" : ", ") + wall.panels[index].name;
  return names;
}

/// A table of how wide the picture is on each screen, in every content mode that the wall can have.
std::string stretch_table(const wall::Wall& wall, wall::BezelMode bezels) {
  const std::vector<wall::WallScreen> screens = wall::screens_of(wall);
  std::vector<std::string> lines;
  lines.reserve(screens.size());
  for (const wall::WallScreen& screen : screens)
    lines.push_back(fmt::format("{:<18}", names_of(wall, screen)));
  std::string heads = fmt::format("{:<18}", "screen");
  std::string canvases;
  for (const wall::ContentMode mode : wall::content_modes) {
    if (const auto obstacle = wall::content_obstacle(wall, mode)) {
      canvases += fmt::format("content {}: none: needs {}, found {}\n", wall::to_string(mode),
                              obstacle->expected, obstacle->found);
      continue;
    }
    canvases += fmt::format("content {}: canvas {} px{}\n", wall::to_string(mode),
                            size_text(wall::Canvas(wall, bezels, mode).size_px()),
                            mode == wall.content ? " (the wall's own)" : "");
    heads += fmt::format("  {:^20}", wall::to_string(mode));
    const std::vector<wall::Stretch> stretches = wall::stretch_of(wall, mode);
    for (std::size_t i = 0; i < screens.size(); ++i)
      lines[i] += fmt::format("  {:>6.3f} {:>6.3f} {:>6.3f}", stretches[i].least,
                              stretches[i].middle, stretches[i].most);
  }
  std::string text = "\n" + canvases +
                     "\nwidth of the picture on each screen, relative to its true width: least, in "
                     "the middle, most\n" +
                     heads + "\n";
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

std::string wall_summary(const wall::Wall& wall, wall::BezelMode mode) {
  std::string text = fmt::format("{} panel{} {}x{}, canvas {} px", wall.panels.size(),
                                 wall.panels.size() == 1 ? "" : "s", wall.columns, wall.rows,
                                 size_text(wall::Canvas(wall, mode).size_px()));
  if (wall.has_bezels)
    text += fmt::format(" with bezels {} ({} with bezels {})",
                        mode == wall::BezelMode::hide ? "hidden" : "shown",
                        size_text(wall::Canvas(wall, other(mode)).size_px()),
                        mode == wall::BezelMode::hide ? "shown" : "hidden");
  return text;
}

std::string wall_table(const wall::Wall& wall, wall::BezelMode mode) {
  const wall::Canvas canvas(wall, mode);
  const RectF lit = wall.lit_box_mm();
  std::string text =
      fmt::format("{}\n{}\nlit area {:.1f} x {:.1f} mm, {:.4g} px/mm\n", wall.name,
                  wall_summary(wall, mode), lit.width, lit.height, canvas.px_per_mm());
  if (wall.arc)
    text += fmt::format("arc of radius {:.6g} mm, from {:.6g} degrees in steps of {:.6g}\n",
                        wall.arc->radius_mm, wall.arc->start_angle_deg, wall.arc->increment_deg);
  for (const wall::Hole& hole : wall.holes)
    text += fmt::format("hole \"{}\" at column {}, row {}\n", hole.name, hole.column, hole.row);
  for (const wall::Host& host : wall.hosts)
    text += fmt::format("host {} at {}\n", host.name, host.address);
  std::size_t name_width = 5;
  for (const wall::Panel& panel : wall.panels) name_width = std::max(name_width, panel.name.size());
  text += fmt::format("\n{:<{}}  {:>10}  {:>4}  {:>17}  {:>17}  {:>17}  {:>17}{}{}\n", "panel",
                      name_width, "size px", "turn", "position mm", "lit mm  ", "canvas at px",
                      "canvas px  ", wall.flat() ? "" : "  yaw deg",
                      wall.hosts.empty() ? "" : "  host");
  for (std::size_t i = 0; i < wall.panels.size(); ++i)
    text += table_line(wall, canvas, i, name_width);
  if (!wall.flat()) text += stretch_table(wall, mode);
  return text;
}

OrderedJson wall_check_json(const wall::Wall& wall) {
  const SizePx canvas = wall::Canvas(wall, wall.default_bezel_mode()).size_px();
  return {{"file", wall.file.string()},
          {"ok", true},
          {"panels", wall.panels.size()},
          {"columns", wall.columns},
          {"rows", wall.rows},
          {"bezels", mode_name(wall.default_bezel_mode())},
          {"canvas_width_px", canvas.width},
          {"canvas_height_px", canvas.height},
          {"warnings", wall::advice_on(wall)}};
}

OrderedJson wall_json(const wall::Wall& wall, wall::BezelMode mode) {
  const wall::Canvas hide(wall, wall::BezelMode::hide);
  const wall::Canvas show(wall, wall::BezelMode::show);
  const SizePx canvas = mode == wall::BezelMode::hide ? hide.size_px() : show.size_px();
  const RectF lit = wall.lit_box_mm();
  OrderedJson panels = OrderedJson::array();
  for (std::size_t i = 0; i < wall.panels.size(); ++i)
    panels.push_back(panel_json(wall, i, hide, show));
  return {{"file", wall.file.string()},
          {"name", wall.name},
          {"columns", wall.columns},
          {"rows", wall.rows},
          {"panel_count", wall.panels.size()},
          {"bezels", mode_name(mode)},
          {"canvas_width_px", canvas.width},
          {"canvas_height_px", canvas.height},
          {"canvas", {{"hide", canvas_json(hide)}, {"show", canvas_json(show)}}},
          {"px_per_mm", hide.px_per_mm()},
          {"lit_size_mm", {lit.width, lit.height}},
          {"has_bezels", wall.has_bezels},
          {"flat", wall.flat()},
          {"overlap_mm",
           {{"horizontal", wall.overlap_mm.horizontal}, {"vertical", wall.overlap_mm.vertical}}},
          {"edge_blend", {{"on", wall.edge_blend.on}, {"gamma", wall.edge_blend.gamma}}},
          {"arc", arc_json(wall)},
          {"content", std::string(wall::to_string(wall.content))},
          {"eye_mm", wall.eye_mm},
          {"content_canvas", contents_json(wall, mode)},
          {"screens", screens_json(wall)},
          {"hosts", hosts_json(wall)},
          {"holes", holes_json(wall)},
          {"clock_addresses", clock_addresses_json(wall)},
          {"control_address", wall.control_address},
          {"panels", panels},
          {"warnings", wall::advice_on(wall)}};
}

}  // namespace tilewall::cli
