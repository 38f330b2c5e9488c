// What a panel draws of a scene's regions, above all when a source has nothing in time.

#include "player/panel/composer.hpp"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <future>
#include <map>

#include "player/panel/slate_painter.hpp"
#include "player/picture/bgrx.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/places.hpp"
#include "tests/support/scene_maker.hpp"
#include "wallconfigs/wall.hpp"

using namespace tilewall;
using namespace tilewall::panel;
using namespace tilewall::picture;
using namespace tilewall::scene;
using namespace tilewall::wall;
using test::start;

namespace {

constexpr SizePx panel_px{160, 96};
constexpr SizePx movie_px{80, 96};
constexpr RectF left_half{0, 0, 80, 96};
constexpr RectF right_half{80, 0, 80, 96};

/// Paints one gray, unless it has nothing.
class GraySource final : public PictureSource {
 public:
  GraySource(std::uint8_t gray, const bool& has_nothing, const bool& has_better,
             std::map<int, int>& left)
      : gray_(gray), has_nothing_(has_nothing), has_better_(has_better), left_(left) {}
  [[nodiscard]] SizePx size_px() const noexcept override { return movie_px; }
  [[nodiscard]] const DrawCounters& counters() const noexcept override { return counters_; }
  DrawStatus draw(std::int64_t /*frame*/, const Placement& /*placement*/, const ImageView& picture,
                  const ImageView* last_good) override {
    const RectPx all{0, 0, picture.size_px.width, picture.size_px.height};
    const bool repeats = has_nothing_ && !has_better_;
    counters_.damage = repeats ? FrameDamage::repeated : FrameDamage::none;
    if (repeats) {
      copy_or_blacken(last_good, picture, all);
      return DrawStatus::damaged;
    }
    for (int y = 0; y < all.height; ++y) std::fill_n(picture.row(y), 4 * all.width, gray_);
    return has_better_ ? DrawStatus::finer_available : DrawStatus::whole;
  }
  void leave() override { ++left_[gray_]; }

 private:
  const std::uint8_t gray_;
  const bool& has_nothing_;
  const bool& has_better_;
  std::map<int, int>& left_;
  DrawCounters counters_;
};

/// A panel that shows two movies, /50 and /200.
struct TwoMovies {
  bool nothing = false;
  bool dark_has_better = false;
  bool light_has_better = false;
  DrawStatus status = DrawStatus::whole;
  std::map<int, int> left;  // how often each was told that nothing is drawn of it
  PanelConfig config = left_panel();
  SourcePtr dark = movie("/50");
  SourcePtr light = movie("/200");
  Composer composer{config,
                    [this](const SourceSpec& spec) {
                      const int gray = std::stoi(spec.path.substr(1));
                      const bool& better = gray == 50 ? dark_has_better : light_has_better;
                      return std::make_unique<GraySource>(static_cast<std::uint8_t>(gray), nothing,
                                                          better, left);
                    },
                    [](const std::string& line) { FAIL(line); }};
  std::vector<std::uint8_t> memory[2];
  bool is_first = true;

  static PanelConfig left_panel() {
    PanelConfig panel;
    panel.frame_buffer_px = panel_px;
    panel.places = PanelPlaces(load_wall(test::source_path("tests/data/walls/two-by-one.toml")), 0);
    return panel;
  }
  static SourcePtr movie(const std::string& path) {
    SourceSpec spec = *movie_source(10, path);
    spec.size_px = movie_px;
    return std::make_shared<const SourceSpec>(spec);
  }
  Scene scene(const RectF& dark_px, const RectF& light_px) const {
    Scene scene = first_scene({movie_region("dark", dark), movie_region("light", light)});
    scene.regions[0].canvas_px = dark_px;
    scene.regions[1].canvas_px = light_px;
    return scene;
  }
  /// The grays in the middle of both halves of the next picture.
  std::pair<int, int> draw(const Scene& scene) {
    composer.begin(scene, true);
    std::swap(memory[0], memory[1]);
    for (auto& bytes : memory)
      bytes.resize(std::size_t{4} * panel_px.width * panel_px.height, std::uint8_t{99});
    const auto view = [&](int i) {
      return ImageView{memory[i].data(), panel_px, std::size_t{4} * panel_px.width};
    };
    const ImageView last = view(1);
    status = composer.draw(composer.plan(start, {0, 0}), view(0),
                           std::exchange(is_first, false) ? nullptr : &last);
    return {view(0).pixel(40, 48)[0], view(0).pixel(120, 48)[0]};
  }
};

}  // namespace

TEST_CASE("parts with the same pixels are equal, and a change of any of them is seen", "[panel]") {
  scene::Region regions[2];
  RegionPart part;
  part.region = &regions[0];
  CHECK(part == RegionPart(part));
  using Change = void (*)(RegionPart&);
  for (const Change change : std::initializer_list<Change>{
           [](RegionPart& one) { one.shown.frame = 1; }, [](RegionPart& one) { one.stays = true; },
           [](RegionPart& one) { one.opacity = 0.5; }, [](RegionPart& one) { one.note = "t 7"; },
           [](RegionPart& one) { one.shot = std::make_shared<const scene::VolumeShot>(); }}) {
    RegionPart other = part;
    change(other);
    CHECK_FALSE(other == part);
    CHECK_FALSE(part == other);
  }
  RegionPart other = part;
  other.region = &regions[1];
  CHECK_FALSE(other == part);
}

TEST_CASE("a region that has nothing new keeps its own last picture", "[panel]") {
  TwoMovies panel;
  const Scene scene = panel.scene(left_half, right_half);
  CHECK(panel.draw(scene) == std::pair(50, 200));
  panel.nothing = true;
  CHECK(panel.draw(scene) == std::pair(50, 200));
  CHECK(panel.draw(scene) == std::pair(50, 200));
}

TEST_CASE("a frame without a picture before it is black, and one with it is repeated", "[panel]") {
  TwoMovies panel;
  const Scene scene = panel.scene(left_half, right_half);
  panel.nothing = true;
  panel.draw(scene);
  CHECK(panel.composer.damage() == FrameDamage::black);
  panel.draw(scene);
  CHECK(panel.composer.damage() == FrameDamage::black);  // what would be repeated is black
  panel.nothing = false;
  panel.draw(scene);
  CHECK(panel.composer.damage() == FrameDamage::none);
  panel.nothing = true;
  panel.draw(scene);
  CHECK(panel.composer.damage() == FrameDamage::repeated);
}

TEST_CASE("a region that has nothing does not hide that another one has better soon", "[panel]") {
  TwoMovies panel;
  const Scene scene = panel.scene(left_half, right_half);
  panel.draw(scene);
  CHECK_FALSE(panel.composer.better_comes());
  panel.nothing = true;
  panel.dark_has_better = true;
  CHECK(panel.draw(scene) == std::pair(50, 200));
  CHECK(panel.composer.better_comes());
  panel.dark_has_better = false;
  panel.draw(scene);
  CHECK_FALSE(panel.composer.better_comes());
}

TEST_CASE("a picture of several regions is as complete as the least complete of them", "[panel]") {
  TwoMovies panel;
  const Scene scene = panel.scene(left_half, right_half);
  panel.draw(scene);
  CHECK(panel.status == DrawStatus::whole);
  panel.dark_has_better = true;
  panel.draw(scene);
  CHECK(panel.status == DrawStatus::finer_available);
  panel.dark_has_better = false;
  panel.light_has_better = true;
  panel.draw(scene);
  CHECK(panel.status == DrawStatus::finer_available);
  panel.nothing = true;  // the dark one has nothing at all
  panel.draw(scene);
  CHECK(panel.status == DrawStatus::damaged);
}

TEST_CASE("what another region drew never stands in for a region that has nothing", "[panel]") {
  TwoMovies panel;
  const Scene before = panel.scene(left_half, right_half);
  const Scene swapped = panel.scene(right_half, left_half);
  CHECK(panel.draw(before) == std::pair(50, 200));
  panel.nothing = true;
  CHECK(panel.draw(swapped) == std::pair(0, 0));
  panel.nothing = false;
  CHECK(panel.draw(swapped) == std::pair(200, 50));
}

TEST_CASE("a movie that is shown on other panels only, or nowhere, is left", "[panel]") {
  TwoMovies panel;
  panel.draw(panel.scene(left_half, right_half));  // opens both
  const auto left_after = [&](const Scene& scene) {
    panel.left.clear();
    panel.composer.begin(scene, true);
    panel.composer.leave_unseen(panel.composer.plan(start, {0, 0}), {0, 0});
    return panel.left;
  };
  CHECK(left_after(panel.scene(left_half, right_half)).empty());
  CHECK(left_after(panel.scene({200, 0, 80, 96}, right_half)) == std::map<int, int>{{50, 1}});
  Scene black = panel.scene(left_half, right_half);
  black.blank = true;
  CHECK(left_after(black) == std::map<int, int>{{50, 1}, {200, 1}});
  panel.light = panel.dark;  // one movie in two regions, one of which is seen
  CHECK(left_after(panel.scene({200, 0, 80, 96}, right_half)).empty());
}

namespace {

struct StillClock final : GlobalClock {
  [[nodiscard]] ClockMapping mapping() const noexcept override { return {}; }
};

/// Paints one gray, unless its disk does not answer: then it waits until the picture is unwanted.
class HangingSource final : public PictureSource {
 public:
  HangingSource(std::uint8_t gray, const std::atomic<bool>& hangs, const DrawCancellation& needed)
      : gray_(gray), hangs_(hangs), needed_(needed) {}
  [[nodiscard]] SizePx size_px() const noexcept override { return movie_px; }
  [[nodiscard]] const DrawCounters& counters() const noexcept override { return counters_; }
  DrawStatus draw(std::int64_t /*frame*/, const Placement& /*placement*/, const ImageView& picture,
                  const ImageView* /*last_good*/) override {
    while (hangs_) {
      if (needed_.is_unwanted()) return DrawStatus::abandoned;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    for (int y = 0; y < picture.size_px.height; ++y)
      std::fill_n(picture.row(y), 4 * picture.size_px.width, gray_);
    return DrawStatus::whole;
  }
  [[nodiscard]] bool is_late() override { return hangs_; }

 private:
  const std::uint8_t gray_;
  const std::atomic<bool>& hangs_;
  const DrawCancellation& needed_;
  DrawCounters counters_;
};

/// A panel that plays a movie of gray 50 on a disk that may hang, and beside it one of gray 200.
struct HangingMovie {
  std::atomic<bool> hangs{false};
  std::promise<void> opens;  // the dark movie is opened once it is set
  std::shared_future<void> opening = opens.get_future().share();
  PanelConfig config = TwoMovies::left_panel();
  SourcePtr dark = TwoMovies::movie("/50");
  SourcePtr light = TwoMovies::movie("/200");
  const std::atomic<bool> never{false};
  SceneSlot scenes;
  const StillClock clock{};
  DrawCancellation cancellation{scenes, clock};
  Composer composer{config,
                    [this](const SourceSpec& spec) {
                      if (spec.path == "/50") opening.wait();
                      const auto gray = static_cast<std::uint8_t>(std::stoi(spec.path.substr(1)));
                      return std::make_unique<HangingSource>(
                          gray, spec.path == "/50" ? hangs : never, cancellation);
                    },
                    [](const std::string& line) { FAIL(line); }, &cancellation};
  std::vector<std::uint8_t> memory[2];
  std::shared_ptr<const Scene> shown;

  /// Begins a scene with the two regions, or with the light one alone.
  void begin(bool with_dark = true) {
    std::vector<Region> regions = {movie_region("light", light)};
    regions[0].canvas_px = right_half;
    if (with_dark) {
      regions.insert(regions.begin(), movie_region("dark", dark));
      regions[0].canvas_px = left_half;
    }
    Scene scene = first_scene(regions);
    scene.since = start;
    scene.version = shown ? shown->version + 1 : 1;
    shown = std::make_shared<const Scene>(std::move(scene));
    scenes.set(shown);
    cancellation.set_version(shown->version);
    cancellation.set_epoch(1);
    cancellation.clear_limit();
    composer.begin(*shown, false);
  }
  std::pair<int, int> draw() {
    REQUIRE(composer.open(start));
    std::swap(memory[0], memory[1]);
    for (auto& bytes : memory)
      bytes.resize(std::size_t{4} * panel_px.width * panel_px.height, std::uint8_t{99});
    const auto view = [&](int i) {
      return ImageView{memory[i].data(), panel_px, std::size_t{4} * panel_px.width};
    };
    const ImageView last = view(1);
    status =
        composer.draw(composer.plan(start, RegionFrames(shown->regions.size(), 0)), view(0), &last);
    return {view(0).pixel(40, 48)[0], view(0).pixel(120, 48)[0]};
  }
  DrawStatus status = DrawStatus::whole;
};

}  // namespace

TEST_CASE("a region whose disk does not answer keeps its picture, and the others go on",
          "[panel]") {
  HangingMovie panel;
  panel.opens.set_value();
  panel.begin();
  CHECK(panel.draw() == std::pair(50, 200));
  CHECK_FALSE(panel.composer.has_late());
  panel.hangs = true;
  for (int i = 0; i < 3; ++i) {
    CHECK(panel.draw() == std::pair(50, 200));
    CHECK(panel.status == DrawStatus::damaged);
    CHECK(panel.composer.damage() == FrameDamage::repeated);
    CHECK(panel.composer.has_late());
    CHECK_FALSE(panel.composer.can_draw_late());
  }
  panel.hangs = false;
  CHECK(panel.composer.can_draw_late());
  CHECK(panel.draw() == std::pair(50, 200));
  CHECK(panel.status == DrawStatus::whole);
  CHECK_FALSE(panel.composer.has_late());
  panel.hangs = true;
  panel.begin(false);  // a scene without the region has nothing that is late
  CHECK(panel.draw() == std::pair(0, 200));
  CHECK_FALSE(panel.composer.has_late());
}

TEST_CASE("a region whose source is still being opened is black, and the others go on", "[panel]") {
  HangingMovie panel;
  panel.begin();
  CHECK(panel.draw() == std::pair(0, 200));
  CHECK(panel.composer.damage() == FrameDamage::black);
  CHECK_FALSE(panel.composer.can_draw_late());
  panel.opens.set_value();
  CHECK(test::eventually([&] { return panel.composer.can_draw_late(); }));
  CHECK(panel.draw() == std::pair(50, 200));
  CHECK(panel.status == DrawStatus::whole);
}

TEST_CASE("a slate hides its region, and never stands in for a picture after it", "[panel]") {
  TwoMovies panel;
  Scene scene = panel.scene(left_half, right_half);
  CHECK(panel.draw(scene) == std::pair(50, 200));
  scene.regions[0].slate = "a\nb";
  panel.nothing = true;
  const auto [slated, light] = panel.draw(scene);
  CHECK(slated != 50);
  CHECK(slated > 0);
  CHECK(light == 200);
  CHECK(panel.composer.part_damages() == std::vector{FrameDamage::repeated, FrameDamage::repeated});
  scene.regions[0].slate.clear();
  CHECK(panel.draw(scene) == std::pair(0, 200));  // it still has nothing, and the slate is gone
  panel.nothing = false;
  CHECK(panel.draw(scene) == std::pair(50, 200));
  CHECK(panel.composer.part_damages() == std::vector{FrameDamage::none, FrameDamage::none});
}

TEST_CASE("a slate is drawn anew where its text or any of its places changes", "[panel]") {
  constexpr SizePx size_px{160, 48};
  SlatePainter painter;
  Region region = movie_region("main", movie_source(10));
  region.canvas_px = {0, 0, 320, 96};
  region.slate = "movie\nno signal since 12:34:56";
  RectF panel_px{0, 0, 160, 48};
  RectPx drawn_px{0, 0, 160, 48};
  const auto painted_by = [&](SlatePainter& by) {
    std::vector<std::uint8_t> pixels(std::size_t{4} * size_px.width * size_px.height);
    by.paint(region, drawn_px, {panel_px, size_px},
             {pixels.data(), size_px, std::size_t{4} * size_px.width});
    return pixels;
  };
  const auto check_like_a_new_one = [&] {
    SlatePainter other;
    const auto fresh = painted_by(other);
    CHECK(painted_by(painter) == fresh);
    CHECK(painted_by(painter) == fresh);
  };
  check_like_a_new_one();
  region.canvas_px = {0, 0, 160, 48};
  check_like_a_new_one();
  region.slate = "movie\nno signal since 12:34:57";
  check_like_a_new_one();
  panel_px = {40, 10, 160, 48};
  check_like_a_new_one();
  drawn_px = {20, 4, 100, 30};
  check_like_a_new_one();
}

TEST_CASE("a slate goes on from panel to panel", "[panel]") {
  const auto card_on = [](const RectF& canvas_px, SizePx size_px) {
    const auto row = std::size_t{4} * static_cast<std::size_t>(size_px.width);
    std::vector<std::uint8_t> pixels(row * static_cast<std::size_t>(size_px.height));
    const ImageView picture{pixels.data(), size_px, row};
    Region region = movie_region("main", movie_source(10));
    region.canvas_px = {0, 0, 320, 96};
    region.slate = "movie\nno signal since 12:34:56";
    SlatePainter painter;
    for (int i = 0; i < 2; ++i)  // the second one is a copy
      painter.paint(region, {0, 0, size_px.width, size_px.height}, {canvas_px, size_px}, picture);
    return pixels;
  };
  const auto whole = card_on({0, 0, 320, 96}, {320, 96});
  const auto right = card_on({160, 0, 160, 96}, {160, 96});
  bool has_text = false;
  for (std::size_t y = 0; y < 96; ++y) {
    const auto row = whole.begin() + static_cast<std::ptrdiff_t>(4 * (y * 320 + 160));
    CHECK(std::equal(row, row + 4 * 160, right.begin() + static_cast<std::ptrdiff_t>(640 * y)));
    has_text |= std::any_of(row, row + 4 * 160, [](std::uint8_t value) { return value == 146; });
  }
  CHECK(has_text);
}

TEST_CASE("a source that cannot be opened is tried again, and reported once", "[panel]") {
  const PanelConfig config = TwoMovies::left_panel();
  const StillClock clock{};
  SceneSlot scenes;
  DrawCancellation cancellation{scenes, clock};
  const std::atomic<bool> never{false};
  std::atomic<bool> is_there{false};
  int reported = 0;
  Composer composer{config,
                    [&](const SourceSpec&) {
                      if (!is_there) throw InputError("the disk is away");
                      return std::make_unique<HangingSource>(std::uint8_t{50}, never, cancellation);
                    },
                    [&](const std::string&) { ++reported; }, &cancellation};
  Scene scene = first_scene({movie_region("dark", TwoMovies::movie("/50"))});
  scene.regions[0].canvas_px = left_half;
  scene.since = start;
  scene.version = 1;
  scenes.set(std::make_shared<const Scene>(scene));
  cancellation.set_version(1);
  cancellation.set_epoch(1);
  composer.begin(scene, false);
  std::vector<std::uint8_t> memory(std::size_t{4} * panel_px.width * panel_px.height);
  const ImageView picture{memory.data(), panel_px, std::size_t{4} * panel_px.width};
  const auto gray = [&] {
    static_cast<void>(composer.open(start));
    static_cast<void>(composer.draw(composer.plan(start, {0}), picture, nullptr));
    return static_cast<int>(picture.pixel(40, 48)[0]);
  };
  CHECK(gray() == 0);
  CHECK(composer.damage() == FrameDamage::black);
  CHECK(composer.lacks_any());
  is_there = true;
  CHECK(test::eventually([&] { return composer.can_draw_late(); }));
  CHECK(gray() == 50);
  CHECK(composer.damage() == FrameDamage::none);
  CHECK_FALSE(composer.lacks_any());
  CHECK(reported == 1);
}

TEST_CASE("a panel stops to wait for its only source once a newer scene is shown", "[panel]") {
  HangingMovie panel;
  panel.begin();
  Scene alone = *panel.shown;
  alone.version = 10;
  alone.regions.resize(1);
  panel.composer.begin(alone, false);
  panel.scenes.set(std::make_shared<const Scene>(alone));
  panel.cancellation.set_version(10);
  Scene blank = alone;
  blank.version = 11;
  blank.epoch = 2;
  blank.blank = true;
  blank.since = start;
  panel.cancellation.set_due(start - Nanos(1));  // the panel has missed the instant
  std::jthread director([&] { panel.scenes.set(std::make_shared<const Scene>(blank)); });
  CHECK_FALSE(panel.composer.open(start));
  panel.opens.set_value();
}
