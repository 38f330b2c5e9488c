#include "wallconfigs/grid_specs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "sync/base/error.hpp"
#include "sync/base/nearest.hpp"
#include "sync/base/terminal_text.hpp"
#include "wallconfigs/layout.hpp"

namespace tilewall::wall {
namespace {

class GridSpecs {
 public:
  explicit GridSpecs(const WallFile& file) : file_(file) {}

  std::vector<GridSpec> make() {
    begin_with_defaults();
    dig_holes();
    name_panels();
    check_names();
    claim_for_hosts();
    check_panel_hosts();
    for (const PanelSpec& spec : file_.panels) apply_to_places(spec);
    make_critical_by_hosts();
    return std::move(places_);
  }

 private:
  [[noreturn]] void refuse(int line, std::string_view field, std::string_view expected,
                           std::string_view found) const {
    throw InputError({file_.file, line}, field, expected, found);
  }

  GridSpec& at(int column, int row) {
    const int index = row * file_.columns + column;
    return places_[static_cast<std::size_t>(index)];
  }

  template <typename Visit>
  void for_each_place(Visit&& visit) {
    for (int row = 0; row < file_.rows; ++row)
      for (int column = 0; column < file_.columns; ++column) visit(column, row, at(column, row));
  }

  void begin_with_defaults() {
    places_.resize(static_cast<std::size_t>(file_.columns) * static_cast<std::size_t>(file_.rows));
    for_each_place([&](int column, int row, GridSpec& place) {
      place.name = place_name(column, row);
      place.spec = file_.defaults;
    });
  }

  void dig_holes() {
    for (std::size_t i = 0; i < file_.holes.size(); ++i) {
      const HoleSpec& hole = file_.holes[i];
      GridSpec& place = at(hole.column, hole.row);
      if (place.hole)
        refuse(hole.line, fmt::format("hole[{}]", i), "every place once",
               fmt::format("column {}, row {} again, as in line {}", hole.column, hole.row,
                           place.line));
      place.hole = true;
      place.name = hole.name;
      place.line = hole.line;
    }
  }

  void name_panels() {
    for (const PanelSpec& spec : file_.panels) {
      if (!spec.column || !spec.row) continue;
      GridSpec& place = at(*spec.column, *spec.row);
      if (place.line > 0)
        refuse(spec.line, spec.field, "every place once",
               fmt::format("column {}, row {} again, as in line {}", *spec.column, *spec.row,
                           place.line));
      place.line = spec.line;
      if (spec.name) place.name = *spec.name;
    }
  }

  void check_names() {
    for (const GridSpec& place : places_) {
      if (place.line == 0) continue;
      const auto same = [&](const GridSpec& other) { return other.name == place.name; };
      if (std::count_if(places_.begin(), places_.end(), same) > 1)
        refuse(place.line, "name", "a name that no other panel or hole has",
               fmt::format("\"{}\" twice", escaped_text(place.name)));
    }
  }

  GridSpec& named(const HostSpec& host, const std::string& name) {
    std::vector<std::string_view> names;
    for (GridSpec& place : places_) {
      if (!place.hole && place.name == name) return place;
      if (!place.hole) names.push_back(place.name);
    }
    refuse(host.line, host.field + ".panels",
           fmt::format("names of panels (the nearest is \"{}\")",
                       escaped_text(nearest_word(std::string_view(name).substr(0, 64), names))),
           fmt::format("\"{}\"", escaped_text(name)));
  }

  void claim(const HostSpec& host, GridSpec& place) {
    if (place.spec.host && *place.spec.host != host.name)
      refuse(host.line, host.field, "every panel on one host",
             fmt::format("{} on {} too", escaped_text(place.name), *place.spec.host));
    place.spec.host = host.name;
    if (!host.display.empty()) place.spec.display = host.display;
  }

  void claim_for_hosts() {
    for (const HostSpec& host : file_.hosts) {
      const auto same = [&](const HostSpec& other) { return other.name == host.name; };
      if (std::count_if(file_.hosts.begin(), file_.hosts.end(), same) > 1)
        refuse(host.line, host.field + ".name", "every host once", host.name + " twice");
      if (host.columns.empty() && host.rows.empty() && host.panels.empty() &&
          !named_by_a_panel(host.name))
        refuse(host.line, host.field, "columns, rows or panels that it drives", "none of them");
      claim_columns_and_rows(host);
      for (const std::string& name : host.panels) claim(host, named(host, name));
    }
  }

  /// Where both are given, the places in these columns and in these rows.
  void claim_columns_and_rows(const HostSpec& host) {
    if (host.columns.empty() && host.rows.empty()) return;
    const auto listed = [](const std::vector<int>& list, int number) {
      return list.empty() || std::find(list.begin(), list.end(), number) != list.end();
    };
    for_each_place([&](int column, int row, GridSpec& place) {
      if (!place.hole && listed(host.columns, column) && listed(host.rows, row)) claim(host, place);
    });
  }

  [[nodiscard]] bool named_by_a_panel(const std::string& host) const {
    return std::any_of(file_.panels.begin(), file_.panels.end(),
                       [&](const PanelSpec& spec) { return spec.host == host; });
  }

  /// A wall that lists its hosts lists all of them.
  void check_panel_hosts() {
    std::vector<std::string_view> names;
    for (const HostSpec& host : file_.hosts) names.push_back(host.name);
    for (const PanelSpec& spec : file_.panels) {
      if (!spec.host || names.empty()) continue;
      if (std::find(names.begin(), names.end(), *spec.host) == names.end())
        refuse(spec.line, spec.field + ".host",
               fmt::format("the name of a [[host]] (the nearest is \"{}\")",
                           nearest_word(*spec.host, names)),
               fmt::format("\"{}\"", *spec.host));
    }
  }

  /// Panels of critical hosts are critical, unless they say otherwise.
  void make_critical_by_hosts() {
    for (GridSpec& place : places_)
      for (const HostSpec& host : file_.hosts)
        if (host.critical && place.spec.host == host.name && !place.spec.critical)
          place.spec.critical = true;
  }

  void apply_to_places(const PanelSpec& spec) {
    for_each_place([&](int column, int row, GridSpec& place) {
      if (place.hole) return;
      if (spec.column.value_or(column) == column && spec.row.value_or(row) == row)
        apply(spec, place.spec);
    });
  }

  void apply(const PanelSpec& from, PanelSpec& to) const {
    const bool knows_mm = to.size_mm || to.diagonal_inches;
    if (from.size_px && from.size_px != to.size_px && knows_mm && !from.size_mm &&
        !from.diagonal_inches)
      refuse(from.line, from.field + ".size_px", "size_mm or diagonal_inches beside it", "neither");
    if (from.size_mm) to.diagonal_inches.reset();
    if (from.diagonal_inches) to.size_mm.reset();
    take(from.size_px, to.size_px);
    take(from.size_mm, to.size_mm);
    take(from.diagonal_inches, to.diagonal_inches);
    take(from.bezel_mm, to.bezel_mm);
    take(from.rotation, to.rotation);
    take(from.color, to.color);
    take(from.display, to.display);
    take(from.host, to.host);
    take(from.critical, to.critical);
    take(from.position_mm, to.position_mm);
    take(from.window_px, to.window_px);
    to.field = from.field;
    to.line = from.line;
  }

  template <typename Value>
  static void take(const std::optional<Value>& from, std::optional<Value>& to) {
    if (from) to = from;
  }

  const WallFile& file_;
  std::vector<GridSpec> places_;
};

}  // namespace

std::vector<GridSpec> make_grid_specs(const WallFile& file) { return GridSpecs(file).make(); }

}  // namespace tilewall::wall
