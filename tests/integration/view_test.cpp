// `tilewall view` on a real wall: what its panels show, to the pixel, against one big picture.

#include <X11/keysym.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <fstream>
#include <map>
#include <thread>

#include "player/volume/caster/picture_maker.hpp"
#include "render/transfer/named_transfers.hpp"
#include "sync/base/file.hpp"
#include "tests/integration/xvfb.hpp"
#include "tests/support/controlled_show.hpp"
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

constexpr VolumeSize size{24, 20, 16};
const std::string wall_file = "two-by-one.toml";

/// A ball whose middle and size depend on `step`.
std::uint8_t voxel(int x, int y, int z, int step) {
  const double r = std::hypot(x - 11.5 - step, y - 9.5, z - 7.5);
  return static_cast<std::uint8_t>(std::max(0.0, 255 - 24 * r));
}

/// NumPy's order: z, y, x, the last one fastest.
void write_npy(const fs::path& file, int step) {
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (16, 20, 24), }";
  header.resize(117, ' ');
  std::ofstream to(file, std::ios::binary);
  to << "\x93NUMPY" << '\x01' << '\0' << '\x76' << '\0' << header << '\n';
  for (int z = 0; z < size.z; ++z)
    for (int y = 0; y < size.y; ++y)
      for (int x = 0; x < size.x; ++x) to.put(static_cast<char>(voxel(x, y, z, step)));
}

/// Of i / 7 times the ball's values.
void write_fainter(const fs::path& file, int sevenths) {
  write_npy(file, 0);
  std::fstream bytes(file, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(128);
  for (int z = 0; z < size.z; ++z)
    for (int y = 0; y < size.y; ++y)
      for (int x = 0; x < size.x; ++x)
        bytes.put(static_cast<char>(voxel(x, y, z, 0) * sevenths / 7));
}

/// The whole wall's picture by the caster, without processes; or as one that a screen tilted so is
/// a part of.
TestPicture reference(const VolumeCamera& camera, const Json& change, int step = 0,
                      const std::optional<PanelMap>& tilt = {}) {
  VoxelArray voxels(VoxelType::u8, size);
  std::uint8_t* to = voxels.voxels<std::uint8_t>().data();
  for (int z = 0; z < size.z; ++z)
    for (int y = 0; y < size.y; ++y)
      for (int x = 0; x < size.x; ++x) *to++ = voxel(x, y, z, step);
  ReadyTimestep timestep(Volume(std::move(voxels)), 1);
  VolumeStyle style;
  style.transfer = named_transfer("default").value();
  style = patched(style, change);
  CastMessage request;
  set_camera(request, camera);
  if (tilt) set_tilt(request, *tilt);
  request.picture_width = request.width = pair_canvas_px.width;
  request.picture_height = request.height = pair_canvas_px.height;
  TestPicture picture(pair_canvas_px);
  make_picture(timestep, {to_json(style).dump(), style}, request, picture.view(), 1);
  return picture;
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
    words.insert(words.end(), {"--wall", test_wall(wall_file)});
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
  CHECK(volume.at("held_bytes") > size.voxels());
  CHECK(volume.at("memory_limit_bytes") >= volume.at("held_bytes"));
  for (const std::string& panel : pair_panels)
    CHECK(shown_by(show.report, panel) == std::vector<ShownHash>{{0, hash_on_panel(whole, panel)}});
}

TEST_CASE("of a pyramid that does not fit, panels show the level and part that the whole wall sees",
          "[view]") {
  const TemporaryFolder folder;
  const fs::path zarr = folder / "ball.zarr";
  write_pyramid(
      zarr, {72, 64, 64}, 3,
      [](int x, int y, int z) {
        return static_cast<std::uint8_t>(
            std::max(0.0, 255 - 6 * std::hypot(x - 35.5, y - 31.5, z - 31.5)));
      },
      16);
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
  const float faint = static_cast<float>(voxel(11, 9, 7, 0) * 3 / 7);
  CHECK(greatest_of("ball-%d.npy", 2, 1) == std::vector<float>{faint, faint});
  CHECK(greatest_of("ball-%d.npy", 1, 2) == std::vector<float>{faint, faint});
  const float full = voxel(11, 9, 7, 0);
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

TEST_CASE("volumes that no panel shows any more are let go of", "[view]") {
  const TemporaryFolder folder;
  for (int i = 0; i < 4; ++i) write_npy(folder / ("ball-" + std::to_string(i) + ".npy"), i);
  ControlledShow show(folder / "ball-0.npy", wall_file);
  const auto casters = [&] {
    int count = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(show.run_dir() / "pids"))
      count += entry.path().filename().string().find("caster") == 0 ? 1 : 0;
    return count;
  };
  REQUIRE(eventually([&] {
    const ProgramResult status = show.ctl({"status", "--json"});
    return status.exit_code == 0 && Json::parse(status.out).at("frames_shown") > 0;
  }));
  for (int i = 1; i < 4; ++i)
    REQUIRE(
        show.ctl({"open", (folder / ("ball-" + std::to_string(i) + ".npy")).string()}).exit_code ==
        0);
  REQUIRE(eventually([&] { return fs::exists(show.run_dir() / "pids" / "caster-3"); }));
  // The one before is there for who comes back, for a moment.
  CHECK(eventually([&] { return casters() <= 2; }));
  CHECK(eventually([&] { return casters() == 1; }, std::chrono::seconds(30)));
  REQUIRE(show.ctl({"open", (folder / "ball-0.npy").string()}).exit_code == 0);
  CHECK(eventually([&] { return casters() == 2; }));
  show.finish();
}

TEST_CASE("a volume is turned and restyled while it is shown, also by a caster that came back",
          "[view]") {
  const TemporaryFolder folder;
  write_npy(folder / "ball.npy", 0);
  ControlledShow show(folder / "ball.npy", wall_file);
  REQUIRE(eventually([&] {
    const ProgramResult status = show.ctl({"status", "--json"});
    return status.exit_code == 0 && Json::parse(status.out).at("frames_shown") > 0;
  }));
  // What the wall shows once it stands still, by what the show says of itself: what a snapshot
  // waits for, however soon it is asked for.
  const auto settled = [&] {
    const fs::path file = folder / "settled.png";
    CHECK(show.ctl({"snapshot", file.string()}).out ==
          "snapshot: frame 0 in " + file.string() + "\n");
    const ProgramResult status = show.ctl({"status", "--json"});
    const Json region = Json::parse(status.out).at("scene").at("regions").at(0).at("volume");
    Json style = region.at("style");
    style.erase("transfer");
    TestPicture picture = reference(camera_from_json(region.at("camera")), style);
    CHECK(same_pixels(read_png(file).view(), picture.view()));
    return picture;
  };
  std::vector<TestPicture> expected;
  const ProgramResult turned = show.ctl({"camera", "orbit", "70,-20,10", "--glide", "0.3"});
  CAPTURE(turned.err);
  REQUIRE(turned.exit_code == 0);
  expected.push_back(settled());
  const pid_t caster = pid_in(show.run_dir() / "pids" / "caster");
  REQUIRE(caster > 0);
  ::kill(caster, SIGKILL);
  REQUIRE(
      show.ctl({"style", "mode=average", "clip=0,1,0,1,0,0.5", "background=#402010"}).exit_code ==
      0);
  expected.push_back(settled());
  REQUIRE(show.ctl({"zoom", "1.4"}).exit_code == 0);
  expected.push_back(settled());
  CHECK(show.ctl({"style", "mode=foggy"}).exit_code == 2);
  const Json report = show.finish();
  for (const std::string& panel : pair_panels) {
    std::vector<std::string> shown;
    for (const ShownHash& one : shown_by(report, panel)) shown.push_back(one.hash);
    for (const TestPicture& picture : expected)
      CHECK(std::count(shown.begin(), shown.end(), hash_on_panel(picture, panel)) > 0);
  }
}

TEST_CASE("all panels of a host change their pictures of a volume in tiles at the same ticks",
          "[view]") {
  const TemporaryFolder folder;
  write_pyramid(
      folder / "ball.zarr", {72, 64, 64}, 3,
      [](int x, int y, int z) {
        return static_cast<std::uint8_t>(
            std::max(0.0, 255 - 6 * std::hypot(x - 35.5, y - 31.5, z - 31.5)));
      },
      16);
  std::ofstream(folder / "camera.toml") << "eye = [30, -60, 25]\nlook_at = [35, 31, 31]\n"
                                           "up = [0, 0, 1]\nfov_deg = 8\n";
  ControlledShow show(folder / "ball.zarr", "two-by-two.toml", {"--memory", "1"});
  const auto level_is = [&](const std::function<bool(int)>& as_awaited) {
    return eventually([&] {
      const Json status = Json::parse(show.ctl({"status", "--json"}).out, nullptr, false);
      return status.is_object() && status.at("frames_shown") > 0 &&
             std::ranges::all_of(status.at("per_panel"), [&](const Json& panel) {
               return panel.at("volume").is_object() && as_awaited(panel.at("volume").at("level"));
             });
    });
  };
  REQUIRE(level_is([](int) { return true; }));
  REQUIRE(show.ctl({"camera", (folder / "camera.toml").string(), "--glide", "0"}).exit_code == 0);
  REQUIRE(level_is([](int level) { return level == 0; }));
  for (const char* mode : {"mode=maximum", "mode=average"}) {
    REQUIRE(show.ctl({"style", mode}).exit_code == 0);
    CHECK(level_is([](int level) { return level == 0; }));
  }
  const Json report = show.finish();
  // What each panel showed, by epoch and tick.
  std::vector<std::map<std::pair<std::size_t, std::int64_t>, std::string>> shown;
  for (const char* panel : {"c0r0", "c1r0", "c0r1", "c1r1"}) {
    shown.emplace_back();
    const auto epochs = epochs_of(report, panel);
    for (std::size_t epoch = 0; epoch < epochs.size(); ++epoch)
      for (const ShownPicture& one : epochs[epoch]) shown.back()[{epoch, one.tick}] = one.hash;
  }
  // The ticks at which a panel shows another picture than at the tick before, of those that all
  // panels showed. A wall that shows one state has the same ones on all panels.
  std::vector<std::vector<std::pair<std::size_t, std::int64_t>>> changes(shown.size());
  std::vector<std::string> before(shown.size());
  for (const auto& [at, hash] : shown.front()) {
    const auto shows = [&at = at](const auto& panel) { return panel.contains(at); };
    if (!std::ranges::all_of(shown, shows)) continue;
    for (std::size_t i = 0; i < shown.size(); ++i)
      if (std::exchange(before[i], shown[i].at(at)) != shown[i].at(at)) changes[i].push_back(at);
  }
  for (std::size_t i = 1; i < shown.size(); ++i) CHECK(changes[i] == changes[0]);
  // The first picture; and for each style a coarse one, its overview and its detail.
  CHECK(changes[0].size() >= 5);
}

TEST_CASE("a caster that dies again and again is left alone, and back for another style",
          "[view]") {
  const TemporaryFolder folder;
  write_npy(folder / "ball.npy", 0);
  ControlledShow show(folder / "ball.npy", wall_file);
  const auto status = [&] {
    return Json::parse(show.ctl({"status", "--json"}).out, nullptr, false);
  };
  REQUIRE(eventually([&] {
    const Json json = status();
    return json.is_object() && json.at("frames_shown") > 0;
  }));
  REQUIRE(show.ctl({"pause"}).exit_code == 0);  // a picture that stands is made once it can be
  const fs::path pid_file = show.run_dir() / "pids" / "caster";
  for (int death = 0; death < 5; ++death) {
    REQUIRE(eventually([&] { return is_alive(pid_in(pid_file)); }));
    const pid_t caster = pid_in(pid_file);
    ::kill(caster, SIGKILL);
    REQUIRE(eventually([&] { return !is_alive(caster); }));
  }
  const std::string expected = "a volume's caster died 5 times within 60 s, last by signal 9";
  REQUIRE(eventually([&] {
    return read_text_file(show.run_dir() / "logs" / "host.log", 1U << 20).find(expected) !=
           std::string::npos;
  }));
  REQUIRE(show.ctl({"style", "mode=maximum", "--glide", "0"}).exit_code == 0);
  REQUIRE(eventually([&] { return is_alive(pid_in(pid_file)); }));
  const Json region = status().at("scene").at("regions").at(0).at("volume");
  const TestPicture picture =
      reference(camera_from_json(region.at("camera")), {{"mode", "maximum"}});
  CHECK(eventually([&] {
    const Json panels = status().at("per_panel");
    return std::ranges::all_of(panels, [&](const Json& panel) {
      return panel.at("hash") == hash_on_panel(picture, panel.at("panel"));
    });
  }));
  for (const Json& panel : status().at("per_panel")) CHECK(panel.at("damaged_frames") <= 5);
  const Json report = show.finish();
  const std::string notes = report.at("notes").dump();
  CAPTURE(notes);
  CHECK(notes.find(expected) != std::string::npos);
  for (const std::string& panel : pair_panels)
    CHECK(shown_by(report, panel).back().hash == hash_on_panel(picture, panel));
}

TEST_CASE("keys and the pointer at a window turn, cut and restyle a volume", "[view][window]") {
  const auto server = Xvfb::start({400, 150}, 24);
  if (!server) {
    WARN("skipped: Xvfb is not installed or does not start");
    return;
  }
  const TemporaryFolder folder;
  write_npy(folder / "ball.npy", 0);
  RunningProgram program(
      {tilewall_program, "view", (folder / "ball.npy").string(), "--wall", test_wall(wall_file),
       "--presenter", "cpu", "--run-dir", (folder / "run").string()},
      ProgramOptions{{{"DISPLAY", server->display_name()}}, {}});
  Json volume;
  const auto comes = [&](const std::function<bool()>& what) {
    return eventually([&] {
      const ProgramResult status = run_program(
          {tilewall_program, "ctl", "status", "--json", "--run-dir", (folder / "run").string()});
      const Json json = Json::parse(status.out, nullptr, false);
      if (!json.is_object() || json.at("frames_shown") == 0) return false;
      volume = json.at("scene").at("regions").at(0).at("volume");
      return what();
    });
  };
  const auto press = [&](KeySym key) { server->press_key(server->window_at({10, 10}), key, 0); };
  REQUIRE(comes([&] { return volume.at("style").at("transfer") == "default"; }));
  const Json camera = volume.at("camera");
  press(XK_t);
  press(XK_F2);
  press(XK_v);
  CHECK(comes([&] {
    const Json& style = volume.at("style");
    return style.at("transfer") == "plasma" && style.at("clip_max").at(0) < 1 &&
           style.at("mode") == "maximum";
  }));
  server->move_pointer({100, 40});
  server->hold_button(2);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  server->move_pointer({120, 30});
  server->release_button(2);
  CHECK(comes([&] { return volume.at("camera").at("look_at") != camera.at("look_at"); }));
  press(XK_z);
  CHECK(comes([&] { return volume.at("camera") == camera; }));
  press(XK_q);
  CHECK(program.wait(std::chrono::seconds(20)).exit_code == 0);
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
  for (int i = 0; i < size.x * size.y * size.z; ++i)
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
    Words words = {tilewall_program, "view", "--wall", test_wall(wall_file), "--headless"};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramResult result = run_program(words);
    CAPTURE(named, result.err);
    CHECK(result.exit_code == 2);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK(result.err.find(named) != std::string::npos);
  }
}
