// A hand that drags a picture: many small requests a second become one smooth way of the view.

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

#include "player/director/verbs/operator_keys.hpp"
#include "player/director/verbs/show_control.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::present;
using namespace tilewall::scene;
using test::start;

namespace {

constexpr Nanos lead{100'000'000};
constexpr Nanos turn{7'000'000};           // of the director
constexpr Nanos move_interval{8'000'000};  // of the hand's events
constexpr double hand_px_s = 400;          // on the canvas

/// Of a hand that moves to the right and half as fast down.
CanvasPointer drag_by(double px) { return {PointerKind::drag, {1000, 500}, {px, px / 2}, 0}; }

/// What the wall shows of the movie, instant by instant.
class DraggedWall {
 public:
  explicit DraggedWall(bool paused)
      : control_(first_scene({movie_region("main", movie_source(100'000))}), lead) {
    control_.start(start);
    shown_ = control_.scene();
    now_ = start + Nanos(1);
    ask([&](SceneChange& change) {
      if (paused) change.pause("");
      change.set_view("", {300, 150, 400, 200}, Nanos(0));
    });
    run_for(std::chrono::milliseconds(400));
  }

  void ask(std::function<void(SceneChange&)> apply) { control_.ask({std::move(apply), {}}); }

  /// The hand moves for so long at its speed; positions are taken at every tick of the wall.
  void drag_for(Nanos time, double px_s) {
    drag_px_s_ = px_s;
    run_for(time);
    drag_px_s_ = 0;
  }

  void run_for(Nanos time) {
    for (const GlobalInstant end = now_ + time; now_ < end; now_ = now_ + Nanos(1'000'000)) {
      const auto since = (now_ - start).count();
      if (drag_px_s_ != 0 && since % move_interval.count() < 1'000'000)
        control_.ask({command_of_pointer(drag_by(drag_px_s_ * move_interval.count() / 1e9)), {}});
      if (since % turn.count() < 1'000'000) control_.step(now_, Nanos(0));
      if (now_ >= control_.scene().since) shown_ = control_.scene();
      positions.push_back(shown_view().x);
      downward.push_back(shown_view().y);
    }
  }

  std::vector<double> positions;  // of the view's left edge, each millisecond
  std::vector<double> downward;

 private:
  [[nodiscard]] RectF shown_view() const {
    const auto& view = shown_.regions.front().view;
    return view ? view->at(now_) : RectF{0, 0, 1000, 500};
  }

  ShowControl control_;
  Scene shown_;
  GlobalInstant now_;
  double drag_px_s_ = 0;
};

/// The fastest and the slowest speed over 20 ms in [from, end) milliseconds.
struct Speeds {
  double slowest = 1e9;
  double fastest = -1e9;
};
Speeds speeds_in(const std::vector<double>& positions, std::size_t from, std::size_t end) {
  constexpr std::size_t step_ms = 20;
  Speeds speeds;
  for (std::size_t i = from; i + step_ms < end; ++i) {
    const double speed = -(positions[i + step_ms] - positions[i]) * 1000. / step_ms;
    speeds.slowest = std::min(speeds.slowest, speed);
    speeds.fastest = std::max(speeds.fastest, speed);
  }
  return speeds;
}

}  // namespace

TEST_CASE("a drag at constant speed moves the view without jumps and without stops",
          "[director][sim]") {
  for (const bool paused : {true, false}) {
    CAPTURE(paused);
    DraggedWall wall(paused);
    wall.positions.clear();
    wall.downward.clear();
    wall.drag_for(std::chrono::milliseconds(1500), hand_px_s);
    // The view is 400 pixels of the movie wide, on a canvas of 2000.
    const double movie_px_s = hand_px_s * 400 / 2000;
    const Speeds all = speeds_in(wall.positions, 0, wall.positions.size());
    CHECK(all.fastest < 1.3 * movie_px_s);
    CHECK(all.slowest > -1e-6);
    const Speeds steady = speeds_in(wall.positions, 700, wall.positions.size());
    CHECK(steady.slowest > 0.85 * movie_px_s);
    CHECK(steady.fastest < 1.15 * movie_px_s);
    const Speeds down = speeds_in(wall.downward, 700, wall.downward.size());
    CHECK(down.slowest > 0.85 * movie_px_s / 2);
  }
}

TEST_CASE("a picture that was dragged comes to rest where the hand left it", "[director][sim]") {
  DraggedWall wall(true);
  const double from = wall.positions.back();
  wall.drag_for(std::chrono::milliseconds(800), hand_px_s);
  wall.run_for(std::chrono::milliseconds(600));
  const double moves = std::round(0.8 / 0.008);
  const double expected = from - moves * 0.008 * hand_px_s * 400 / 2000;
  CHECK(wall.positions.back() == Approx(expected).margin(1.5));
  const auto size = wall.positions.size();
  CHECK(wall.positions[size - 1] == wall.positions[size - 100]);
}
