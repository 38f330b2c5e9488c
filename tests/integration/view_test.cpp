// `tilewall view` on a real wall: what its panels show, to the pixel, against one big picture.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>

#include "player/volume/caster/picture_maker.hpp"
#include "render/transfer/named_transfers.hpp"
#include "tests/integration/ball_volume.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_pyramid.hpp"
#include "wallconfigs/eye_view.hpp"

using namespace tilewall;
using namespace tilewall::render;
using namespace tilewall::scene;
using namespace tilewall::test;
using namespace tilewall::volume;
using namespace tilewall::wall;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Of i / 7 times the ball's values.
void write_fainter(const fs::path& file, int sevenths) {
  write_npy(file, 0);
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(128);
  for (int z = 0; z < ball_size.z; ++z)
    for (int y = 0; y < ball_size.y; ++y)
      for (int x = 0; x < ball_size.x; ++x)
        bytes.put(static_cast<char>(ball_voxel(x, y, z, 0) * sevenths / 7));
}

VolumeCamera usual_camera() {
  VolumeCamera camera;
  camera.eye = {30, -60, 25};
  camera.look_at = {11.5, 9.5, 7.5};
  camera.up = {0, 0, 1};
  camera.fov_rad = 25 * 3.14159265358979323846 / 180;
  return camera;
}

void write_camera(const fs::path& file) {
  std::ofstream(file) << "eye = [30, -60, 25]\nlook_at = [11.5, 9.5, 7.5]\nup = [0, 0, 1]\n"
                         "fov_deg = 25\n";
}

Show show_volume(Words words, const Words& more) {
  const TemporaryFolder folder;
  const Words usual = {"--headless", "--hashes", "--late",
                       "slow",       "--report", (folder / "report.json").string()};
  words.insert(words.begin(), tilewall_program);
  words.insert(words.end(), usual.begin(), usual.end());
  words.insert(words.end(), more.begin(), more.end());
  if (std::find(more.begin(), more.end(), "--wall") == more.end())
    words.insert(words.end(), {"--wall", test_wall(pair_wall)});
  Show show;
  show.program = run_program(words);
  show.report = read_report(folder / "report.json");
  return show;
}

Show view(const fs::path& volume, const Words& more) {
  return show_volume({"view", volume.string()}, more);
}

}  // namespace

TEST_CASE("panels show their parts of one big picture of a volume", "[view]") {
  const TemporaryFolder folder;
  write_npy(folder / "ball.npy", 0);
  write_camera(folder / "camera.toml");
  const Words more = {"--camera", (folder / "camera.toml").string(), "--mode", "maximum"};
  const Show show = view(folder / "ball.npy", more);
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  const TestPicture whole = reference(usual_camera(), {{"mode", "maximum"}});
  const Json volume = show.report.at("per_panel").at(0).at("volume");
  CHECK(volume.at("still_ms").at("pictures") == 1);
  CHECK(volume.at("cast_s") > 0);
  for (const char* part : {"occupancy_s", "sample_cpu_s", "present_s", "decode_s"}) {
    CAPTURE(part);
    double sum = 0;  // one panel pays for what all of the host use
    for (const Json& panel : show.report.at("per_panel"))
      sum += panel.at("volume").at(part).get<double>();
    CHECK(sum > 0);
  }
  CHECK(volume.at("read_bricks") == 0);  // the file has none
  const double cast_cpu_s = show.report.at("volume").at("cast_cpu_s");
  CHECK(cast_cpu_s > 0);
  CHECK(show.report.at("volume").at("caster_cpu_s") > cast_cpu_s);
  CHECK(volume.at("held_bytes") > ball_size.voxels());
  CHECK(volume.at("memory_limit_bytes") >= volume.at("held_bytes"));
  for (const std::string& panel : pair_panels)
    CHECK(shown_by(show.report, panel) == std::vector<ShownHash>{{0, hash_on_panel(whole, panel)}});
}

TEST_CASE("of a pyramid that does not fit, panels show the level and part that the whole wall sees",
          "[view]") {
  const TemporaryFolder folder;
  const fs::path zarr = folder / "ball.zarr";
  write_ball_pyramid(zarr);
  std::ofstream(folder / "camera.toml") << "eye = [30, -60, 25]\nlook_at = [35, 31, 31]\n"
                                           "up = [0, 0, 1]\nfov_deg = 8\n";
  const Show show = view(
      zarr, {"--camera", (folder / "camera.toml").string(), "--memory", "1", "--range", "0,255"});
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(show.program.err.find("do not fit") != std::string::npos);

  // The same, without processes.
  VolumeJob job;
  job.path = zarr.string();
  job.memory_bytes = std::size_t{1} << 20;
  HostGpu gpu(CasterChoice::cpu);
  TimestepStore store(job, gpu, 1);
  VolumeCamera camera = usual_camera();
  camera.look_at = {35, 31, 31};
  camera.fov_rad = 8 * 3.14159265358979323846 / 180;
  REQUIRE(eventually([&] { return store.get(0) != nullptr; }));
  VolumeStyle style;
  style.transfer = named_transfer("default").value();
  style.range = ValueRange{0, 255};
  const auto choice =
      chosen_detail(store, 0, {camera, pair_canvas_px}, look_of(*store.get(0), style));
  REQUIRE(choice);
  CHECK(choice->level == 0);
  store.want_detail(0, *choice);
  REQUIRE(eventually([&] { return store.detail(0, *choice).ready != nullptr; }));
  CastMessage request;
  set_camera(request, camera);
  request.picture_width = request.width = pair_canvas_px.width;
  request.picture_height = request.height = pair_canvas_px.height;
  const TestPicture whole(pair_canvas_px);
  make_picture(*store.detail(0, *choice).ready, {"style", style}, request, whole.view(), 1);
  for (const std::string& panel : pair_panels)
    CHECK(shown_by(show.report, panel) == std::vector<ShownHash>{{0, hash_on_panel(whole, panel)}});
  for (const Json& panel : show.report.at("per_panel")) {
    const Json& volume = panel.at("volume");
    CHECK(volume.at("level") == 0);
    CHECK(volume.at("memory_limit_bytes") == 1 << 20);
    CHECK(volume.at("held_bytes") <= 1 << 20);
    CHECK(volume.at("read_bytes") > 0);
    CHECK(volume.at("read_bricks") > 0);
  }
}

TEST_CASE("panels of an arc cast rays from the wall's eye point", "[view]") {
  const TemporaryFolder folder;
  write_npy(folder / "ball.npy", 0);
  write_camera(folder / "camera.toml");
  const fs::path arc = folder / "arc.toml";
  std::ofstream(arc) << "columns = 2\nrows = 1\n[panels]\nsize_px = [160, 96]\n"
                        "[arc]\nincrement_deg = 40\n";
  const std::vector<ScreenFromEye> screens = screens_from_eye(load_wall(arc), BezelMode::show);
  const RectF all{0, 0, double(pair_canvas_px.width), double(pair_canvas_px.height)};
  const RegionPlane plane = region_plane(screens, all);
  for (const bool in_true_directions : {false, true}) {
    Words more = {"--camera",  (folder / "camera.toml").string(), "--mode", "maximum", "--wall",
                  arc.string()};
    VolumeCamera camera = usual_camera();
    if (in_true_directions) {
      more.insert(more.end(), {"--fov", "true"});
      camera.fov_rad = true_fov_rad(plane, all);
    }
    const Show show = view(folder / "ball.npy", more);
    CAPTURE(in_true_directions, show.program.err);
    REQUIRE(show.program.exit_code == 0);
    for (std::size_t i = 0; i < 2; ++i) {
      const TestPicture whole =
          reference(camera, {{"mode", "maximum"}}, 0, onto_plane(screens[i], plane, all));
      CHECK(shown_by(show.report, pair_panels[i]) ==
            std::vector<ShownHash>{{0, hash_on_panel(whole, pair_panels[i])}});
    }
  }
}

TEST_CASE("timesteps are shown one after the other", "[view]") {
  const TemporaryFolder folder;
  for (int step = 0; step < 3; ++step)
    write_npy(folder / ("ball-000" + std::to_string(step) + ".npy"), step);
  write_camera(folder / "camera.toml");
  const Show show = view(folder / "ball-%04d.npy", {"--camera", (folder / "camera.toml").string()});
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  for (const std::string& panel : pair_panels) {
    std::vector<ShownHash> expected;
    for (int step = 0; step < 3; ++step)
      expected.push_back(
          {step, hash_on_panel(reference(usual_camera(), Json::object(), step), panel)});
    CHECK(shown_by(show.report, panel) == expected);
  }
}

TEST_CASE("a number has the same colour in all timesteps, wherever the show begins", "[view]") {
  const TemporaryFolder folder;
  Words bricks = {tilewall_program, "brick", "-o", (folder / "all.zarr").string()};
  for (const int sevenths : {0, 3, 7}) {
    bricks.push_back((folder / ("ball-" + std::to_string(sevenths) + ".npy")).string());
    write_fainter(bricks.back(), sevenths);
  }
  REQUIRE(run_program(bricks).exit_code == 0);
  HostGpu gpu(CasterChoice::cpu);
  const auto greatest_of = [&](const std::string& input, std::int64_t first, std::int64_t then) {
    VolumeJob job;
    job.path = (folder / input).string();
    job.memory_bytes = std::size_t{16} << 20;
    TimestepStore store(job, gpu, 1);
    std::vector<float> greatest;
    for (const std::int64_t step : {first, then}) {
      REQUIRE(eventually([&] { return store.get(step) != nullptr; }));
      greatest.push_back(store.get(step)->whole.values.max);
    }
    return greatest;
  };
  // Of what says nothing of it: the first timestep's that has different values.
  const float faint = static_cast<float>(ball_voxel(11, 9, 7, 0) * 3 / 7);
  CHECK(greatest_of("ball-%d.npy", 2, 1) == std::vector<float>{faint, faint});
  CHECK(greatest_of("ball-%d.npy", 1, 2) == std::vector<float>{faint, faint});
  const float full = ball_voxel(11, 9, 7, 0);
  CHECK(greatest_of("all.zarr", 1, 2) == std::vector<float>{full, full});
}

TEST_CASE("several inputs are one series, in the order given", "[view]") {
  const TemporaryFolder folder;
  for (int step = 0; step < 2; ++step)
    write_npy(folder / ("ball-" + std::to_string(step) + ".npy"), step);
  write_camera(folder / "camera.toml");
  const Show show =
      show_volume({"view", (folder / "ball-1.npy").string(), (folder / "ball-0.npy").string()},
                  {"--camera", (folder / "camera.toml").string()});
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  for (const std::string& panel : pair_panels) {
    const auto hash = [&](int step) {
      return hash_on_panel(reference(usual_camera(), Json::object(), step), panel);
    };
    CHECK(shown_by(show.report, panel) == std::vector<ShownHash>{{0, hash(1)}, {1, hash(0)}});
  }
}

TEST_CASE("info tells of several inputs the series that view makes of them", "[view]") {
  const TemporaryFolder folder;
  Words words = {tilewall_program, "info", "--json"};
  for (int step = 0; step < 3; ++step) {
    words.push_back((folder / ("ball-" + std::to_string(step) + ".npy")).string());
    write_npy(words.back(), step);
  }
  const auto told = [&] { return Json::parse(run_program(words).out); };
  Json series = told();
  CAPTURE(series.dump());
  CHECK(series.at("last_file") == words.back());
  series.erase("last_file");
  words[3] = (folder / "ball-%d.npy").string();
  words.resize(4);
  Json pattern = told();
  for (Json* json : {&series, &pattern}) json->erase("file");
  CHECK(series == pattern);
  CHECK(series.at("timesteps") == 3);
  CHECK(series.at("value_range").at(1).get<double>() > 200);
}

TEST_CASE("info describes the part of a volume that its options name", "[view]") {
  const TemporaryFolder folder;
  const auto file = folder / "vectors.npy";
  {
    std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 2, 2, 3), }";
    header += std::string(118 - header.size() - 1, ' ') + "\n";
    std::ofstream npy(file, std::ios::binary);
    npy << std::string("\x93NUMPY\x01\x00\x76\x00", 10) << header;
    for (int voxel = 0; voxel < 8; ++voxel) npy << "\x01\x02\x07";
  }
  const Words words = {tilewall_program, "info", "--json", file.string()};
  const auto told = [&](const Words& options) {
    Words all = words;
    all.insert(all.end(), options.begin(), options.end());
    return run_program(all);
  };
  CHECK(Json::parse(told({"--component", "0"}).out).at("value_range") == Json({1, 1}));
  CHECK(Json::parse(told({"--component", "2"}).out).at("value_range") == Json({7, 7}));
  for (const Words& wrong : {Words{"--component", "3"}, Words{"--axis", "member"},
                             Words{"--axis", "member=0"}, Words{"--levels", "cubic"}}) {
    CAPTURE(wrong);
    const ProgramResult refused = told(wrong);
    CHECK(refused.exit_code == 2);
    CHECK(std::count(refused.err.begin(), refused.err.end(), '\n') == 1);
  }
}

TEST_CASE("play takes what hosts give for a volume", "[view]") {
  const TemporaryFolder folder;
  write_npy(folder / "ball.npy", 0);
  const Show show =
      show_volume({"play", (folder / "ball.npy").string()}, {"--memory", "3", "--caster", "cpu"});
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(show.report.at("per_panel").at(0).at("volume").at("memory_limit_bytes") == 3 << 20);
  const ProgramResult movie =
      run_program({tilewall_program, "play", "pattern:align", "--memory", "3", "--headless"});
  CHECK(movie.exit_code == 2);
  CHECK(movie.err.find("--memory: expected a volume") != std::string::npos);
}

TEST_CASE("a timestep that is gone leaves the one before, and is told once", "[view][bad-input]") {
  const TemporaryFolder folder;
  for (int step = 0; step < 3; ++step)
    write_npy(folder / ("ball-000" + std::to_string(step) + ".npy"), step);
  fs::resize_file(folder / "ball-0002.npy", 3000);
  write_camera(folder / "camera.toml");
  const Show show = view(folder / "ball-%04d.npy", {"--camera", (folder / "camera.toml").string()});
  CAPTURE(show.program.err);
  CHECK(show.program.exit_code == 0);
  const std::string& told = show.program.err;
  CHECK(told.find("ball-0002.npy: data: expected") != std::string::npos);
  CHECK(told.find("ball-0002.npy") == told.rfind("ball-0002.npy"));
  const auto shown = shown_by(show.report, "c0r0");
  REQUIRE(shown.size() == 3);
  CHECK(shown[2].hash == shown[1].hash);
}

TEST_CASE("a wall that shows nothing of its volume says so", "[view]") {
  const TemporaryFolder folder;
  write_npy(folder / "ball.npy", 0);
  std::ofstream(folder / "away.toml") << "eye = [0, -90, 0]\nlook_at = [0, -180, 0]\n";
  const Show show = view(folder / "ball.npy", {"--camera", (folder / "away.toml").string()});
  CHECK(show.program.exit_code == 0);
  CHECK(show.program.err.find("the volume is not visible") != std::string::npos);
}

TEST_CASE("one voxel that takes all colours is told, unless a range was chosen", "[view]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "dead-voxel.npy";
  write_npy(file, 0);
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(128);
  for (int i = 0; i < ball_size.x * ball_size.y * ball_size.z; ++i)
    bytes.put(static_cast<char>(i == 999 ? 255 : i % 5));
  bytes.close();
  const std::string told = "colours are for 0 to 255, and nearly all values lie in 0 to 4";
  const Show show = view(file, {});
  const std::string notes = show.report.value("notes", Json::array()).dump();
  CHECK_THAT(notes, Catch::Contains("dead-voxel.npy: " + told));
  CHECK_THAT(show.program.err, Catch::Contains("--range 0,4"));
  CHECK_FALSE(view(file, {"--range", "0,255"}).report.contains("notes"));
}

TEST_CASE("a volume that cannot be shown as asked is refused in one line", "[view]") {
  const TemporaryFolder folder;
  write_npy(folder / "ball.npy", 0);
  std::ofstream(folder / "broken.nrrd")
      << "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 2 -1 2\nencoding: raw\n\n";
  std::ofstream(folder / "camera.toml") << "eye = [1, 2]\n";
  std::ofstream(folder / "inside-out.toml") << "eye = [1, 2, 3]\nlook_at = [1, 2, 3]\n";
  std::ofstream(folder / "far.toml") << "eye = [1e9, 0, 0]\n";
  std::ofstream(folder / "flat.toml") << "fov_deg = 180\n";
  std::ofstream(folder / "none.toml") << "points = []\n";
  std::ofstream(folder / "small.nrrd")
      << "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 2 2 2\nencoding: raw\n\n12345678";
  const std::string good = (folder / "ball.npy").string();
  const std::vector<std::pair<Words, std::string>> cases = {
      {{(folder / "none.nrrd").string()}, "none.nrrd"},
      {{(folder / "broken.nrrd").string()}, "sizes"},
      {{good, (folder / "small.nrrd").string()}, "small.nrrd: size: expected 24 x 20 x 16"},
      {{good, "--step", "0"}, "--step"},
      {{good, "--mode", "fog"}, "--mode"},
      {{good, "--clip", "0.5,0.2,0,1,0,1"}, "--clip"},
      {{good, "--range", "5,5"}, "--range"},
      {{good, "--plane", "0,0,0,1"}, "--plane"},
      {{good, "--tf", "nosuch"}, "nosuch"},
      {{good, "--time", "1"}, "--time"},
      {{good, "--camera", (folder / "camera.toml").string()}, "eye"},
      {{good, "--camera", (folder / "inside-out.toml").string()}, "inside-out.toml: look_at"},
      {{good, "--camera", (folder / "far.toml").string()}, "far.toml: eye"},
      {{good, "--camera", (folder / "flat.toml").string()}, "flat.toml:1: fov_deg"},
      {{good, "--tf", (folder / "none.toml").string()}, "none.toml: points"},
      {{good, "--opacity", "nan"}, "--opacity"},
      {{good, "--dataset", "density"}, "ball.npy: dataset"},
      {{good, "--component", "1"}, "ball.npy: component"},
      {{good, "--background", "red"}, "--background"},
      {{good, "--fov", "180"}, "--fov"},
      {{good, "--fov", "true"}, "--fov"},
      {{good, "--caster", "gpu"}, "--caster"},
      {{good, "--memory", "0"}, "--memory"}};
  for (const auto& [more, named] : cases) {
    Words words = {tilewall_program, "view", "--wall", test_wall(pair_wall), "--headless"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_program(words);
    CAPTURE(named, result.err);
    CHECK(result.exit_code == 2);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK(result.err.find(named) != std::string::npos);
  }
}
