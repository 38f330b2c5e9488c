// Sources of a scene that cannot be opened or do not come: what is told, and what is waited for.

#include "player/panel/region_sources.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <set>

#include "sync/base/error.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall;
using namespace tilewall::panel;
using test::eventually;

namespace {
namespace region_sources_test {

class OpenedMovie final : public picture::PictureSource {
 public:
  explicit OpenedMovie(const std::atomic<bool>& is_late) : is_late_(is_late) {}
  [[nodiscard]] SizePx size_px() const noexcept override { return {16, 16}; }
  [[nodiscard]] const picture::DrawCounters& counters() const noexcept override {
    return counters_;
  }
  picture::DrawStatus draw(std::int64_t /*frame*/, const picture::Placement& /*placement*/,
                           const ImageView& /*picture*/, const ImageView* /*last_good*/) override {
    return picture::DrawStatus::whole;
  }
  [[nodiscard]] bool is_late() override { return is_late_; }

 private:
  const std::atomic<bool>& is_late_;
  picture::DrawCounters counters_;
};

struct FixedClock final : GlobalClock {
  [[nodiscard]] ClockMapping mapping() const noexcept override { return {}; }
};

/// Sources "/a" and "/b" of a scene. Those in `broken` cannot be opened.
struct Sources {
  explicit Sources(bool strict = false) {
    scenes.set(std::make_shared<const scene::Scene>(scene));
    cancellation.set_version(scene.version);
    sources.begin(scene, strict);
  }

  scene::SourcePtr a = movie_source(10, "/a");
  scene::SourcePtr b = movie_source(10, "/b");
  scene::Scene scene = first_scene({movie_region("one", a), movie_region("two", b)});
  SceneSlot scenes;
  FixedClock clock;
  DrawCancellation cancellation{scenes, clock};
  std::set<std::string> broken;
  std::atomic<bool> is_late{false};
  std::atomic<int> opened{0};
  std::vector<std::string> problems;
  RegionSources sources{scene::LatePolicy::drop,
                        [this](const scene::SourceSpec& spec) {
                          ++opened;
                          if (broken.contains(spec.path)) throw JobError(spec.path + " is broken");
                          return std::make_unique<OpenedMovie>(is_late);
                        },
                        [this](const std::string& line) { problems.push_back(line); },
                        &cancellation};

  bool opens(const scene::SourcePtr& source) {
    return eventually([&] { return sources.find(source) != nullptr; });
  }
  /// A draw of the source that is out of time.
  void miss(const scene::SourcePtr& source) {
    const RegionSources::Use use{source, false, false, local_now()};
    RegionSources::Wait wait(sources, use);
    CHECK(wait.goes_on_without());
  }
};

}  // namespace region_sources_test

using region_sources_test::Sources;

}  // namespace

TEST_CASE("a source that is wanted is open when it is needed", "[panel]") {
  Sources show;
  const GlobalInstant due{};
  CHECK_FALSE(show.sources.are_open(due));
  show.sources.want(show.a);
  show.sources.want(show.b);
  CHECK(eventually([&] { return show.opened == 2; }));  // before anybody asks for them
  CHECK(eventually([&] { return show.opens(show.a) && show.opens(show.b); }));
  CHECK(show.sources.are_open(due));
  CHECK(show.problems.empty());
  CHECK_FALSE(show.sources.lacks_any());
  show.sources.close_all();
  CHECK_FALSE(show.sources.are_open(due));
}

TEST_CASE("a source that cannot be opened is told of once, and tried again later", "[panel]") {
  Sources show;
  show.broken = {"/b"};
  const scene::SourcePtr shown[] = {show.a, show.b};
  CHECK(show.sources.open(shown, {}));
  CHECK(show.problems == std::vector<std::string>{"/b is broken"});
  CHECK(show.sources.is_refused(show.b));
  CHECK_FALSE(show.sources.is_refused(show.a));
  CHECK(show.sources.are_open(GlobalInstant{}));
  CHECK(show.sources.lacks_any());
  CHECK_FALSE(show.sources.has_late());
  show.sources.keep_late([&](const scene::SourcePtr& source) { return source == show.a; });
  CHECK_FALSE(show.sources.lacks_any());  // the picture does not show it
  show.broken.clear();
  CHECK(show.sources.find(show.b) == nullptr);  // its pause is not over
  CHECK(eventually([&] { return show.sources.can_draw_late(); }));
  CHECK_FALSE(show.sources.is_refused(show.b));
  CHECK(show.problems.size() == 1);
}

TEST_CASE("another scene tries a refused source again at once", "[panel]") {
  Sources show;
  show.broken = {"/a"};
  const scene::SourcePtr shown[] = {show.a};
  CHECK(show.sources.open(shown, {}));
  CHECK(show.problems.size() == 1);
  show.sources.begin(show.scene, false);
  CHECK_FALSE(show.sources.is_refused(show.a));
  CHECK(show.sources.open(shown, {}));
  CHECK(show.problems.size() == 2);
}

TEST_CASE("a strict scene fails by a source that cannot be opened", "[panel]") {
  Sources show(true);
  show.broken = {"/b"};
  const scene::SourcePtr shown[] = {show.a};
  const scene::SourcePtr hidden[] = {show.b};
  CHECK_THROWS_WITH(show.sources.open(shown, hidden), "/b is broken");
  CHECK(show.problems.empty());
}

TEST_CASE("a source that was late is left out until its data have come", "[panel]") {
  Sources show;
  REQUIRE(show.opens(show.a));
  CHECK_FALSE(show.sources.is_still_late(show.a));
  show.is_late = true;
  CHECK_FALSE(show.sources.is_still_late(show.a));  // no picture has missed it
  show.miss(show.a);
  CHECK(show.sources.has_late());
  CHECK(show.sources.lacks_any());
  CHECK(show.sources.is_still_late(show.a));
  CHECK_FALSE(show.sources.can_draw_late());
  show.is_late = false;
  CHECK_FALSE(show.sources.is_still_late(show.a));
  CHECK(show.sources.can_draw_late());
  {
    const RegionSources::Use use{show.a, false, false, local_now()};
    RegionSources::Wait wait(show.sources, use);
    CHECK(wait.open() != nullptr);
    wait.note_drawn();
  }
  CHECK_FALSE(show.sources.has_late());
}

TEST_CASE("a late source that the picture does not show any more is not late", "[panel]") {
  Sources show;
  for (const scene::SourcePtr& source : {show.a, show.b}) {
    REQUIRE(show.opens(source));
    show.miss(source);
  }
  show.is_late = true;
  show.sources.keep_late([&](const scene::SourcePtr& source) { return source == show.a; });
  CHECK(show.sources.is_still_late(show.a));
  CHECK_FALSE(show.sources.is_still_late(show.b));
}

TEST_CASE("a source that is alone in the picture is waited for", "[panel]") {
  Sources show;
  REQUIRE(show.opens(show.a));
  {
    const RegionSources::Use use{show.a, true, false, local_now()};
    RegionSources::Wait wait(show.sources, use);
    CHECK_FALSE(wait.goes_on_without());
  }
  show.cancellation.stop();
  const RegionSources::Use use{show.a, false, false, local_now()};
  RegionSources::Wait wait(show.sources, use);
  CHECK_FALSE(wait.goes_on_without());  // the panel ends
  CHECK_FALSE(show.sources.has_late());
  const scene::SourcePtr shown[] = {show.a};
  CHECK_FALSE(show.sources.open(shown, {}));
}
