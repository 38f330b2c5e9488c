// Windows on an X server of our own, looked at from outside. Each test that cannot run says so.

#include <catch2/catch.hpp>

#include "player/present/correction/copy_picture.hpp"
#include "player/present/presenter.hpp"
#include "sync/base/error.hpp"
#include "tests/integration/xvfb.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/scoped_environment.hpp"

using namespace tilewall;
using namespace tilewall::present;
using namespace tilewall::wall;
using test::eventually;
using test::ScopedEnvironment;

namespace {

constexpr SizePx screen_px = {640, 360};

std::optional<Xvfb> start_or_say(int depth_bits = 24) {
  auto server = Xvfb::start(screen_px, depth_bits);
  if (!server) WARN("skipped: Xvfb is not installed or does not start");
  return server;
}

PresenterOptions window_options(PresenterKind kind, PointPx at) {
  PresenterOptions options;
  options.kind = kind;
  options.title = "test";
  options.frame_buffer_px = {120, 80};
  options.window_px = at;
  return options;
}

PresenterOptions turned_window_options(PresenterKind kind, PointPx at) {
  PresenterOptions options = window_options(kind, at);
  options.rotation = Rotation::deg90;
  options.color = {{1, 0.9, 0.8}, {1, 1.1, 0.7}};
  return options;
}

void show(Presenter& presenter, const TestPicture& picture) {
  presenter.prepare(picture.view());
  presenter.swap();
}

ImageView part_of(const TestPicture& picture, PointPx at, SizePx size) {
  const ImageView whole = picture.view();
  return {whole.pixel(at.x, at.y), size, whole.stride_bytes};
}

/// What the presenter must put into the frame buffer.
TestPicture turned(const TestPicture& picture, const PresenterOptions& options) {
  TestPicture out(options.frame_buffer_px);
  const auto tables = color_tables_for(options.color);
  copy_picture(picture.view(), options.rotation, tables ? &*tables : nullptr, out.view());
  return out;
}

const PresenterKind window_kinds[] = {PresenterKind::cpu, PresenterKind::gl};

}  // namespace

TEST_CASE("two windows stand where they were asked to, without borders, pixel for pixel",
          "[present][window]") {
  const auto server = start_or_say();
  if (!server) return;
  const ScopedEnvironment display("DISPLAY", server->display_name());
  const auto left_options = window_options(PresenterKind::cpu, {40, 30});
  const auto right_options = turned_window_options(PresenterKind::cpu, {160, 30});
  const auto left = make_presenter(left_options);
  const auto right = make_presenter(right_options);
  const TestPicture left_picture = random_picture({120, 80}, 1);
  const TestPicture right_picture = random_picture({80, 120}, 2);
  show(*left, left_picture);
  show(*right, right_picture);
  const TestPicture screen = server->screenshot();
  CHECK(same_pixels(part_of(screen, {40, 30}, {120, 80}), left_picture.view()));
  const TestPicture expected = turned(right_picture, right_options);
  CHECK(same_pixels(part_of(screen, {160, 30}, {120, 80}), expected.view()));
  CHECK(same_pixels(right->shown(), expected.view()));
  for (const PointPx beside : {PointPx{39, 30}, {40, 29}, {280, 30}, {160, 110}})
    CHECK(pixel_at(screen.view(), beside) == Bgrx{0, 0, 0, 0});
}

TEST_CASE("a GL window stands where it was asked to, pixel for pixel", "[present][window]") {
  const auto server = start_or_say();
  if (!server) return;
  const ScopedEnvironment display("DISPLAY", server->display_name());
  const auto options = turned_window_options(PresenterKind::gl, {160, 30});
  const auto presenter = make_presenter(options);
  const TestPicture picture = random_picture({80, 120}, 2);
  show(*presenter, picture);
  const TestPicture screen = server->screenshot();
  const TestPicture expected = turned(picture, options);
  CHECK(same_pixels(part_of(screen, {160, 30}, {120, 80}), expected.view()));
  CHECK(same_pixels(presenter->shown(), expected.view()));
}

TEST_CASE("a window manager that moves windows does not move a panel's", "[present][window]") {
  const auto server = start_or_say();
  if (!server) return;
  const ScopedEnvironment display("DISPLAY", server->display_name());
  const StubbornWindowManager manager(server->display_name());
  for (const PresenterKind kind : window_kinds) {
    CAPTURE(static_cast<int>(kind));
    const auto presenter = make_presenter(window_options(kind, {200, 100}));
    const TestPicture picture = random_picture({120, 80}, 1);
    CHECK(eventually([&] {
      (void)presenter->poll_input();
      show(*presenter, picture);
      return same_pixels(part_of(server->screenshot(), {200, 100}, {120, 80}), picture.view());
    }));
  }
}

TEST_CASE("an uncovered window shows its last picture again, never the one that is not yet due",
          "[present][window]") {
  const auto server = start_or_say();
  if (!server) return;
  const ScopedEnvironment display("DISPLAY", server->display_name());
  for (const PresenterKind kind : window_kinds) {
    CAPTURE(static_cast<int>(kind));
    const auto presenter = make_presenter(window_options(kind, {40, 30}));
    const TestPicture first = random_picture({120, 80}, 1);
    const TestPicture second = random_picture({120, 80}, 2);
    const auto on_screen = [&](const TestPicture& picture) {
      (void)presenter->poll_input();
      return same_pixels(part_of(server->screenshot(), {40, 30}, {120, 80}), picture.view());
    };
    show(*presenter, first);
    REQUIRE(on_screen(first));
    server->expose_all();
    CHECK(eventually([&] { return on_screen(first); }));
    presenter->prepare(second.view());
    CHECK(on_screen(first));
    server->expose_all();
    CHECK_FALSE(on_screen(second));
    presenter->swap();
    CHECK(on_screen(second));
  }
}

TEST_CASE("a display of another depth shows the picture as well as it can", "[present][window]") {
  const auto server = start_or_say(16);
  if (!server) return;
  const ScopedEnvironment display("DISPLAY", server->display_name());
  const auto presenter = make_presenter(window_options(PresenterKind::cpu, {40, 30}));
  const TestPicture picture = random_picture({120, 80}, 1);
  show(*presenter, picture);
  CHECK(same_pixels(presenter->shown(), picture.view()));
}

TEST_CASE("without a display a window is refused in one line that says what to do",
          "[present][window]") {
  const ScopedEnvironment driver("SDL_VIDEODRIVER", "");
  const ScopedEnvironment wayland("WAYLAND_DISPLAY", "");
  for (const PresenterKind kind :
       {PresenterKind::cpu, PresenterKind::gl, PresenterKind::automatic}) {
    {
      const ScopedEnvironment display("DISPLAY", "");
      CHECK_THROWS_WITH(make_presenter(window_options(kind, {0, 0})),
                        "no display: DISPLAY is not set; set it, or use --headless");
    }
    const ScopedEnvironment display("DISPLAY", ":9999");
    CHECK_THROWS_WITH(make_presenter(window_options(kind, {0, 0})),
                      Catch::StartsWith("no display: DISPLAY \":9999\" cannot be opened") &&
                          Catch::EndsWith("use --headless"));
  }
}

TEST_CASE("automatic takes the CPU where no GPU draws", "[present][window]") {
  const auto server = start_or_say();
  if (!server) return;
  const ScopedEnvironment display("DISPLAY", server->display_name());
  const GlProbe probe = probe_gl();
  CAPTURE(probe.renderer);
  auto options = window_options(PresenterKind::automatic, {0, 0});
  CHECK(make_presenter(options)->name() == (probe.usable && probe.hardware ? "gl" : "cpu"));
  options.gl = GlProbe{.usable = true, .hardware = true, .renderer = "a GPU"};
  CHECK(make_presenter(options)->name() == "gl");
  options.gl = GlProbe{.usable = true, .hardware = false, .renderer = "llvmpipe"};
  CHECK(make_presenter(options)->name() == "cpu");
  const ScopedEnvironment library("SDL_OPENGL_LIBRARY", "no-such-library.so");
  CHECK_FALSE(probe_gl().usable);
}
