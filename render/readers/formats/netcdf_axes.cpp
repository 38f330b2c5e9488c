#include "render/readers/formats/netcdf_axes.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace tilewall::render {
namespace {

bool is_one_of(const std::string& word, std::initializer_list<const char*> words) {
  return std::any_of(words.begin(), words.end(), [&](const char* w) { return word == w; });
}

bool is_pressure(const std::string& unit) {
  return is_one_of(
      unit, {"pa",   "hpa",     "kpa",      "pascal",   "pascals",    "hectopascal", "hectopascals",
             "mb",   "mbar",    "mbars",    "millibar", "millibars",  "bar",         "bars",
             "dbar", "decibar", "decibars", "atm",      "atmosphere", "torr",        "mmhg"});
}

/// Whether these units of time have no date: "months", "hours".
bool is_span(const std::string& unit) {
  return is_one_of(unit, {"year", "years", "month", "months", "day", "days", "hour", "hours",
                          "minute", "minutes", "second", "seconds"});
}

bool is_time_name(const std::string& name) {
  return is_one_of(name, {"t", "date", "datetime", "year", "month", "timestep", "record"}) ||
         name.starts_with("time") || name.ends_with("time");
}

bool is_list_name(const std::string& name) {
  return is_one_of(name, {"member", "members", "ensemble", "ens", "realization", "realisation",
                          "number", "run", "scenario", "model", "season", "band", "wavelength",
                          "channel", "species", "experiment"});
}

// Attributes come before names, because names are free. CF's tests in order: `axis`; units with
// "since" for time (CF 4.4); `positive` and units of pressure, which only vertical axes have (CF
// 4.3); standard names and units of latitude and longitude (CF 4.1, 4.2).
NcRole nc_role(const NcFile& file, int variable, const std::string& dimension, bool unlimited) {
  const std::string name = lower_case(dimension);
  if (variable >= 0) {
    const std::string axis = file.text(variable, "axis");
    const std::string standard = file.text(variable, "standard_name");
    const std::string unit = lower_case(file.text(variable, "units"));
    if (axis == "T" || unit.find(" since ") != std::string::npos) return NcRole::time;
    if (axis == "Z" || !file.text(variable, "positive").empty() || is_pressure(unit))
      return NcRole::z;
    if (axis == "Y" || standard == "latitude" || unit.starts_with("degrees_n")) return NcRole::y;
    if (axis == "X" || standard == "longitude" || unit.starts_with("degrees_e")) return NcRole::x;
    if (is_one_of(standard, {"time", "forecast_period", "forecast_reference_time"}) ||
        !file.text(variable, "calendar").empty() || is_span(unit))
      return NcRole::time;
    if (standard == "realization") return NcRole::list;
  }
  // An unlimited dimension without attributes is time: files grow by timesteps.
  if (unlimited || is_time_name(name)) return NcRole::time;
  if (is_list_name(name)) return NcRole::list;
  if (is_one_of(name, {"z", "lev", "level", "levels", "depth", "height", "plev", "altitude",
                       "pressure", "isobaric", "pfull", "bottom_top"}))
    return NcRole::z;
  if (is_one_of(name, {"y", "lat", "latitude", "rlat", "nj", "j"})) return NcRole::y;
  if (is_one_of(name, {"x", "lon", "longitude", "rlon", "ni", "i"})) return NcRole::x;
  return NcRole::other;
}

/// Whether a vertical axis counts towards the ground: by its attribute `positive`, else by its
/// units or standard name (CF 4.3.1), else by its name.
bool nc_downwards(const NcFile& file, int variable, const std::string& dimension) {
  const std::string positive = lower_case(file.text(variable, "positive"));
  if (positive == "down" || positive == "up") return positive == "down";
  if (is_pressure(lower_case(file.text(variable, "units")))) return true;
  const std::string standard = file.text(variable, "standard_name");
  if (!standard.empty())
    return is_one_of(
        standard, {"air_pressure", "depth", "depth_below_geoid", "sea_water_pressure",
                   "atmosphere_sigma_coordinate", "atmosphere_hybrid_sigma_pressure_coordinate"});
  return is_one_of(lower_case(dimension), {"depth", "plev", "pressure", "isobaric"});
}

}  // namespace

NcAxis nc_axis(const NcFile& file, int dimension) {
  NcAxis axis;
  std::array<char, NC_MAX_NAME + 1> name = {};
  file.check(nc_inq_dim(file.id(), dimension, name.data(), &axis.length), "dimensions");
  axis.name = name.data();
  std::array<int, 64> unlimited = {};
  int unlimited_count = 0;
  bool grows = false;
  if (nc_inq_unlimdims(file.id(), &unlimited_count, nullptr) == NC_NOERR && unlimited_count <= 64 &&
      nc_inq_unlimdims(file.id(), &unlimited_count, unlimited.data()) == NC_NOERR)
    grows = std::find(unlimited.begin(), unlimited.begin() + unlimited_count, dimension) !=
            unlimited.begin() + unlimited_count;
  // The coordinate variable has the dimension's name, and this dimension alone (CF 5). Others of
  // that name, such as two-dimensional latitudes, do not describe the axis.
  int variable = -1;
  int rank = 0, of = -1;
  nc_type type = NC_NAT;
  if (nc_inq_varid(file.id(), name.data(), &variable) != NC_NOERR ||
      nc_inq_varndims(file.id(), variable, &rank) != NC_NOERR || rank != 1 ||
      nc_inq_var(file.id(), variable, nullptr, &type, nullptr, &of, nullptr) != NC_NOERR ||
      of != dimension || !nc_element(type) || axis.length > max_file_side)
    variable = -1;
  axis.role = nc_role(file, variable, axis.name, grows);
  if (variable < 0) return axis;
  axis.unit = file.text(variable, "units");
  axis.calendar = file.text(variable, "calendar");
  axis.downwards = axis.role == NcRole::z && nc_downwards(file, variable, axis.name);
  axis.coordinates.resize(axis.length);
  if (nc_get_var_double(file.id(), variable, axis.coordinates.data()) != NC_NOERR)
    axis.coordinates.clear();
  for (const double at : axis.coordinates)
    if (!std::isfinite(at)) {
      axis.coordinates.clear();
      axis.has_flaws = true;
      break;
    }
  return axis;
}

void complete_roles(std::vector<NcAxis>& axes) {
  const auto taken = [&](NcRole role) {
    return std::any_of(axes.begin(), axes.end(), [&](const NcAxis& a) { return a.role == role; });
  };
  // Of two axes with the same role, the later one keeps it. A second axis of time is none of space.
  for (const NcRole role : {NcRole::x, NcRole::y, NcRole::z, NcRole::time}) {
    bool is_taken = false;
    for (std::size_t i = axes.size(); i-- > 0;) {
      if (axes[i].role != role) continue;
      if (is_taken) axes[i].role = role == NcRole::time ? NcRole::list : NcRole::other;
      is_taken = true;
    }
  }
  // Axes of length 1 get no role: they would take the place of one that has voxels.
  for (const NcRole role : {NcRole::x, NcRole::y, NcRole::z})
    for (std::size_t i = axes.size(); i-- > 0 && !taken(role);)
      if (axes[i].role == NcRole::other && axes[i].length > 1) axes[i].role = role;
  for (NcAxis& axis : axes) {
    if (taken(NcRole::time)) break;
    if ((axis.role == NcRole::list || axis.role == NcRole::other) && axis.length > 1)
      axis.role = NcRole::time;
  }
}

NcLine nc_line(const NcAxis& axis, const FieldPlace& place) {
  NcLine line;
  if (axis.coordinates.size() < 2) {
    if (!axis.coordinates.empty()) line.start = axis.coordinates[0];
    return line;
  }
  const std::vector<double>& at = axis.coordinates;
  line.start = at.front();
  line.step = (at.back() - at.front()) / static_cast<double>(at.size() - 1);
  if (line.step == 0) place.refuse("coordinates that differ", "one and the same");
  for (std::size_t i = 1; i < at.size(); ++i) {
    const double step = (at[i] - at[i - 1]) / line.step;
    if (!(step > 0))
      place.refuse("coordinates that grow or fall (--levels index draws them as they are stored)",
                   "some that do neither");
    line.deviation = std::max(line.deviation, std::abs(step - 1));
  }
  return line;
}

}  // namespace tilewall::render
