// What events of a mouse mean over a panel's window.

#include "player/present/window/window_pointer.hpp"

#include <catch2/catch.hpp>

using namespace tilewall;
using namespace tilewall::present;
using wall::Rotation;

namespace {

/// The pointer over a window of 200x100 pixels, and the input that it has made.
class PointerOfTest {
 public:
  explicit PointerOfTest(Rotation rotation = Rotation::deg0) : pointer_({200, 100}, rotation) {
    SDL_SetModState(KMOD_NONE);
  }
  ~PointerOfTest() { SDL_SetModState(KMOD_NONE); }

  void press(Uint8 button, int x, int y, Uint8 clicks = 1) {
    SDL_Event event = {};
    event.type = SDL_MOUSEBUTTONDOWN;
    event.button.button = button;
    event.button.x = x;
    event.button.y = y;
    event.button.clicks = clicks;
    pointer_.take(event, input);
  }
  void release(Uint8 button) {
    SDL_Event event = {};
    event.type = SDL_MOUSEBUTTONUP;
    event.button.button = button;
    pointer_.take(event, input);
  }
  void move(int x, int y) {
    SDL_Event event = {};
    event.type = SDL_MOUSEMOTION;
    event.motion.x = x;
    event.motion.y = y;
    pointer_.take(event, input);
  }
  void wheel(float steps, int x, int y, bool is_flipped = false) {
    SDL_Event event = {};
    event.type = SDL_MOUSEWHEEL;
    event.wheel.preciseY = steps;
    event.wheel.mouseX = x;
    event.wheel.mouseY = y;
    event.wheel.direction = is_flipped ? SDL_MOUSEWHEEL_FLIPPED : SDL_MOUSEWHEEL_NORMAL;
    pointer_.take(event, input);
  }
  WindowPointer* operator->() { return &pointer_; }

  [[nodiscard]] PointerEvent event(std::size_t index) const {
    return std::get<PointerEvent>(input.at(index));
  }

  std::vector<OperatorInput> input;

 private:
  WindowPointer pointer_;
};

bool is_event(const PointerEvent& event, PointerKind kind, PointF at, PointF by, double steps) {
  CAPTURE(event.at_px.x, event.at_px.y, event.by_px.x, event.by_px.y, event.steps);
  CHECK(event.kind == kind);
  CHECK(event.at_px == at);
  CHECK(event.by_px == by);
  CHECK(event.steps == Approx(steps));
  return true;
}

}  // namespace

TEST_CASE("moves of one drag are one event from where it began", "[present]") {
  PointerOfTest pointer;
  pointer.move(3, 4);
  CHECK(pointer.input.empty());
  pointer.press(SDL_BUTTON_LEFT, 10, 20);
  CHECK(pointer.input.empty());
  pointer.move(13, 25);
  pointer.move(11, 26);
  REQUIRE(pointer.input.size() == 1);
  CHECK(is_event(pointer.event(0), PointerKind::drag, {10.5, 20.5}, {1, 6}, 0));
  // What came between begins another one, from the same place.
  pointer.input.emplace_back(OperatorKey::quit);
  pointer.move(12, 26);
  REQUIRE(pointer.input.size() == 3);
  CHECK(is_event(pointer.event(2), PointerKind::drag, {10.5, 20.5}, {1, 0}, 0));
  pointer.release(SDL_BUTTON_RIGHT);  // another button
  pointer.move(13, 26);
  CHECK(is_event(pointer.event(2), PointerKind::drag, {10.5, 20.5}, {2, 0}, 0));
  pointer.release(SDL_BUTTON_LEFT);
  pointer.move(50, 50);
  CHECK(pointer.input.size() == 3);
  pointer.press(SDL_BUTTON_LEFT, 60, 20);
  pointer.move(61, 20);
  REQUIRE(pointer.input.size() == 4);
  CHECK(is_event(pointer.event(3), PointerKind::drag, {60.5, 20.5}, {1, 0}, 0));
}

TEST_CASE("a drag keeps its button and its meaning", "[present]") {
  PointerOfTest pointer;
  pointer.press(SDL_BUTTON_LEFT, 10, 20);
  pointer.press(SDL_BUTTON_MIDDLE, 90, 90);  // while the first one is down
  SDL_SetModState(KMOD_LSHIFT);
  pointer.move(11, 20);
  CHECK(is_event(pointer.event(0), PointerKind::drag, {10.5, 20.5}, {1, 0}, 0));
  pointer.release(SDL_BUTTON_LEFT);
  pointer.press(SDL_BUTTON_LEFT, 10, 20);  // now with shift
  pointer.move(10, 22);
  CHECK(is_event(pointer.event(1), PointerKind::slide, {10.5, 20.5}, {0, 2}, 0));
  SDL_SetModState(KMOD_NONE);
  pointer.release(SDL_BUTTON_LEFT);
  pointer.press(SDL_BUTTON_MIDDLE, 1, 2);
  pointer.move(2, 2);
  CHECK(is_event(pointer.event(2), PointerKind::slide, {1.5, 2.5}, {1, 0}, 0));
  pointer.release(SDL_BUTTON_MIDDLE);
  pointer.press(SDL_BUTTON_X1, 5, 5);  // an unusual one
  pointer.move(9, 9);
  CHECK(pointer.input.size() == 3);
}

TEST_CASE("a drag with the right button zooms a step of the wheel for 30 pixels up", "[present]") {
  PointerOfTest pointer;
  pointer.press(SDL_BUTTON_RIGHT, 10, 90);
  pointer.move(40, 75);
  CHECK(is_event(pointer.event(0), PointerKind::wheel, {10.5, 90.5}, {0, 0}, 0.5));
  pointer.move(40, 99);
  REQUIRE(pointer.input.size() == 1);
  CHECK(is_event(pointer.event(0), PointerKind::wheel, {10.5, 90.5}, {0, 0}, -0.3));
}

TEST_CASE("the wheel's steps are at the pointer, and natural scrolling is undone", "[present]") {
  PointerOfTest pointer;
  pointer.wheel(1.5F, 20, 30);
  CHECK(is_event(pointer.event(0), PointerKind::wheel, {20.5, 30.5}, {0, 0}, 1.5));
  pointer.wheel(1, 20, 30, true);
  CHECK(is_event(pointer.event(1), PointerKind::wheel, {20.5, 30.5}, {0, 0}, -1));
  pointer.wheel(0, 20, 30);  // sideways
  CHECK(pointer.input.size() == 2);
}

TEST_CASE("the second click with the left button in one place is a double click", "[present]") {
  PointerOfTest pointer;
  for (const Uint8 clicks : {Uint8{1}, Uint8{2}, Uint8{3}}) {
    pointer.press(SDL_BUTTON_LEFT, 7, 8, clicks);
    pointer.release(SDL_BUTTON_LEFT);
  }
  pointer.press(SDL_BUTTON_RIGHT, 7, 8, 2);
  REQUIRE(pointer.input.size() == 1);
  CHECK(is_event(pointer.event(0), PointerKind::double_click, {7.5, 8.5}, {0, 0}, 0));
}

TEST_CASE("places and moves are those of the picture as it is viewed", "[present]") {
  // The frame buffer's upper left corner is the picture's upper right one where the panel is turned
  // by 90 degrees, the lower right one by 180, the lower left one by 270.
  const auto dragged = [](Rotation rotation) {
    PointerOfTest pointer(rotation);
    pointer.press(SDL_BUTTON_LEFT, 0, 0);
    pointer.move(3, 1);
    return pointer.event(0);
  };
  CHECK(is_event(dragged(Rotation::deg0), PointerKind::drag, {0.5, 0.5}, {3, 1}, 0));
  CHECK(is_event(dragged(Rotation::deg90), PointerKind::drag, {99.5, 0.5}, {-1, 3}, 0));
  CHECK(is_event(dragged(Rotation::deg180), PointerKind::drag, {199.5, 99.5}, {-3, -1}, 0));
  CHECK(is_event(dragged(Rotation::deg270), PointerKind::drag, {0.5, 199.5}, {1, -3}, 0));
}

TEST_CASE("a drag goes on outside of the window while its button is down", "[present]") {
  PointerOfTest pointer;
  CHECK_FALSE(pointer->drags_outside());
  pointer.press(SDL_BUTTON_LEFT, 10, 20);
  CHECK(pointer->drags_outside());  // no window of SDL's has the pointer
  pointer->follow({10, 20, SDL_BUTTON_LMASK}, pointer.input);
  CHECK(pointer.input.empty());  // it has not moved
  pointer->follow({-5, 20, SDL_BUTTON_LMASK | SDL_BUTTON_RMASK}, pointer.input);
  CHECK(is_event(pointer.event(0), PointerKind::drag, {10.5, 20.5}, {-15, 0}, 0));
  pointer->follow({-9, 20, SDL_BUTTON_RMASK}, pointer.input);  // it was released there
  CHECK_FALSE(pointer->drags_outside());
  pointer.move(50, 50);
  CHECK(pointer.input.size() == 1);
}

TEST_CASE("the cursor shows while the pointer moves", "[present]") {
  PointerOfTest pointer;
  CHECK(SDL_ShowCursor(SDL_QUERY) == SDL_DISABLE);
  pointer->hide_rested_cursor();
  pointer.move(1, 1);
  CHECK(SDL_ShowCursor(SDL_QUERY) == SDL_ENABLE);
}
