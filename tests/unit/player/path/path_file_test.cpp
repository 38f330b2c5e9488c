// Fields of flight paths' files at their limits, and what keys are found by.

#include "player/path/path_file.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/player/path/path_texts.hpp"

using namespace tilewall;
using namespace tilewall::path;
using test::TemporaryFolder;

namespace {
namespace path_file_test {

struct PathInFolder {
  PathFile read(const std::string& text) const {
    std::ofstream(file) << text;
    return read_path_file(file);
  }
  /// The fault's line behind the file's name; "" if there is none.
  std::string fault(const std::string& text) const {
    return fault_in(file, text,
                    [](const std::string& name) { static_cast<void>(read_path_file(name)); });
  }

  const TemporaryFolder folder;
  const std::string file = (folder / "path.toml").string();
};

const std::string logo = "[logo]\nfile = \"a.png\"\n";
const std::string keys = first_key + second_key;

}  // namespace path_file_test
using namespace path_file_test;
}  // namespace

TEST_CASE("a parallel camera survives its file, and goes on to the key behind it", "[path]") {
  const PathInFolder path;
  const std::string text =
      first_key + "lens = \"orthographic\"\nview_height = 7.5\nup = [0, 1, 0]\n" + second_key +
      "[[key]]\neye = [0, -4, 1]\nlook_at = [0, 0, 0]\nlens = \"perspective\"\nfov_deg = 40\n";
  const auto check = [](const PathFile& read) {
    REQUIRE(read.keys.size() == 3);
    for (const std::size_t i : {0, 1}) {
      const render::VolumeCamera& camera = read.keys[i].flight.camera;
      CHECK(camera.lens == render::Lens::orthographic);
      CHECK(camera.view_height == 7.5);
      CHECK(camera.up == Vec3d{0, 1, 0});
    }
    CHECK(read.keys[2].flight.camera.lens == render::Lens::perspective);
    CHECK(read.keys[2].flight.camera.fov_rad == Approx(40 * degree));
  };
  const PathFile read = path.read(text);
  check(read);
  check(path.read(path_text(read)));
  path.read(text);
  remove_key(path.file, 0);
  const PathFile left = read_path_draft(path.file);
  REQUIRE(left.keys.size() == 2);
  CHECK(left.keys[0].name == "top");
  CHECK(left.keys[0].flight.camera.lens == render::Lens::orthographic);
  CHECK(left.keys[0].flight.camera.view_height == 7.5);
  CHECK(left.keys[0].flight.camera.up == Vec3d{0, 1, 0});
  // Only what the last key does not say itself is written into it.
  remove_key(path.file, 0);
  const std::string rest = read_text_file(path.file, 1 << 20);
  CHECK(rest.find("lens = \"orthographic\"") == std::string::npos);
  CHECK(rest.find("view_height = 7.5\n") != std::string::npos);
  CHECK(rest.find("up = [0, 1, 0]\n") != std::string::npos);
}

TEST_CASE("a field of view is over 0 and to 179 degrees, a height over 0", "[path][bad-input]") {
  const PathInFolder path;
  CHECK(path.read(keys + "fov_deg = 179\n").keys[1].flight.camera.fov_rad == Approx(179 * degree));
  CHECK(path.fault(keys + "fov_deg = 179.1\n").starts_with("8: key \"top\".fov_deg: expected"));
  CHECK(path.fault(keys + "fov_deg = 0\n").starts_with("8: key \"top\".fov_deg: expected"));
  CHECK(path.fault(keys + "view_height = 0\n").starts_with("8: key \"top\".view_height: expected"));
  CHECK(path.fault(keys + "timestep = -1\n").starts_with("8: key \"top\".timestep: expected"));
}

TEST_CASE("stops, holds, names and titles survive a path's file", "[path]") {
  const PathInFolder path;
  const PathFile read = path.read("name = \"a \\\"b\\\"\"\n" + first_key + "hold_s = 0.5\n" +
                                  second_key + "stop = true\ntimestep = 3\n" + first_key);
  for (const PathFile& one : {read, path.read(path_text(read))}) {
    CHECK(one.name == "a \"b\"");
    CHECK_FALSE(one.options.duration_s);
    CHECK(one.keys[0].flight.hold_s == 0.5);
    CHECK_FALSE(one.keys[0].flight.stops);
    CHECK(one.keys[1].flight.stops);
    CHECK(one.keys[1].timestep == 3.0);
    CHECK_FALSE(one.keys[2].timestep);
  }
  const auto titled = [&](std::size_t bytes) {
    return keys + "title = \"" + std::string(bytes, 'x') + "\"\n";
  };
  CHECK(path.fault(titled(4096)).empty());
  CHECK(path.fault(titled(4097)) ==
        "8: key \"top\".title: expected at most 4096 bytes, found 4097");
}

TEST_CASE("a logo's place and width are shares, or mm in texts", "[path]") {
  const PathInFolder path;
  const auto logo_after = [&](const std::string& fields) {
    const PathFile read = path.read(logo + fields + keys);
    const PathFile again = path.read(path_text(read));
    REQUIRE((read.logo && again.logo));
    CHECK(again.logo->x == read.logo->x);
    CHECK(again.logo->y == read.logo->y);
    CHECK(again.logo->width == read.logo->width);
    CHECK(again.logo->is_in_mm == read.logo->is_in_mm);
    CHECK(again.logo->width_is_in_mm == read.logo->width_is_in_mm);
    CHECK(again.logo->is_across == read.logo->is_across);
    return *read.logo;
  };
  const PathLogo usual = logo_after("");
  CHECK((usual.x == 1 && usual.y == 0 && usual.width == 0.1));
  CHECK_FALSE((usual.is_in_mm || usual.width_is_in_mm || usual.is_across));
  const PathLogo shares = logo_after("at = [0.25, 1]\nwidth = 1\n");
  CHECK((shares.x == 0.25 && shares.y == 1 && shares.width == 1 && !shares.is_in_mm));
  const PathLogo lengths = logo_after("at = \"0mm,1000000mm\"\nwidth = \"40.5mm\"\n");
  CHECK((lengths.x == 0 && lengths.y == 1'000'000 && lengths.is_in_mm));
  CHECK((lengths.width == 40.5 && lengths.width_is_in_mm));
}

TEST_CASE("a logo's wrong place and width are told by line and field", "[path][bad-input]") {
  const PathInFolder path;
  const auto told = [&](const std::string& field) {
    return path.fault(logo + field + "\n" + keys);
  };
  const std::string place = "3: logo.at: expected two shares from 0 to 1, or as in \"40mm,25mm\"";
  for (const std::string& at : {"\"40mm\"", "\"-1mm,2mm\"", "\"1000001mm,2mm\"", "\"1mm,2mm,3mm\"",
                                "\"1,2\"", "\"mm,2mm\"", "\"1mm,nanmm\""})
    CHECK(told("at = " + at).starts_with(place));
  CHECK(told("at = [0, 1.5]").starts_with("3: logo.at[1]: expected"));
  const std::string width = "3: logo.width: expected a share over 0, to 1, or as in \"40mm\"";
  for (const std::string& value : {"\"0mm\"", "\"40\"", "\"-3mm\""})
    CHECK(told("width = " + value).starts_with(width));
  CHECK(told("width = 0").starts_with("3: logo.width: expected"));
  CHECK(path.fault("[logo]\nwidth = 0.5\n" + keys)
            .starts_with("1: logo.file: expected an image, found"));
}

TEST_CASE("a key is found by its name before its number, and by the nearest camera", "[path]") {
  const PathInFolder path;
  PathFile found = path.read(keys + first_key);
  found.keys[0].name = "3";
  const auto index_of = [&](const std::string& key) { return find_key(found, path.file, key); };
  CHECK(index_of("3") == 0);
  CHECK(index_of("1") == 0);
  CHECK(index_of("2") == 1);
  for (const std::string& wrong : {"0", "4", "", "-1", "2x"})
    CHECK_THROWS_WITH(index_of(wrong),
                      path.file +
                          ": expected the name of a key, or a number from 1 to 3, found \"" +
                          wrong + '"');
  // The eyes of both are as near: what they look at decides.
  found.keys[0].flight.camera = {.eye = {0, 0, 2}, .look_at = {0, 0, -9}};
  found.keys[1].flight.camera = {.eye = {0, 0, -2}, .look_at = {0, 0, 1}};
  found.keys[2].flight.camera = {.eye = {0, 0, 5}, .look_at = {0, 0, 0}};
  render::VolumeCamera camera;
  camera.eye = {0, 0, 0};
  camera.look_at = {0, 0, 0};
  CHECK(nearest_key(found, path.file, camera) == 1);
  camera.eye = {0, 0, 6};
  CHECK(nearest_key(found, path.file, camera) == 2);
  CHECK_THROWS_WITH(nearest_key({}, path.file, camera),
                    path.file + ": key: expected a key frame, found none");
}
