// Shows with a helper that hangs: a caster, the host service, a decoder or a disk. Whatever hangs,
// the wall obeys, and what does not need it plays on.

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "tests/support/controlled_show.hpp"
#include "tests/support/counting_movie.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/places.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr int hang_frames = 24;

/// While it lives, programs that are started read frames from a disk that can hang.
class HangingDisk {
 public:
  explicit HangingDisk(fs::path file) : file_(std::move(file)) {
    ::setenv("LD_PRELOAD", preload_path(TILEWALL_SLOW_DISK).c_str(), 1);
    ::setenv("TILEWALL_TEST_READ_HANG", file_.c_str(), 1);
  }
  ~HangingDisk() {
    answer();
    ::unsetenv("LD_PRELOAD");
    ::unsetenv("TILEWALL_TEST_READ_HANG");
  }
  HangingDisk(const HangingDisk&) = delete;
  HangingDisk& operator=(const HangingDisk&) = delete;

  void hang() const { std::ofstream(file_) << "hangs\n"; }
  void answer() const { fs::remove(file_); }

 private:
  const fs::path file_;
};

/// A ball of 8 x 8 x 8 voxels.
void write_volume(const fs::path& file) {
  std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (8, 8, 8), }";
  header.resize(117, ' ');
  std::ofstream to(file, std::ios::binary);
  to << "\x93NUMPY" << '\x01' << '\0' << '\x76' << '\0' << header << '\n';
  for (int i = 0; i < 8 * 8 * 8; ++i) to.put(static_cast<char>(i % 251));
}

Json pattern_source() {
  return {{"kind", "pattern"}, {"path", "count"},   {"files", Json::array()},
          {"size_px", {0, 0}}, {"frames", 1 << 20}, {"rate_fps", {24, 1}},
          {"audio", ""}};
}

pid_t pid_of(const ControlledShow& show, const std::string& role) {
  return pid_in(show.run_dir() / "pids" / role);
}

bool plays(WallClient& client) {
  const Json status = client.ask({{"type", "status"}});
  return status.at("phase") == "playing" && status.at("frames_shown") > 2;
}

/// The number of pictures that all panels have shown so far.
std::int64_t shown_so_far(WallClient& client) {
  return client.ask({{"type", "status"}}).at("frames_shown");
}

/// Blanks the wall, and checks that all panels show it. On a machine so busy that no panel shows
/// anything within the limit of an answer it asks again.
Json blank(WallClient& client) {
  constexpr int most_tries = 3;
  Json done;
  for (int i = 0; i < most_tries && (i == 0 || !done.at("not_shown").empty()); ++i)
    done = client.ask({{"type", "blank"}, {"on", true}});
  CAPTURE(done.dump());
  CHECK(done.at("type") == "done");
  CHECK(done.at("shown") == Json(pair_panels));
  CHECK(done.at("not_shown") == Json::array());
  return done;
}

/// Checks that the panels' first picture from the change on was black, and stayed.
void check_black(const Json& report, const Json& done) {
  const TestPicture beyond =
      cropped(numbered_picture(pair_canvas_px, 0), {1000, 0}, pair_canvas_px);
  const std::string black = hash_on_panel(beyond, pair_panels.front());
  for (const std::string& panel : pair_panels) {
    CAPTURE(panel);
    CHECK(hash_shown_from(report, panel, done.at("at_ns")) == black);
  }
}

}  // namespace

TEST_CASE("a wall whose disk hangs is blanked at once, and plays on when it answers", "[play]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, hang_frames);
  const HangingDisk disk(folder / "hang");
  ControlledShow show(folder / "movie", "two-by-one.toml", {"--late", "drop"});
  Json blanked;
  Json unblanked;
  {
    WallClient client(show.run_dir());
    REQUIRE(eventually([&] { return plays(client); }));
    disk.hang();
    // A seek needs the disk. Its answer says that nobody shows it.
    const Json sought = client.ask({{"type", "seek"}, {"frame", 5}});
    CHECK(sought.at("type") == "done");
    CHECK(sought.at("not_shown") == Json(pair_panels));
    const ProgramResult told = show.ctl({"seek", "7"});
    CHECK(told.exit_code == 0);
    CHECK(told.out.find("not shown by c0r0, c1r0\n") != std::string::npos);
    blanked = blank(client);
    disk.answer();
    unblanked = client.ask({{"type", "blank"}, {"on", false}});
    CHECK(unblanked.at("shown") == Json(pair_panels));
  }
  const Json report = show.finish();
  check_black(report, blanked);
  for (const std::string& panel : pair_panels) {
    const std::string hash = hash_shown_from(report, panel, unblanked.at("at_ns"));
    bool is_frame = false;
    for (int frame = 0; frame < hang_frames; ++frame)
      is_frame |= hash == numbered_hash(frame, panel);
    CHECK(is_frame);
  }
}

TEST_CASE("beside a movie whose disk hangs the other regions play on", "[play]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, hang_frames);
  write_numbered_movie(folder / "other", pair_canvas_px, hang_frames);
  const HangingDisk disk(folder / "hang");
  ControlledShow show(folder / "movie", "two-by-one.toml", {"--late", "drop"});
  {
    WallClient client(show.run_dir());
    REQUIRE(eventually([&] { return plays(client); }));
    const Json added = client.ask({{"type", "add_region"},
                                   {"region", "count"},
                                   {"source", pattern_source()},
                                   {"canvas_px", {40, 20, 240, 40}}});
    REQUIRE(added.at("type") == "done");
    disk.hang();
    const std::int64_t before = shown_so_far(client);
    CHECK(eventually([&] { return shown_so_far(client) > before + 24; }, std::chrono::seconds(30)));
    // Another movie on that disk cannot be read, and is not waited for.
    const Json opened =
        client.ask({{"type", "open"},
                    {"source", movie_source_json(folder / "other", pair_canvas_px, hang_frames)}});
    CHECK(opened.at("type") == "done");
    const std::int64_t between = shown_so_far(client);
    CHECK(
        eventually([&] { return shown_so_far(client) > between + 24; }, std::chrono::seconds(30)));
    disk.answer();
  }
  show.finish();
}

TEST_CASE("a stopped caster delays neither a blank wall nor a pattern, and is started again",
          "[view]") {
  const TemporaryFolder folder;
  write_volume(folder / "ball.npy");
  ControlledShow show(folder / "ball.npy", "two-by-one.toml", {"--late", "drop"});
  WallClient client(show.run_dir());
  REQUIRE(eventually([&] { return fs::exists(show.run_dir() / "pids" / "caster"); }));
  REQUIRE(eventually([&] {
    const Json status = client.ask({{"type", "status"}});
    return status.at("phase") != "gathering" && status.at("frames_shown") > 0;
  }));
  const pid_t stopped = pid_of(show, "caster");
  REQUIRE(::kill(stopped, SIGSTOP) == 0);
  CHECK(client.ask({{"type", "camera"}, {"orbit_deg", {30, 10, 0}}}).at("type") == "done");
  const Json blanked = blank(client);
  CHECK(eventually([&] {
    const pid_t now = pid_of(show, "caster");
    return now > 0 && now != stopped && !is_alive(stopped);
  }));
  const Json back = client.ask({{"type", "blank"}, {"on", false}});
  CHECK(back.at("type") == "done");
  check_black(show.finish(), blanked);
}

TEST_CASE("a stopped host service delays no blank wall, and is started again", "[play]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.size_px = pair_canvas_px;
  options.frames = 48;
  make_counting_movie(folder / "one.mp4", options);
  make_counting_movie(folder / "two.mp4", options);
  ControlledShow show(folder / "one.mp4", "two-by-one.toml", {"--late", "drop"});
  WallClient client(show.run_dir());
  REQUIRE(eventually([&] { return plays(client); }));
  const pid_t stopped = pid_of(show, "host");
  REQUIRE(::kill(stopped, SIGSTOP) == 0);
  CHECK(show.ctl({"open", (folder / "two.mp4").string()}).exit_code == 0);  // needs the service
  const Json blanked = blank(client);
  CHECK(eventually([&] {
    const pid_t now = pid_of(show, "host");
    return now > 0 && now != stopped && !is_alive(stopped);
  }));
  const Json back = client.ask({{"type", "blank"}, {"on", false}});
  CHECK(back.at("type") == "done");
  const std::int64_t before = shown_so_far(client);
  CHECK(eventually([&] { return shown_so_far(client) > before + 10; }, std::chrono::seconds(30)));
  const Json report = show.finish();
  check_black(report, blanked);
  REQUIRE_FALSE(report.at("restarts").empty());
}

TEST_CASE("a stopped decoder is killed and started again", "[play]") {
  const TemporaryFolder folder;
  CountingMovieOptions options;
  options.size_px = pair_canvas_px;
  options.frames = 48;
  make_counting_movie(folder / "one.mp4", options);
  ControlledShow show(folder / "one.mp4", "two-by-one.toml", {"--late", "drop"});
  WallClient client(show.run_dir());
  REQUIRE(eventually([&] { return plays(client); }));
  const pid_t stopped = pid_of(show, "decoder");
  REQUIRE(::kill(stopped, SIGSTOP) == 0);
  CHECK(eventually([&] {
    const pid_t now = pid_of(show, "decoder");
    return now > 0 && now != stopped && !is_alive(stopped);
  }));
  const std::int64_t before = shown_so_far(client);
  CHECK(eventually([&] { return shown_so_far(client) > before + 10; }, std::chrono::seconds(30)));
  show.finish();
}
