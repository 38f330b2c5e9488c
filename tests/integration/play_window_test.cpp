// A wall of windows on an X server of our own, looked at from outside.

#include <X11/Xatom.h>
#include <X11/keysym.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <thread>

#include "render/sync_strip.hpp"
#include "tests/integration/xvfb.hpp"
#include "tests/support/control_port.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/wall_client.hpp"

using namespace tilewall;
using namespace tilewall::render;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

constexpr SizePx screen_px = {400, 150};  // larger than the wall
constexpr SizePx wall_px = {320, 96};
constexpr int movie_frames = 12;

/// The wall's part of the screen.
TestPicture wall_on(const Xvfb& server) { return cropped(server.screenshot(), {0, 0}, wall_px); }

std::optional<Xvfb> start_or_say() {
  auto server = Xvfb::start(screen_px, 24);
  if (!server) WARN("skipped: Xvfb is not installed or does not start");
  return server;
}

/// A numbered movie on two windows.
class WindowShow {
 public:
  WindowShow(const Xvfb& server, const Words& more) : report_(folder_ / "report.json") {
    write_numbered_movie(folder_ / "movie", wall_px, movie_frames);
    Words words = {"--report", report_.string(), "--run-dir", run_dir().string()};
    words.insert(words.end(), more.begin(), more.end());
    program_.emplace(play_words(folder_ / "movie", "two-by-one.toml", words),
                     ProgramOptions{{{"DISPLAY", server.display_name()}}, {}});
  }

  [[nodiscard]] fs::path run_dir() const { return folder_ / "run"; }

  Show finish() { return end_of(*program_, report_); }

 private:
  const TemporaryFolder folder_;
  const fs::path report_;
  std::optional<RunningProgram> program_;
};

}  // namespace

TEST_CASE("two windows show one seamless picture, hold the last frame and end on q",
          "[play][window]") {
  const auto server = start_or_say();
  if (!server) return;
  WindowShow running(*server, {});
  const TestPicture last = numbered_picture(wall_px, movie_frames - 1);
  CHECK(eventually([&] { return same_pixels(wall_on(*server).view(), last.view()); }));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  CHECK(same_pixels(wall_on(*server).view(), last.view()));
  CHECK(server->window_at({0, 0}) != server->window_at({160, 0}));
  CHECK(server->window_at({330, 0}) == None);
  server->press_key(server->window_at({200, 50}), XK_q, 0);
  const Show show = running.finish();
  CAPTURE(show.program.err);
  CHECK(show.program.exit_code == 0);
  CHECK(show.report.at("frames_shown") == movie_frames);
}

TEST_CASE("o shows the overlay in both windows, playing, stopped and at the end",
          "[play][window]") {
  const auto server = start_or_say();
  if (!server) return;
  WindowShow running(*server, {"--loop", "--fps", "10", "--hashes", "--hints", "off"});
  const auto press = [&](KeySym key) { server->press_key(server->window_at({0, 0}), key, 0); };
  const auto number = [&] { return read_count_code(wall_on(*server).view()); };
  const auto boxes = [&] {  // windows with the overlay's ground in their upper left corner
    const TestPicture shown = wall_on(*server);
    const auto has_box = [&](PointPx at) {
      return pixel_at(shown.view(), at) == Bgrx{24, 18, 16, pixel_at(shown.view(), at)[3]};
    };
    return (has_box({5, 3}) ? 1 : 0) + (has_box({165, 3}) ? 1 : 0);
  };
  REQUIRE(eventually([&] { return number().has_value(); }));
  press(XK_space);
  press(XK_Home);
  REQUIRE(eventually([&] { return number() == 0 && boxes() == 0; }));
  press(XK_o);
  CHECK(eventually([&] { return boxes() == 2; }));
  press(XK_period);
  press(XK_o);
  CHECK(eventually([&] { return number() == 1 && boxes() == 0; }));
  press(XK_space);
  press(XK_o);
  CHECK(eventually([&] { return boxes() == 2; }));
  press(XK_q);
  const Show show = running.finish();
  CAPTURE(show.program.err);
  CHECK(show.program.exit_code == 0);
  for (const ShownHash& shown : shown_by(show.report, "c0r0"))
    CHECK(shown.hash ==
          hex(hash_of(cropped(numbered_picture(wall_px, shown.frame), {0, 0}, {160, 96}))));
}

TEST_CASE("without a wall file the windows stand in the middle of the desktop's work area",
          "[play][window]") {
  const auto server = start_or_say();
  if (!server) return;
  Display* const display = server->display();
  const long areas[] = {0, 0, 400, 150, 40, 20, 330, 124};  // of two desktops
  const long current = 1;
  const auto set = [&](const char* name, const long* numbers, int count) {
    XChangeProperty(display, DefaultRootWindow(display), XInternAtom(display, name, False),
                    XA_CARDINAL, 32, PropModeReplace,
                    reinterpret_cast<const unsigned char*>(numbers), count);
  };
  set("_NET_WORKAREA", areas, 8);
  set("_NET_CURRENT_DESKTOP", &current, 1);
  XSync(display, False);
  RunningProgram show({tilewall_program, "play", "pattern:white"},
                      {{{"DISPLAY", server->display_name()}}, {}});
  const PointPx corner = {45, 22};  // 5x3 panels of 64x40 in the area of the second desktop
  const auto at = [&](int x, int y) { return server->window_at({corner.x + x, corner.y + y}); };
  REQUIRE(eventually([&] { return at(0, 0) != None && at(319, 119) != None; },
                     std::chrono::seconds(30)));
  CHECK(at(-1, 0) == None);
  CHECK(at(0, -1) == None);
  CHECK(at(320, 119) == None);
  CHECK(at(319, 120) == None);
  CHECK(at(63, 39) == at(0, 0));
  CHECK(at(64, 0) != at(0, 0));
  show.send_signal(SIGTERM);
  CHECK(show.wait(std::chrono::seconds(20)).exit_code == 0);
}

TEST_CASE("a key leaves a hint in both windows for a while, also over what stands still",
          "[play][window]") {
  const auto server = start_or_say();
  if (!server) return;
  WindowShow running(*server, {"--loop", "--fps", "10", "--hashes"});
  const auto press = [&](KeySym key) { server->press_key(server->window_at({0, 0}), key, 0); };
  const auto has_hint = [&](PointPx at) {  // the ground of its box
    const Bgrx shown = pixel_at(wall_on(*server).view(), at);
    return shown == Bgrx{24, 18, 16, shown[3]};
  };
  const auto both_have = [&] { return has_hint({5, 3}) && has_hint({165, 3}); };
  const auto none_has = [&] { return !has_hint({5, 3}) && !has_hint({165, 3}); };
  const auto shows = [&](std::int64_t frame) {
    return same_pixels(wall_on(*server).view(), numbered_picture(wall_px, frame).view());
  };
  REQUIRE(eventually([&] { return read_count_code(wall_on(*server).view()).has_value(); }));
  press(XK_space);
  press(XK_Home);
  CHECK(eventually(both_have));
  CHECK(eventually([&] { return shows(0); }));  // the hint is gone, the picture has stayed
  press(XK_m);                                  // changes no picture
  CHECK(eventually(both_have));
  CHECK(eventually([&] { return shows(0); }));
  press(XK_y);
  CHECK(eventually(both_have));
  CHECK(eventually(none_has));
  press(XK_period);
  CHECK(eventually([&] { return shows(1); }));
  press(XK_q);
  const Show show = running.finish();
  CAPTURE(show.program.err);
  CHECK(show.program.exit_code == 0);
  for (const ShownHash& shown : shown_by(show.report, "c0r0"))
    CHECK(shown.hash ==
          hex(hash_of(cropped(numbered_picture(wall_px, shown.frame), {0, 0}, {160, 96}))));
}

TEST_CASE("with --exit-at-end windows go after the last frame", "[play][window]") {
  const auto server = start_or_say();
  if (!server) return;
  WindowShow running(*server, {"--exit-at-end", "--hashes"});
  const Show show = running.finish();
  CAPTURE(show.program.err);
  CHECK(show.program.exit_code == 0);
  const auto shown = shown_by(show.report, "c1r0");
  REQUIRE(shown.size() == movie_frames);
  CHECK(shown[7].hash == hex(hash_of(cropped(numbered_picture(wall_px, 7), {160, 0}, {160, 96}))));
}

namespace {

/// Space, step, home, space, q.
void check_keys(const Xvfb& server, const Words& more) {
  WindowShow running(server, more);
  const auto number = [&] { return read_count_code(wall_on(server).view()); };
  const auto press = [&](KeySym key) { server.press_key(server.window_at({0, 0}), key, 0); };
  const auto moves = [&] {  // within a second, far more than a frame
    const auto now = number();
    return eventually([&] { return number() && number() != now; }, std::chrono::seconds(1));
  };
  REQUIRE(eventually([&] { return number().has_value(); }));
  CHECK(moves());
  WallClient client(running.run_dir());
  REQUIRE(client.ask({{"type", "subscribe"}}).at("type") == "done");
  press(XK_space);
  CHECK(eventually([&] { return !moves(); }));
  // Those who watch the show are told of the key, and at which window it was pressed.
  CHECK(eventually([&] {
    static_cast<void>(client.ask({{"type", "status"}}));
    return std::ranges::any_of(client.events(), [](const nlohmann::json& event) {
      return event.at("event") == "command" && event.at("from") == "key c0r0" &&
             event.at("request") == nlohmann::json{{"type", "key"}, {"key", "toggle_pause"}} &&
             event.at("error").is_null();
    });
  }));
  const auto stopped = number();
  REQUIRE(stopped);
  CHECK(same_pixels(wall_on(server).view(), numbered_picture(wall_px, *stopped).view()));
  press(XK_period);
  CHECK(eventually(
      [&] { return number() == std::min<std::int64_t>(*stopped + 1, movie_frames - 1); }));
  press(XK_Home);
  CHECK(eventually([&] { return number() == 0; }));
  CHECK_FALSE(moves());
  press(XK_space);
  CHECK(eventually(moves));
  press(XK_q);
  const Show show = running.finish();
  CAPTURE(show.program.err);
  CHECK(show.program.exit_code == 0);
}

}  // namespace

TEST_CASE("space stops both windows at one frame, then step, home and space act on both",
          "[play][window]") {
  const auto server = start_or_say();
  if (!server) return;
  for (const char* late : {"slow", "drop"}) {
    CAPTURE(late);
    check_keys(*server, {"--loop", "--late", late, "--hints", "off"});
  }
}

TEST_CASE("a drag from one window into the next moves the picture by all of its way",
          "[play][window]") {
  const auto server = start_or_say();
  if (!server) return;
  WindowShow running(*server, {"--loop"});
  REQUIRE(eventually([&] { return read_count_code(wall_on(*server).view()).has_value(); }));
  ControlPort port(running.run_dir());
  CHECK(port.ask({{"type", "view"}, {"view_px", {80, 24, 160, 48}}}).at("type") == "done");
  const auto view_left = [&] {
    const nlohmann::json region = port.ask({{"type", "status"}}).at("scene").at("regions").at(0);
    return region.at("view_px").at(0).get<double>();
  };
  server->take_keyboard();  // one of several windows never has it
  server->move_pointer({60, 40});
  server->hold_button(1);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  for (int i = 1; i <= 30; ++i) {
    server->move_pointer({60 + 4 * i, 40});
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(eventually([&] { return view_left() == Approx(20); }));
  server->release_button(1);
  CHECK(port.ask({{"type", "quit"}}).at("type") == "done");
  CHECK(running.finish().program.exit_code == 0);
}
