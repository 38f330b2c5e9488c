// Flight paths in files of other programs, and their faults.

#include "player/path/foreign_paths.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sync/base/error.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/unit/player/path/path_texts.hpp"

using namespace tilewall;
using namespace tilewall::path;
using test::TemporaryFolder;

namespace {

std::string any_fault(const std::string& name, const std::string& text) {
  const TemporaryFolder folder;
  return fault_in((folder / name).string(), text, [](const std::string& file) {
    static_cast<void>(flight_of(read_any_path({file}), file));
  });
}

}  // namespace

TEST_CASE("a path goes through CSV and nerfstudio's JSON and back", "[path]") {
  const TemporaryFolder folder;
  std::ofstream(folder / "path.toml") << "duration_s = 8\n"
                                      << first_key << second_key << "time_s = 3\nfov_deg = 50\n"
                                      << "[[key]]\neye = [-3, 2, 1]\nlook_at = [0, 0, 0]\n";
  const auto file = (folder / "path.toml").string();
  const PathFile path = read_path_file(file);
  const render::FlightPath flight = flight_of(path, file);
  for (const char* const name : {"path.csv", "path.json"}) {
    CAPTURE(name);
    const auto other = (folder / name).string();
    std::ofstream(other) << text_in(path_format_of(other), path, flight, 10);
    const PathFile back = read_any_path({other});
    REQUIRE(back.keys.size() == 3);
    for (std::size_t i = 0; i < 3; ++i) {
      CHECK(length(back.keys[i].flight.camera.eye - path.keys[i].flight.camera.eye) < 1e-6);
      CHECK(length(back.keys[i].flight.camera.look_at) < 1e-4);
      CHECK(back.keys[i].flight.camera.fov_rad == Approx(path.keys[i].flight.camera.fov_rad));
      CHECK(back.keys[i].flight.time_s.value() == Approx(flight.arrival_s(i)));
    }
    CHECK(flight_of(back, other).duration_s() == Approx(8));
  }
  const auto frames =
      nlohmann::json::parse(text_in(PathFormat::nerfstudio, path, flight, 10)).at("camera_path");
  REQUIRE(frames.size() == 80);
  // The camera looks along -z of its matrix, whose fourth column is the eye.
  const auto matrix = frames[0].at("camera_to_world").get<std::vector<double>>();
  CHECK(matrix[2] == Approx(1));  // z of the camera is x of the world: it looks against x
  CHECK(matrix[3] == Approx(4));
  CHECK(matrix[9] == Approx(1));  // y of the camera is z of the world
}

TEST_CASE("frames of nerfstudio's paths are keys where there are no key frames", "[path]") {
  const TemporaryFolder folder;
  const auto file = (folder / "frames.json").string();
  std::ofstream(file) << R"({"camera_path": [
    {"camera_to_world": [1,0,0,0, 0,0,-1,-4, 0,1,0,0, 0,0,0,1], "fov": 40},
    {"camera_to_world": [0,0,1,4, 1,0,0,0, 0,1,0,0, 0,0,0,1], "fov": 40}]})";
  const PathFile path = read_any_path({file});
  REQUIRE(path.keys.size() == 2);
  CHECK(path.keys[0].flight.camera.eye == Vec3d{0, -4, 0});
  CHECK(length(path.keys[0].flight.camera.look_at) < 1e-6);
  CHECK(path.keys[1].flight.camera.eye == Vec3d{4, 0, 0});
  CHECK(length(path.keys[1].flight.camera.look_at) < 1e-6);
  CHECK(path.options.ease_s == 0);
}

TEST_CASE("nerfstudio's matrices are read by rows and by columns", "[path]") {
  const TemporaryFolder folder;
  const auto file = (folder / "frames.json").string();
  std::ofstream(file) << R"({"keyframes": [
    {"matrix": [0,0,1,4, 1,0,0,5, 0,1,0,6, 0,0,0,1], "fov": 40},
    {"matrix": "[0,1,0,0, 0,0,1,0, 1,0,0,0, 7,5,6,1]", "fov": 40}]})";
  const PathFile path = read_any_path({file});
  CHECK(path.keys[0].flight.camera.eye == Vec3d{4, 5, 6});
  CHECK(path.keys[1].flight.camera.eye == Vec3d{7, 5, 6});
  CHECK(path.keys[0].flight.camera.up == path.keys[1].flight.camera.up);
  CHECK(any_fault("a.json", R"({"keyframes": [{"matrix": [1,0,0,1,0,1,0,1,0,0,1,1,1,1,1,1]}]})") ==
        " keyframes[0].matrix: expected a last row of 0 0 0 1, found "
        "[1,0,0,1,0,1,0,1,0,0,1,1,1,1,1,1]");
}

TEST_CASE("a stay is two keys in formats that have none, and lenses survive", "[path]") {
  const TemporaryFolder folder;
  const auto file = (folder / "path.toml").string();
  std::ofstream(file) << "duration_s = 8\n"
                      << first_key << second_key << "hold_s = 2\n"
                      << "[[key]]\neye = [-3, 2, 1]\nlook_at = [0, 0, 0]\n";
  PathFile path = read_path_file(file);
  const render::FlightPath flight = flight_of(path, file);
  for (const char* const name : {"path.csv", "path.json"}) {
    const auto other = (folder / name).string();
    std::ofstream(other) << text_in(path_format_of(other), path, flight, 10);
    const render::FlightPath back = flight_of(read_any_path({other}), other);
    CHECK(back.keys().size() == 4);
    const double middle = flight.arrival_s(1) + 1;
    CHECK(length(back.camera_at(middle).eye - flight.camera_at(middle).eye) < 1e-6);
  }
  CHECK_THROWS_AS(text_in(PathFormat::nerfstudio, path, flight, 1e9), InputError);
  path.keys[0].flight.camera.lens = render::Lens::orthographic;
  const auto copy = (folder / "copy.toml").string();
  std::ofstream(copy) << path_text(path);
  const PathFile again = read_path_file(copy);
  CHECK(again.keys[0].flight.camera.lens == render::Lens::orthographic);
  CHECK(again.keys[1].flight.camera.lens == render::Lens::perspective);
}

TEST_CASE("ParaView's cameras are the keys of a path", "[path]") {
  const TemporaryFolder folder;
  const auto camera = [&](const char* name, const char* eye, const char* parallel) {
    const auto file = (folder / name).string();
    std::ofstream stream(file);
    stream << "<?xml version=\"1.0\"?>\n<PVCameraConfiguration version=\"1.0\">\n <Proxy>\n";
    const auto property = [&](const char* property_name, const char* values) {
      stream << "  <Property name=\"" << property_name << "\">\n";
      int index = 0;
      std::istringstream list(values);
      for (std::string value; list >> value; ++index)
        stream << "   <Element index=\"" << index << "\" value=\"" << value << "\"/>\n";
      stream << "  </Property>\n";
    };
    property("CameraPosition", eye);
    property("CameraFocalPoint", "0 0 0");
    property("CameraViewUp", "0 0 1");
    property("CameraViewAngle", "25");
    property("CameraParallelScale", "3");
    property("CameraParallelProjection", parallel);
    stream << " </Proxy>\n</PVCameraConfiguration>\n";
    return file;
  };
  const PathFile path =
      read_any_path({camera("a.pvcc", "5 0 0", "0"), camera("b.pvcc", "0 5 0", "1")});
  REQUIRE(path.keys.size() == 2);
  CHECK(path.keys[0].name == "a");
  CHECK(path.keys[0].flight.camera.eye == Vec3d{5, 0, 0});
  CHECK(path.keys[0].flight.camera.fov_rad == Approx(25 * degree));
  CHECK(path.keys[1].flight.camera.lens == render::Lens::orthographic);
  CHECK(path.keys[1].flight.camera.view_height == 6);
  CHECK(any_fault("c.pvcc", "<a><b></a>").find("expected XML") != std::string::npos);
  CHECK(any_fault("c.pvcc", "<a/>") == " CameraPosition: expected three numbers, found fewer");
}

TEST_CASE("damaged paths of other programs get one line", "[path][bad-input]") {
  CHECK(any_fault("a.csv", "1,2,3\n") == "1: expected 6 numbers, found 3");
  CHECK(any_fault("a.csv", "1,2,3,4,5,6\n1,2,x,4,5,6\n") == "2: eye_z: expected a number, found x");
  CHECK(any_fault("a.csv", "1,2,3,4,5,nan\n") == "1: look_at_z: expected a number, found nan");
  CHECK(any_fault("a.csv", "eye_x,eye_y,eye_z,look_at_x,look_at_y,speed\n")
            .starts_with("1: expected columns among eye_x"));
  CHECK(any_fault("a.csv", "eye_x,eye_y,eye_z,look_at_x,look_at_y,up_x\n") ==
        "1: look_at_z: expected one column, found none or several");
  CHECK(any_fault("a.csv", "1,2,3,4,5,6,0,0,1,200\n") ==
        "1: fov_deg: expected over 0, to 179, found 200");
  CHECK(any_fault("a.csv", "# nothing\n") == " key: expected 2 to 10000 keys, found 0");
  CHECK(any_fault("a.csv", "1,2,3,1,2,3\n4,5,6,1,2,3\n") ==
        " key[0].look_at: expected another place than the eye, found the same");
  CHECK(any_fault("a.json", "[").starts_with(" expected a camera path as JSON"));
  CHECK(any_fault("a.json", "[]") ==
        " keyframes: expected cameras, here or in camera_path, found none");
  CHECK(any_fault("a.json", R"({"keyframes": [{"matrix": "[1, 2]"}]})") ==
        " keyframes[0].matrix: expected 16 numbers, found [1,2]");
  CHECK(any_fault("a.json", R"({"keyframes": [{"matrix": "[["}]})") ==
        " keyframes[0].matrix: expected JSON in a text, found \"[[\"");
  CHECK(any_fault("a.json", R"({"keyframes": [{"matrix": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,1]}]})") ==
        " keyframes[0].matrix: expected columns of length 1 (a rotation), found one of 0");
  CHECK(any_fault("a.json", R"({"keyframes": [3]})") ==
        " keyframes[0]: expected a keyframe with a matrix, found 3");
}
