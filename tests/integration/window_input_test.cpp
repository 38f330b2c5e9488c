// What operators do at a window on an X server of our own. Each test that cannot run says so.

#include <X11/keysym.h>

#include <catch2/catch.hpp>
#include <thread>

#include "player/present/correction/copy_picture.hpp"
#include "player/present/presenter.hpp"
#include "tests/integration/xvfb.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/scoped_environment.hpp"

using namespace tilewall;
using namespace tilewall::present;
using namespace tilewall::wall;
using test::eventually;

namespace {

using Input = std::vector<OperatorInput>;

constexpr SizePx frame_buffer_px{120, 80};
constexpr PointPx window_at{40, 30};
constexpr unsigned left = 1, middle = 2, right = 3, wheel_forth = 4, wheel_back = 5;

/// A window on a display of its own.
struct Desktop {
  Xvfb server;
  test::ScopedEnvironment display;
  std::unique_ptr<Presenter> presenter;

  explicit Desktop(Xvfb&& started, Rotation rotation)
      : server(std::move(started)), display("DISPLAY", server.display_name()) {
    PresenterOptions options;
    options.kind = PresenterKind::cpu;
    options.title = "test";
    options.frame_buffer_px = frame_buffer_px;
    options.window_px = window_at;
    options.rotation = rotation;
    presenter = make_presenter(options);
    presenter->prepare(random_picture(turned_size_px(frame_buffer_px, rotation), 1).view());
    presenter->swap();
    (void)presenter->poll_input();
  }

  [[nodiscard]] Window window() const { return server.window_at({50, 40}); }

  void point_at(int x, int y) const { server.move_pointer({window_at.x + x, window_at.y + y}); }

  /// What has come a tenth of a second from now.
  [[nodiscard]] Input input_at_once() const {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    return presenter->poll_input();
  }

  /// What comes until nothing has come for a tenth of a second.
  [[nodiscard]] Input input() const {
    Input all;
    const auto something = [&] {
      const Input more = presenter->poll_input();
      all.insert(all.end(), more.begin(), more.end());
      return !more.empty();
    };
    eventually(something);
    while (eventually(something, std::chrono::milliseconds(100))) {
    }
    return all;
  }
};

std::unique_ptr<Desktop> desktop_or_say(Rotation rotation = Rotation::deg0) {
  auto server = Xvfb::start({640, 360}, 24);
  if (server) return std::make_unique<Desktop>(std::move(*server), rotation);
  WARN("skipped: Xvfb is not installed or does not start");
  return nullptr;
}

PointerEvent sum_of(const Input& input) {
  PointerEvent sum;
  for (const OperatorInput& one : input) {
    const auto& event = std::get<PointerEvent>(one);
    sum = {event.kind,
           event.at_px,
           {sum.by_px.x + event.by_px.x, sum.by_px.y + event.by_px.y},
           sum.steps + event.steps};
  }
  return sum;
}

}  // namespace

TEST_CASE("keys reach the wall, and closing the window is quit", "[present][window]") {
  const auto desktop = desktop_or_say();
  if (!desktop) return;
  const Window window = desktop->window();
  REQUIRE(window != None);
  struct Key {
    KeySym symbol;
    unsigned modifiers;
    OperatorKey meaning;
  };
  for (const Key& key : {Key{XK_space, 0, OperatorKey::toggle_pause},
                         {XK_Left, 0, OperatorKey::back},
                         {XK_Right, 0, OperatorKey::forward},
                         {XK_Page_Up, 0, OperatorKey::back_far},
                         {XK_Page_Down, 0, OperatorKey::forward_far},
                         {XK_Home, 0, OperatorKey::home},
                         {XK_End, 0, OperatorKey::end},
                         {XK_comma, 0, OperatorKey::step_back},
                         {XK_period, 0, OperatorKey::step_forward},
                         {XK_bracketleft, 0, OperatorKey::slower},
                         {XK_bracketright, 0, OperatorKey::faster},
                         {XK_BackSpace, 0, OperatorKey::normal_speed},
                         {XK_r, 0, OperatorKey::reverse},
                         {XK_l, 0, OperatorKey::toggle_loop},
                         {XK_g, 0, OperatorKey::ping_pong},
                         {XK_i, 0, OperatorKey::set_in},
                         {XK_c, 0, OperatorKey::clear_range},
                         {XK_n, 0, OperatorKey::next_item},
                         {XK_p, 0, OperatorKey::previous_item},
                         {XK_equal, 0, OperatorKey::zoom_in},
                         {XK_KP_Add, 0, OperatorKey::zoom_in},
                         {XK_minus, 0, OperatorKey::zoom_out},
                         {XK_KP_Subtract, 0, OperatorKey::zoom_out},
                         {XK_w, 0, OperatorKey::pan_up},
                         {XK_a, 0, OperatorKey::pan_left},
                         {XK_s, 0, OperatorKey::pan_down},
                         {XK_d, 0, OperatorKey::pan_right},
                         {XK_z, 0, OperatorKey::view_whole},
                         {XK_x, 0, OperatorKey::view_one_to_one},
                         {XK_b, 0, OperatorKey::toggle_blank},
                         {XK_m, 0, OperatorKey::toggle_mute},
                         {XK_9, 0, OperatorKey::volume_down},
                         {XK_0, 0, OperatorKey::volume_up},
                         {XK_o, 0, OperatorKey::toggle_overlay},
                         {XK_y, 0, OperatorKey::toggle_hints},
                         {XK_e, 0, OperatorKey::add_keyframe},
                         {XK_t, 0, OperatorKey::next_transfer},
                         {XK_k, 0, OperatorKey::toggle_annotations},
                         {XK_6, 0, OperatorKey::denser},
                         {XK_F2, 0, OperatorKey::cut_x_max},
                         {XK_q, 0, OperatorKey::quit},
                         {XK_Escape, 0, OperatorKey::quit}}) {
    CAPTURE(XKeysymToString(key.symbol));
    desktop->server.press_key(window, key.symbol, key.modifiers);
    CHECK(desktop->input() == Input{key.meaning});
  }
  desktop->server.press_key(window, XK_F11, 0);
  desktop->server.close_window(window);
  CHECK(desktop->input() == Input{OperatorKey::quit});
}

TEST_CASE("a key with shift or ctrl held means another thing", "[present][window]") {
  const auto desktop = desktop_or_say();
  if (!desktop) return;
  struct Key {
    KeySym modifier;
    KeySym symbol;
    OperatorKey meaning;
  };
  desktop->point_at(60, 40);
  desktop->server.click(right);  // nothing of its own
  for (const Key& key : {Key{XK_Shift_L, XK_Left, OperatorKey::back_far},
                         {XK_Control_L, XK_Right, OperatorKey::forward_far},
                         {XK_Shift_L, XK_equal, OperatorKey::zoom_in},
                         {XK_Shift_L, XK_i, OperatorKey::set_out},
                         {XK_Shift_L, XK_a, OperatorKey::slide_left},
                         {XK_Shift_L, XK_t, OperatorKey::previous_transfer},
                         {XK_Shift_L, XK_F2, OperatorKey::uncut_x_max},
                         {XK_Control_L, XK_i, OperatorKey::clear_range}}) {
    CAPTURE(XKeysymToString(key.symbol));
    desktop->server.hold_keys({key.modifier, key.symbol}, std::chrono::milliseconds(1));
    CHECK(desktop->input() == Input{key.meaning});
  }
  desktop->server.hold_keys({XK_Alt_L, XK_q}, std::chrono::milliseconds(1));
  desktop->server.hold_keys({XK_p}, std::chrono::milliseconds(1));
  CHECK(desktop->input() == Input{OperatorKey::previous_item});
}

TEST_CASE("keys that move the view repeat while they are held, others do not",
          "[present][window]") {
  const auto desktop = desktop_or_say();
  if (!desktop) return;
  constexpr std::chrono::milliseconds long_enough{1200};  // X servers begin after 0.66 s
  desktop->server.hold_keys({XK_d}, long_enough);
  const Input panned = desktop->input();
  CHECK(panned.size() > 2);
  CHECK(panned == Input(panned.size(), OperatorKey::pan_right));
  desktop->server.hold_keys({XK_n}, long_enough);
  CHECK(desktop->input() == Input{OperatorKey::next_item});
}

TEST_CASE("the wheel turns where the pointer is, whatever the panel's rotation",
          "[present][window]") {
  struct Case {
    Rotation rotation;
    PointF at_px;  // of frame buffer pixel (30, 20)
  };
  for (const Case& c : {Case{Rotation::deg0, {30.5, 20.5}},
                        {Rotation::deg90, {59.5, 30.5}},
                        {Rotation::deg180, {89.5, 59.5}},
                        {Rotation::deg270, {20.5, 89.5}}}) {
    const auto desktop = desktop_or_say(c.rotation);
    if (!desktop) return;
    CAPTURE(static_cast<int>(c.rotation));
    desktop->point_at(30, 20);
    for (int i = 0; i < 3; ++i) desktop->server.click(wheel_forth);
    CHECK(sum_of(desktop->input()) == PointerEvent{PointerKind::wheel, c.at_px, {}, 3});
    desktop->server.click(wheel_back);
    CHECK(sum_of(desktop->input()) == PointerEvent{PointerKind::wheel, c.at_px, {}, -1});
  }
}

TEST_CASE("a drag is told from where it began, also beyond the window, and merged",
          "[present][window]") {
  const auto desktop = desktop_or_say(Rotation::deg90);
  if (!desktop) return;
  desktop->point_at(10, 10);
  desktop->point_at(100, 20);  // no button is down
  desktop->server.hold_button(left);
  // SDL captures the pointer when it sees the button, which has to be before the pointer leaves.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  REQUIRE(desktop->presenter->poll_input().empty());
  for (int i = 1; i <= 50; ++i) desktop->point_at(100 + 3 * i, 20 + i);
  const Input moved = desktop->input_at_once();
  REQUIRE(moved.size() == 1);
  // Frame buffer x is down in the picture, y is to the left.
  CHECK(std::get<PointerEvent>(moved.front()) ==
        PointerEvent{PointerKind::drag, {59.5, 100.5}, {-50, 150}, 0});
  desktop->point_at(240, 70);
  CHECK(sum_of(desktop->input()) == PointerEvent{PointerKind::drag, {59.5, 100.5}, {0, -10}, 0});
  desktop->server.release_button(left);
  desktop->point_at(20, 20);
  desktop->server.click(wheel_forth);
  CHECK(sum_of(desktop->input()).kind == PointerKind::wheel);
}

TEST_CASE("the middle button, or shift and the left one, slide; the right one zooms",
          "[present][window]") {
  const auto desktop = desktop_or_say();
  if (!desktop) return;
  const auto moved_with = [&](unsigned button) {
    desktop->point_at(60, 40);
    CHECK(desktop->input_at_once().empty());
    desktop->server.hold_button(button);
    CHECK(desktop->input_at_once().empty());
    desktop->point_at(70, 10);
    const PointerEvent sum = sum_of(desktop->input());
    desktop->server.release_button(button);
    return sum;
  };
  const PointerEvent slide{PointerKind::slide, {60.5, 40.5}, {10, -30}, 0};
  CHECK(moved_with(middle) == slide);
  CHECK(moved_with(right) == PointerEvent{PointerKind::wheel, {60.5, 40.5}, {}, 1});
  desktop->server.hold_keys({XK_Shift_L}, [&] { CHECK(moved_with(left) == slide); });
}

TEST_CASE("a drag goes on beyond a window that has not the keyboard", "[present][window]") {
  const auto desktop = desktop_or_say();
  if (!desktop) return;
  desktop->server.take_keyboard();
  desktop->point_at(100, 20);
  desktop->server.hold_button(left);
  CHECK(desktop->input_at_once().empty());
  for (int i = 1; i <= 50; ++i) desktop->point_at(100 + 3 * i, 20 + i);
  CHECK(sum_of(desktop->input()) == PointerEvent{PointerKind::drag, {100.5, 20.5}, {150, 50}, 0});
  desktop->server.release_button(left);
  desktop->point_at(300, 80);
  CHECK(desktop->input_at_once().empty());
}

TEST_CASE("two clicks in one place are a double click", "[present][window]") {
  const auto desktop = desktop_or_say();
  if (!desktop) return;
  desktop->point_at(70, 50);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));  // until SDL has taken the focus in
  (void)desktop->presenter->poll_input();
  desktop->server.click(left);
  desktop->server.click(left);
  CHECK(desktop->input() == Input{PointerEvent{PointerKind::double_click, {70.5, 50.5}, {}, 0}});
}
