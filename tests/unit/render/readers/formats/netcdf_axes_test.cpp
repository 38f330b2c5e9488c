// What becomes of NetCDF's axes by the CF conventions: directions, uneven coordinates, time, and
// the axes that are none of these.

#include "render/readers/formats/netcdf_axes.hpp"

#include <netcdf.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <numeric>

#include "render/readers/formats/cf_time.hpp"
#include "render/readers/formats/resampled_volume.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_field.hpp"
#include "tests/unit/render/readers/formats/format_files.hpp"

using namespace tilewall;
using namespace tilewall::render;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

using Texts = std::vector<std::pair<const char*, const char*>>;

struct MadeAxis {
  const char* name;
  std::vector<double> coordinates;  // of as many indices
  Texts attributes;
  bool has_coordinates = true;
};

const MadeAxis latitudes = {"lat", {10, 20}, {{"units", "degrees_north"}}};
const MadeAxis longitudes = {"lon", {0, 1, 2}, {{"units", "degrees_east"}}};

/// A variable "f" over these axes, whose values count from 0.
void make_field(const fs::path& file, const std::vector<MadeAxis>& axes) {
  int nc = -1, id = -1;
  REQUIRE(nc_create(file.c_str(), NC_CLOBBER, &nc) == NC_NOERR);
  std::vector<int> dimensions(axes.size()), variables(axes.size(), -1);
  std::size_t count = 1;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    nc_def_dim(nc, axes[i].name, axes[i].coordinates.size(), &dimensions[i]);
    count *= axes[i].coordinates.size();
    if (!axes[i].has_coordinates) continue;
    nc_def_var(nc, axes[i].name, NC_DOUBLE, 1, &dimensions[i], &variables[i]);
    for (const auto& [name, text] : axes[i].attributes)
      nc_put_att_text(nc, variables[i], name, std::strlen(text), text);
  }
  nc_def_var(nc, "f", NC_FLOAT, static_cast<int>(axes.size()), dimensions.data(), &id);
  nc_enddef(nc);
  for (std::size_t i = 0; i < axes.size(); ++i)
    if (variables[i] >= 0) nc_put_var_double(nc, variables[i], axes[i].coordinates.data());
  std::vector<float> values(count);
  std::iota(values.begin(), values.end(), 0.0F);
  nc_put_var_float(nc, id, values.data());
  REQUIRE(nc_close(nc) == NC_NOERR);
}

VolumeInfo info_of(const fs::path& file, const VolumeOptions& options = {}) {
  return open_volume_source(file.string(), options)->info();
}

/// The world's z of a voxel's centre.
double height_of(const VolumeInfo& info, int z) {
  return info.place.origin.z + info.place.axes[2].z * info.place.spacing.z * z;
}

std::string label_of(const std::string& units, const char* calendar, double time) {
  const auto known = cf_calendar(calendar);
  if (!known) return "unknown calendar";
  const auto parsed = CfTime::parse(units, *known);
  return parsed ? parsed->label(time) : "unknown units";
}

}  // namespace

TEST_CASE("pressures are highest at the ground, with any unit or the standard name",
          "[readers][netcdf]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.nc";
  struct Levels {
    Texts attributes;
    bool is_down;
  };
  for (const Levels& levels : {Levels{{{"units", "hPa"}}, true}, Levels{{{"units", "Pa"}}, true},
                               Levels{{{"units", "millibar"}}, true},
                               Levels{{{"axis", "Z"}, {"standard_name", "air_pressure"}}, true},
                               Levels{{{"units", "m"}, {"positive", "DOWN"}}, true},
                               Levels{{{"units", "m"}, {"positive", "up"}}, false},
                               Levels{{{"units", "m"}, {"standard_name", "height"}}, false}}) {
    CAPTURE(levels.attributes.front().second);
    for (const bool falls : {false, true}) {
      CAPTURE(falls);
      std::vector<double> at = {200, 400, 600, 800, 1000};
      if (falls) std::reverse(at.begin(), at.end());
      make_field(file, {{"lev", at, levels.attributes}, latitudes, longitudes});
      const VolumeInfo info = info_of(file);
      REQUIRE(info.size == VolumeSize{3, 2, 5});
      const bool first_is_top = levels.is_down != falls;  // 200 is at the top, if down
      CHECK((height_of(info, 0) > height_of(info, 4)) == first_is_top);
      for (int z : {0, 4})  // heights are scaled beside degrees, numbers are the file's
        CHECK(info.axis_scales[2].factor * height_of(info, z) ==
              Approx(at[static_cast<std::size_t>(z)]));
      CHECK((info.interpretation.find("(positive down)") != std::string::npos) == levels.is_down);
    }
  }
}

TEST_CASE("uneven levels lie at their coordinates, by index or by logarithm", "[readers][netcdf]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.nc";
  make_field(file, {{"lev", {1000, 100, 10, 1}, {{"units", "hPa"}}}, latitudes, longitudes});
  const std::string shown =
      "lev is uneven, 1000 to 1 hPa: resampled from 4 to 112 even steps "
      "(--levels index draws it as stored)";
  const VolumeSourcePtr even = open_volume_source(file.string(), {});
  // The narrowest gap is 9 of 999 hPa, so 111 steps and a point.
  REQUIRE(even->info().size == VolumeSize{3, 2, 112});
  CHECK(even->info().stored_size == VolumeSize{3, 2, 4});
  CHECK(std::count(even->info().notes.begin(), even->info().notes.end(), shown) == 1);
  const auto values = values_here(*even);
  for (int z = 0; z < 112; ++z) {
    CAPTURE(z);
    const double pressure = 1000 - 9.0 * z;
    // Each level's values are 6 above those of the one before.
    const double level = pressure >= 100  ? (1000 - pressure) / 900
                         : pressure >= 10 ? 1 + (100 - pressure) / 90
                                          : 2 + (10 - pressure) / 9;
    CHECK(values[static_cast<std::size_t>(z) * 6] == Approx(6 * level).margin(1e-4));
  }
  CHECK(height_of(even->info(), 0) < height_of(even->info(), 111));
  VolumeOptions options;
  options.levels = LevelSpacing::index;
  CHECK(info_of(file, options).size == VolumeSize{3, 2, 4});
  CHECK(info_of(file, options).notes.front() == "lev is drawn by index");
  CHECK(info_of(file, options).axis_scales[2].factor == 0);
  CHECK(info_of(file, options).axis_scales[0] == AxisScale{"degrees_east", 1});
  options.levels = LevelSpacing::log;  // even there
  const VolumeInfo by_log = info_of(file, options);
  CHECK(by_log.size == VolumeSize{3, 2, 4});
  CHECK(by_log.axis_scales[2] == AxisScale{"hPa", 0});
  CHECK(by_log.notes.front() == "lev, 1000 to 1 hPa, is drawn by its logarithm");
  CHECK(height_of(by_log, 0) < height_of(by_log, 3));
  make_field(file, {{"lev", {1000, 100, 0, -1}, {{"units", "hPa"}}}, latitudes, longitudes});
  CHECK(refusal_of(file, options) ==
        file.string() + ": lev: expected coordinates above 0 for --levels log, found 0");
  make_field(file, {{"lev", {1000, 100, 200}, {{"units", "hPa"}}}, latitudes, longitudes});
  CHECK(refusal_of(file) ==
        file.string() +
            ": lev: expected coordinates that grow or fall (--levels index draws them "
            "as they are stored), found some that do neither");
  options.levels = LevelSpacing::index;
  CHECK(info_of(file, options).size == VolumeSize{3, 2, 3});
}

TEST_CASE("latitudes are resampled too, boxes as the whole, and empty levels reach half way",
          "[readers][netcdf]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.nc";
  make_field(file, {{"depth", {0, 10, 30}, {{"units", "m"}, {"positive", "down"}}},
                    {"lat", {0, 10, 15}, {{"units", "degrees_north"}}},
                    longitudes});
  const VolumeSourcePtr source = open_volume_source(file.string(), {});
  REQUIRE(source->info().size == VolumeSize{3, 4, 4});
  const auto values = values_here(*source);  // depths 0 10 20 30, latitudes 0 5 10 15
  for (int z = 0; z < 4; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 3; ++x) {
        CAPTURE(x, y, z);
        const double level = z < 2 ? z : 1 + (z - 1) / 2.0;
        const double row = y < 3 ? y / 2.0 : 2;
        CHECK(values[static_cast<std::size_t>((z * 4 + y) * 3 + x)] ==
              Approx(9 * level + 3 * row + x).margin(1e-4));
      }
  std::vector<std::byte> whole(48 * sizeof(float)), box(2 * sizeof(float));
  source->read(0, 0, 4, whole.data());
  source->read_box(0, 0, {{1, 1, 2}, {3, 2, 3}}, box.data());
  CHECK(std::memcmp(box.data(), whole.data() + ((2 * 4 + 1) * 3 + 1) * sizeof(float), box.size()) ==
        0);
  const EvenSamples samples = even_samples({0, 10, 30});
  CHECK(samples.below == std::vector<int>{0, 1, 1, 1});
  CHECK(samples.share == std::vector<float>{0, 0, 0.5F, 1});
}

TEST_CASE("between a value and none, the nearer one counts", "[readers][netcdf]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.nc";
  make_field(
      file,
      {{"depth", {0, 10, 40}, {{"units", "m"}, {"positive", "down"}}}, latitudes, longitudes});
  int nc = -1, id = -1;
  REQUIRE(nc_open(file.c_str(), NC_WRITE, &nc) == NC_NOERR);
  REQUIRE(nc_inq_varid(nc, "f", &id) == NC_NOERR);
  const float none = NAN;
  const std::size_t at_ten[] = {1, 0, 0};
  const std::size_t at_forty[] = {2, 0, 1};
  REQUIRE(nc_put_var1_float(nc, id, at_ten, &none) == NC_NOERR);
  REQUIRE(nc_put_var1_float(nc, id, at_forty, &none) == NC_NOERR);
  REQUIRE(nc_close(nc) == NC_NOERR);
  const VolumeSourcePtr source = open_volume_source(file.string(), {});
  REQUIRE(source->info().size == VolumeSize{3, 2, 5});  // depths 0 10 20 30 40
  const auto values = values_here(*source);
  const auto value = [&](std::size_t z, std::size_t x) { return values[z * 6 + x]; };
  CHECK(value(0, 0) == 0);
  CHECK(std::isnan(value(1, 0)));
  CHECK(std::isnan(value(2, 0)));
  CHECK(value(3, 0) == 12);
  CHECK(value(4, 0) == 12);
  CHECK(value(1, 1) == 7);
  CHECK(value(2, 1) == 7);
  CHECK(std::isnan(value(3, 1)));
  CHECK(std::isnan(value(4, 1)));
}

TEST_CASE("an axis that is none of space is time, or one index of it is read",
          "[readers][netcdf]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.nc";
  const MadeAxis levels = {"lev", {0, 1, 2, 3}, {{"units", "m"}, {"positive", "up"}}};
  const MadeAxis members = {"member", {1, 2, 3, 4, 5}, {}};
  make_field(file, {members, levels, latitudes, longitudes});
  const VolumeInfo series = info_of(file);
  CHECK(series.interpretation == "time = member, z = lev, y = lat, x = lon");
  CHECK(series.time_labels ==
        std::vector<std::string>{"member 1", "member 2", "member 3", "member 4", "member 5"});
  VolumeOptions third;
  third.fixed["member"] = 2;
  const VolumeSourcePtr one = open_volume_source(file.string(), third);
  CHECK(one->info().timesteps() == 1);
  CHECK(one->info().interpretation == "member[2], z = lev, y = lat, x = lon");
  CHECK(values_here(*one).front() == 2 * 24);
  third.fixed = {{"member", 5}};
  CHECK(refusal_of(file, third) ==
        file.string() + ": axis: expected member=N with N from 0 to 4, found 5");
  third.fixed = {{"run", 0}};
  CHECK(refusal_of(file, third) ==
        file.string() + ": axis: expected an axis of f: member, lev, lat, lon, found \"run\"");
  // With a time of its own, the member is chosen.
  const MadeAxis times = {"time", {0, 1}, {{"units", "days since 1901-06-01"}}};
  make_field(file, {members, times, levels, latitudes, longitudes});
  CHECK(info_of(file).timesteps() == 2);
  CHECK(info_of(file).notes.front() ==
        "member: the first of 5 (--axis member=N shows another, from 0)");
  third.fixed = {{"member", 1}};
  CHECK(values_here(*open_volume_source(file.string(), third)).front() == 48);
}

TEST_CASE("axes without a role get those that are missing, the last one being x",
          "[readers][netcdf]") {
  using Axes = std::vector<std::pair<NcRole, std::size_t>>;  // with their lengths
  using Roles = std::vector<NcRole>;
  const auto completed = [](const Axes& made) {
    std::vector<NcAxis> axes(made.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      axes[i].role = made[i].first;
      axes[i].length = made[i].second;
    }
    complete_roles(axes);
    Roles roles;
    for (const NcAxis& axis : axes) roles.push_back(axis.role);
    return roles;
  };
  constexpr NcRole x = NcRole::x, y = NcRole::y, z = NcRole::z, time = NcRole::time;
  constexpr NcRole list = NcRole::list, other = NcRole::other;
  CHECK(completed({{other, 4}, {other, 3}, {other, 2}}) == Roles{z, y, x});
  CHECK(completed({{other, 4}, {other, 3}, {other, 2}, {other, 1}}) == Roles{z, y, x, other});
  CHECK(completed({{other, 5}, {other, 4}, {other, 3}, {other, 2}}) == Roles{time, z, y, x});
  CHECK(completed({{other, 5}, {x, 4}, {other, 3}, {other, 2}}) == Roles{time, x, z, y});
  CHECK(completed({{x, 4}, {x, 3}}) == Roles{y, x});  // the later one keeps it
  CHECK(completed({{time, 2}, {time, 3}, {y, 4}, {x, 4}}) == Roles{list, time, y, x});
  CHECK(completed({{list, 3}, {y, 4}, {x, 4}}) == Roles{time, y, x});
  CHECK(completed({{list, 1}, {y, 4}, {x, 4}}) == Roles{list, y, x});
  CHECK(completed({{list, 3}, {time, 1}, {y, 4}, {x, 4}}) == Roles{list, time, y, x});
}

TEST_CASE("a dimension that grows is time, where nothing else is said of it", "[readers][netcdf]") {
  const TemporaryFolder folder;
  for (const bool grows : {false, true}) {
    CAPTURE(grows);
    const fs::path file = folder / "a.nc";
    int nc = -1, id = -1;
    std::array<int, 3> dimensions = {};
    REQUIRE(nc_create(file.c_str(), NC_CLOBBER, &nc) == NC_NOERR);
    nc_def_dim(nc, "frame", grows ? NC_UNLIMITED : 2, &dimensions[0]);
    nc_def_dim(nc, "rows", 3, &dimensions[1]);
    nc_def_dim(nc, "columns", 4, &dimensions[2]);
    nc_def_var(nc, "f", NC_FLOAT, 3, dimensions.data(), &id);
    nc_enddef(nc);
    std::vector<float> values(24);
    std::iota(values.begin(), values.end(), 0.0F);
    const std::size_t start[3] = {}, count[3] = {2, 3, 4};
    REQUIRE(nc_put_vara_float(nc, id, start, count, values.data()) == NC_NOERR);
    REQUIRE(nc_close(nc) == NC_NOERR);
    const VolumeInfo info = info_of(file);
    CHECK(info.timesteps() == (grows ? 2 : 1));
    CHECK(info.size.x == 4);
    CHECK(info.size.y == 3);
    if (!grows) CHECK(info.size.z == 2);
  }
}

TEST_CASE("a field over time, latitude and longitude is a series of flat ones",
          "[readers][netcdf]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.nc";
  for (const MadeAxis& time :
       {MadeAxis{"time", {0, 1, 2, 3}, {{"units", "days since 1901-01-01"}}},
        MadeAxis{"month", {1, 2, 3, 4}, {{"units", "months"}}},
        MadeAxis{"step", {1, 2, 3, 4}, {{"standard_name", "time"}}},
        MadeAxis{"time_counter", {0, 1, 2, 3}, {}, false}, MadeAxis{"ensemble", {1, 2, 3, 4}, {}},
        MadeAxis{"record", {1, 2, 3, 4}, {{"axis", "T"}}}}) {
    CAPTURE(time.name);
    make_field(file, {time, latitudes, longitudes});
    CHECK(info_of(file).size == VolumeSize{3, 2, 1});
    CHECK(info_of(file).timesteps() == 4);
  }
  // Of two times the later one is the series, and the other one no height.
  make_field(file, {{"reference_time", {0, 1}, {{"units", "days since 1901-01-01"}}},
                    {"time", {0, 1, 2, 3}, {{"units", "days since 1901-01-01"}}},
                    latitudes,
                    longitudes});
  CHECK(info_of(file).size == VolumeSize{3, 2, 1});
  CHECK(info_of(file).timesteps() == 4);
}

// Dates by hand: 1900 is a leap year of the Julian calendar alone.
TEST_CASE("times are dates of their calendar", "[readers][netcdf]") {
  CHECK(label_of("days since 1901-01-01", "", 151) == "1901-06-01 00:00");
  CHECK(label_of("hours since 1900-01-01 06:00", "gregorian", 24 * 59) == "1900-03-01 06:00");
  CHECK(label_of("days since 1900-01-01", "julian", 59) == "1900-02-29 00:00");
  CHECK(label_of("days since 1582-10-04", "standard", 1) == "1582-10-15 00:00");
  CHECK(label_of("days since 1582-10-01", "standard", 0) == "1582-10-01 00:00");
  CHECK(label_of("days since 1582-10-01", "standard", 3) == "1582-10-04 00:00");
  CHECK(label_of("days since 1582-10-01", "standard", 20) == "1582-10-31 00:00");
  CHECK(label_of("days since 1582-10-01", "standard", 21) == "1582-11-01 00:00");
  CHECK(label_of("days since 1582-10-04", "proleptic_gregorian", 1) == "1582-10-05 00:00");
  CHECK(label_of("days since 2000-02-28", "noleap", 1) == "2000-03-01 00:00");
  CHECK(label_of("days since 2000-02-28", "365_day", 366) == "2001-03-01 00:00");
  CHECK(label_of("days since 1999-02-28", "all_leap", 1) == "1999-02-29 00:00");
  CHECK(label_of("days since 1900-01-01", "360_day", 59) == "1900-02-30 00:00");
  CHECK(label_of("days since 1850-01-01", "360_DAY", 360 * 51 + 150.5) == "1901-06-01 12:00");
  CHECK(label_of("months since 1901-01-01", "", 5) == "1901-06-01 00:00");
  CHECK(label_of("years since 1901-06-01", "", -2) == "1899-06-01 00:00");
  CHECK(label_of("seconds since 1970-01-01T00:00:00Z", "", 86399) == "1970-01-01 23:59:59");
  CHECK(label_of("hours since 2000-01-01 00:00:00 +1:00", "", 0) == "1999-12-31 23:00");
  CHECK(label_of("days since 0001-01-01", "", 0) == "0001-01-01 00:00");
  CHECK(label_of("days since 0001-01-01", "proleptic_gregorian", 719162) == "1970-01-01 00:00");
  CHECK(label_of("days since 0001-01-01", "standard", 719164) == "1970-01-01 00:00");
  CHECK(label_of("days since 2000-01-01", "", -730'000) == "0001-05-02 00:00");
  CHECK(label_of("days since 2000-01-01", "", 1e300) == "");
  CHECK(label_of("days since 2000-01-01", "", NAN) == "");
  CHECK(label_of("fortnights since 2000-01-01", "", 0) == "unknown units");
  CHECK(label_of("days since yesterday", "", 0) == "unknown units");
  CHECK(label_of("days since 2000-13-01", "", 0) == "unknown units");
  CHECK(label_of("days since 2000-01-01", "mayan", 0) == "unknown calendar");
}

TEST_CASE("a calendar that is not known leaves numbers, and a note", "[readers][netcdf]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "a.nc";
  make_field(file, {{"time", {15, 45}, {{"units", "days since 1901-01-01"}, {"calendar", "mayan"}}},
                    latitudes,
                    longitudes});
  const VolumeInfo info = info_of(file);
  CHECK(info.time_labels.front() == "15 days since 1901-01-01");
  CHECK(info.notes.front() ==
        "time: the calendar \"mayan\" is not known: times are shown as numbers");
}

TEST_CASE("a series of NetCDF files has the files' times, all of each", "[readers][netcdf]") {
  const TemporaryFolder folder;
  const auto times = [](std::vector<double> at, const char* units) {
    return MadeAxis{"time", std::move(at), {{"units", units}, {"calendar", "360_day"}}};
  };
  make_field(folder / "a.nc", {times({0, 30}, "days since 1901-01-01"), latitudes, longitudes});
  make_field(folder / "b.nc", {times({60}, "days since 1901-01-01"), latitudes, longitudes});
  const VolumeSourcePtr series = open_volume_source(folder.path().string(), {});
  CHECK(series->info().times == std::vector<double>{0, 30, 60});
  CHECK(series->info().time_labels ==
        std::vector<std::string>{"1901-01-01 00:00", "1901-02-01 00:00", "1901-03-01 00:00"});
  const auto values = values_here(*series);
  REQUIRE(values.size() == 18);
  CHECK(values[6] == 6);   // the second timestep of the first file
  CHECK(values[12] == 0);  // the first one of the second file
  // A range that the first file states is not that of all.
  int nc = -1, id = -1;
  REQUIRE(nc_open((folder / "a.nc").c_str(), NC_WRITE, &nc) == NC_NOERR);
  REQUIRE(nc_inq_varid(nc, "f", &id) == NC_NOERR);
  REQUIRE(nc_redef(nc) == NC_NOERR);
  const double range[] = {0, 11};
  REQUIRE(nc_put_att_double(nc, id, "actual_range", NC_DOUBLE, 2, range) == NC_NOERR);
  REQUIRE(nc_close(nc) == NC_NOERR);
  CHECK(info_of(folder / "a.nc").value_range == ValueRange{0, 11});
  CHECK_FALSE(info_of(folder.path()).value_range);
  // Other units: the dates stay, and the times are counted.
  make_field(folder / "b.nc", {times({1}, "months since 1901-02-01"), latitudes, longitudes});
  const VolumeInfo mixed = info_of(folder.path());
  CHECK(mixed.times == std::vector<double>{0, 1, 2});
  CHECK(mixed.time_labels.back() == "1901-03-01 00:00");
  // A file of another size is not a part of the series.
  MadeAxis fewer = longitudes;
  fewer.coordinates.pop_back();
  make_field(folder / "c.nc", {times({90}, "days since 1901-01-01"), latitudes, fewer});
  const VolumeInfo without = info_of(folder.path());
  CHECK(without.timesteps() == 3);
  REQUIRE(without.notes.size() == mixed.notes.size() + 1);
  CHECK_THAT(without.notes.back(), Catch::Contains("left out") && Catch::Contains("c.nc"));
}

TEST_CASE("every unit of time has its length, in singular and plural", "[readers][netcdf]") {
  struct Unit {
    const char* name;
    double number;
    const char* label;
  };
  // All of them an hour after midnight, or two days, or as their calendar counts.
  for (const Unit& unit : {Unit{"day", 2, "2001-03-03 00:00"},
                           Unit{"d", 2, "2001-03-03 00:00"},
                           Unit{"days", 0.5, "2001-03-01 12:00"},
                           Unit{"hour", 25, "2001-03-02 01:00"},
                           Unit{"hrs", 1, "2001-03-01 01:00"},
                           Unit{"h", 1, "2001-03-01 01:00"},
                           Unit{"minute", 61, "2001-03-01 01:01"},
                           Unit{"mins", 60, "2001-03-01 01:00"},
                           Unit{"second", 3601, "2001-03-01 01:00:01"},
                           Unit{"secs", 59, "2001-03-01 00:00:59"},
                           Unit{"s", 60, "2001-03-01 00:01"},
                           Unit{"milliseconds", 2000, "2001-03-01 00:00:02"},
                           Unit{"msec", 3000, "2001-03-01 00:00:03"},
                           Unit{"ms", 4000, "2001-03-01 00:00:04"},
                           Unit{"microseconds", 5e6, "2001-03-01 00:00:05"},
                           Unit{"weeks", 1, "2001-03-08 00:00"},
                           Unit{"common_year", 1, "2002-03-01 00:00"},
                           Unit{"month", 10, "2002-01-01 00:00"},
                           Unit{"months", 0.5, "2001-03-16 12:00"},
                           Unit{"year", 1, "2002-03-01 00:00"}}) {
    CAPTURE(unit.name);
    CHECK(label_of(std::string(unit.name) + " since 2001-03-01", "", unit.number) == unit.label);
  }
}

TEST_CASE("dates and times of day are read in all their forms, and others refused",
          "[readers][netcdf]") {
  const auto begin = [](const std::string& date) { return label_of("s since " + date, "", 0); };
  CHECK(begin("1901") == "1901-01-01 00:00");
  CHECK(begin("1901-6") == "1901-06-01 00:00");
  CHECK(begin("1901-12-31") == "1901-12-31 00:00");
  CHECK(begin("1901-06-01 12") == "1901-06-01 12:00");
  CHECK(begin("1901-06-01 12:30") == "1901-06-01 12:30");
  CHECK(begin("1901-06-01T12:30:15") == "1901-06-01 12:30:15");
  CHECK(begin("1901-06-01 12:30:15.4 UTC") == "1901-06-01 12:30:15");
  CHECK(begin("1901-06-01 6:00 GMT") == "1901-06-01 06:00");
  CHECK(begin("1901-06-01 00:00 -2:30") == "1901-06-01 02:30");
  CHECK(begin("1901-06-01 00:00 +2:30") == "1901-05-31 21:30");
  for (const char* const wrong :
       {"1901-06-01-01", "1901-0-1", "1901-13-1", "1901-1-0", "1901-1-32", "1901-1-1 1:2:3:4",
        "1901-1-1 100:00", "1901-1-1 x", "1901-1-1 00:00 +x", "", "x"}) {
    CAPTURE(wrong);
    CHECK(begin(wrong) == "unknown units");
  }
}
