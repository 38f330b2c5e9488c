// What a tick's picture is drawn from: its regions, or the picture before where that is the same.

#include "player/panel/tick_drawer.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>

#include "tests/support/instants.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scene_maker.hpp"
#include "wallconfigs/wall.hpp"

using namespace tilewall;
using namespace tilewall::panel;
using namespace tilewall::picture;
using namespace tilewall::scene;
using test::at_ms;
using test::start;

namespace {
namespace tick_drawer_test {

constexpr SizePx panel_px{160, 96};

/// What the source does, and what it has done.
struct GrayMovie {
  DrawStatus status = DrawStatus::whole;
  FrameDamage damage = FrameDamage::none;
  std::optional<ReadyPictures> ready;
  int draws = 0;
};

/// Paints ten times the frame's number.
class GrayMovieSource final : public PictureSource {
 public:
  explicit GrayMovieSource(GrayMovie& movie) : movie_(movie) {}
  [[nodiscard]] SizePx size_px() const noexcept override { return panel_px; }
  [[nodiscard]] const DrawCounters& counters() const noexcept override { return counters_; }
  DrawStatus draw(std::int64_t frame, const Placement& /*placement*/, const ImageView& picture,
                  const ImageView* /*last_good*/) override {
    ++movie_.draws;
    counters_.damage = movie_.damage;
    for (int y = 0; y < picture.size_px.height; ++y)
      std::fill_n(picture.row(y), 4 * picture.size_px.width, static_cast<std::uint8_t>(10 * frame));
    return movie_.status;
  }
  [[nodiscard]] std::optional<ReadyPictures> ready(std::int64_t /*frame*/) override {
    return movie_.ready;
  }

 private:
  GrayMovie& movie_;
  DrawCounters counters_;
};

/// A panel that shows a movie on all of itself.
struct Drawn {
  explicit Drawn(bool hashes = true, bool live = false)
      : scene(scene_of(live)), drawer(composer, ring, hashes) {
    composer.begin(scene, true);
  }

  static Scene scene_of(bool live) {
    SourceSpec spec = *movie_source(10);
    spec.size_px = panel_px;
    if (live) spec.live = true;
    Scene scene = first_scene({movie_region("main", std::make_shared<const SourceSpec>(spec))});
    scene.regions[0].canvas_px = {0, 0, 160, 96};
    return scene;
  }
  static PanelConfig panel_config() {
    PanelConfig panel;
    panel.frame_buffer_px = panel_px;
    panel.places =
        PanelPlaces(wall::load_wall(test::source_path("tests/data/walls/two-by-one.toml")), 0);
    return panel;
  }

  DrawStatus draw(std::int64_t frame, std::size_t buffer, TickDetail detail = {},
                  LiveParts live_parts = LiveParts::as_they_are) {
    return drawer.draw(start, {frame}, detail, buffer, live_parts);
  }
  /// The gray of a buffer's last pixel.
  [[nodiscard]] int gray(std::size_t buffer) const {
    return ring.image(buffer).pixel(panel_px.width - 1, panel_px.height - 1)[0];
  }

  GrayMovie movie;
  Scene scene;
  PanelConfig config = panel_config();
  Composer composer{config,
                    [this](const SourceSpec&) { return std::make_unique<GrayMovieSource>(movie); },
                    [](const std::string& line) { FAIL(line); }};
  PictureRing ring{panel_px, 3};
  TickDrawer drawer;
};

}  // namespace tick_drawer_test
using tick_drawer_test::Drawn;
}  // namespace

TEST_CASE("a picture like the one before is copied from it", "[panel]") {
  Drawn panel;
  CHECK_FALSE(panel.drawer.last().buffer);
  CHECK(panel.draw(3, 0) == DrawStatus::whole);
  CHECK(panel.movie.draws == 1);
  CHECK(panel.drawer.last().buffer == 0);
  const std::uint64_t hash = panel.drawer.last().hash;
  CHECK(hash != 0);
  CHECK(panel.draw(3, 1) == DrawStatus::whole);
  CHECK(panel.movie.draws == 1);
  CHECK(panel.gray(1) == 30);
  CHECK(panel.drawer.last().buffer == 1);
  CHECK(panel.drawer.last().hash == hash);
  CHECK(panel.draw(4, 2) == DrawStatus::whole);
  CHECK(panel.movie.draws == 2);
  CHECK(panel.gray(2) == 40);
  CHECK(panel.gray(1) == 30);
  CHECK(panel.drawer.last().hash != hash);
  CHECK(panel.drawer.last().frames == RegionFrames{4});
}

TEST_CASE("pictures have hashes only where they are asked for", "[panel]") {
  Drawn panel(false);
  CHECK(panel.draw(3, 0) == DrawStatus::whole);
  CHECK(panel.drawer.last().hash == 0);
}

TEST_CASE("a picture is drawn again after another version of the scene, or in another detail",
          "[panel]") {
  Drawn panel;
  static_cast<void>(panel.draw(3, 0));
  panel.drawer.begin_scene();
  static_cast<void>(panel.draw(3, 1));
  CHECK(panel.movie.draws == 2);
  static_cast<void>(panel.draw(3, 2, TickDetail{.defers = true}));
  CHECK(panel.movie.draws == 3);
  static_cast<void>(panel.draw(3, 0, TickDetail{.defers = true}));
  CHECK(panel.movie.draws == 3);
}

TEST_CASE("a picture that lacked its frame is drawn again, one that may get finer is copied",
          "[panel]") {
  Drawn panel;
  static_cast<void>(panel.draw(2, 2));
  panel.movie.status = DrawStatus::damaged;
  panel.movie.damage = FrameDamage::repeated;
  CHECK(panel.draw(3, 0) == DrawStatus::damaged);
  CHECK(panel.drawer.last().damage == FrameDamage::repeated);
  panel.movie.status = DrawStatus::finer_available;
  panel.movie.damage = FrameDamage::none;
  CHECK(panel.draw(3, 1) == DrawStatus::finer_available);
  CHECK(panel.movie.draws == 3);
  CHECK(panel.drawer.last().better_comes);
  CHECK(panel.drawer.last().damage == FrameDamage::none);
  // The next tick shows the same frame in the same detail.
  CHECK(panel.draw(3, 2) == DrawStatus::finer_available);
  CHECK(panel.movie.draws == 3);
  CHECK(panel.drawer.last().better_comes);
}

TEST_CASE("a draw that was abandoned changes nothing of the last picture", "[panel]") {
  Drawn panel;
  static_cast<void>(panel.draw(3, 0));
  panel.movie.status = DrawStatus::abandoned;
  CHECK(panel.draw(4, 1) == DrawStatus::abandoned);
  CHECK(panel.drawer.last().frames == RegionFrames{3});
  CHECK(panel.drawer.last().buffer == 0);
  CHECK(panel.draw(3, 1) == DrawStatus::whole);  // a copy
  CHECK(panel.gray(1) == 30);
}

TEST_CASE("a live source's picture without its timestep counts as abandoned where asked so",
          "[panel]") {
  for (const FrameDamage damage : {FrameDamage::none, FrameDamage::repeated, FrameDamage::black}) {
    CAPTURE(static_cast<int>(damage));
    const bool lacks = damage != FrameDamage::none;
    Drawn panel(true, true);
    CHECK(panel.draw(2, 2, {}, LiveParts::complete) == DrawStatus::whole);
    panel.movie.damage = damage;
    panel.movie.status = lacks ? DrawStatus::damaged : DrawStatus::whole;
    const DrawStatus complete = panel.draw(3, 0, {}, LiveParts::complete);
    CHECK((complete == DrawStatus::abandoned) == lacks);
    CHECK(panel.drawer.last().buffer == (lacks ? 2 : 0));
    CHECK(panel.draw(4, 1) == panel.movie.status);
    CHECK(panel.drawer.last().buffer == 1);
  }
  Drawn movie;
  movie.movie.damage = FrameDamage::repeated;
  movie.movie.status = DrawStatus::damaged;
  CHECK(movie.draw(3, 0, {}, LiveParts::complete) == DrawStatus::damaged);
}

TEST_CASE("another epoch begins without frames, and with the picture to copy from", "[panel]") {
  Drawn panel;
  panel.movie.status = DrawStatus::finer_available;
  static_cast<void>(panel.draw(3, 0));
  panel.drawer.begin_epoch();
  CHECK(panel.drawer.last().frames.empty());
  CHECK(panel.drawer.last().status == DrawStatus::whole);
  CHECK_FALSE(panel.drawer.last().better_comes);
  static_cast<void>(panel.draw(3, 1));
  CHECK(panel.movie.draws == 1);
}

TEST_CASE("a picture that was drawn ahead is copied with all that is known of it", "[panel]") {
  Drawn panel;
  panel.movie.damage = FrameDamage::repeated;
  panel.movie.status = DrawStatus::damaged;
  static_cast<void>(panel.draw(3, 0));
  std::vector<std::uint8_t> pixels(std::size_t{4} * panel_px.width * panel_px.height, 77);
  ArmedPicture armed;
  armed.status = DrawStatus::finer_available;
  armed.better_comes = true;
  armed.hash = 1234;
  armed.pixels = {pixels.data(), panel_px, std::size_t{4} * panel_px.width};
  const LocalInstant before = local_now();
  panel.drawer.copy(armed, start, {5}, {}, 1);
  CHECK(panel.gray(1) == 77);
  CHECK(panel.movie.draws == 1);
  const DrawnPicture& last = panel.drawer.last();
  CHECK(last.frames == RegionFrames{5});
  CHECK(last.hash == 1234);
  CHECK(last.status == DrawStatus::finer_available);
  CHECK(last.better_comes);
  CHECK(last.damage == FrameDamage::none);
  CHECK(last.buffer == 1);
  CHECK(last.started >= before);
  CHECK(panel.draw(5, 2) == DrawStatus::finer_available);  // copied on
  CHECK(panel.gray(2) == 77);
}

TEST_CASE("a picture can be mended once its frame has come after the drawing began", "[panel]") {
  using std::chrono::seconds;
  Drawn panel;
  static_cast<void>(panel.draw(3, 0));
  const LocalInstant began = panel.drawer.last().started;
  const auto can_repair = [&] { return panel.drawer.can_repair(panel.scene, {3}); };
  CHECK_FALSE(can_repair());  // the source decodes in this process
  const LocalInstant earlier = began - seconds(1);
  const LocalInstant later = began + seconds(1);
  panel.movie.ready = {false, {{3, 4, later}}};
  CHECK(can_repair());
  panel.movie.ready = {false, {{3, 4, began}}};
  CHECK_FALSE(can_repair());
  panel.movie.ready = {false, {{3, 4, earlier}}};
  CHECK_FALSE(can_repair());
  panel.movie.ready = {false, {{2, 3, earlier}}};  // another frame
  CHECK(can_repair());
  panel.movie.ready = {false, {{4, 9, earlier}}};
  CHECK(can_repair());
  panel.movie.ready = {true, {{3, 4, later}}};
  CHECK_FALSE(can_repair());
}
