// Movies that are still being written, as the director sees them grow.

#include "player/director/growth_watch.hpp"

#include <catch2/catch.hpp>

#include "player/movie/frames/block_layout.hpp"
#include "player/movie/frames/manifest.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/scene_maker.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::director;
using test::eventually;
using test::TemporaryFolder;

namespace {
namespace growth_watch_test {

/// A scene with a movie that grows in a folder, and another movie beside it.
struct GrowingShow {
  GrowingShow() {
    manifest.size_px = {1000, 500};
    manifest.frames = 10;
    manifest.fps = {10, 1};
    manifest.block_px = {256, 256};
    manifest.levels = movie::pyramid_levels(manifest.size_px, manifest.block_px);
    save();
    scene::SourceSpec spec = *movie_source(10, folder.path().string());
    spec.growing = true;
    source = std::make_shared<const scene::SourceSpec>(spec);
    scene = first_scene({movie_region("main", source), movie_region("beside", movie_source(5))});
    watch.watch(scene);
  }

  void save() const { movie::save_manifest(folder.path(), manifest); }

  /// What becomes of the movie; null where nothing does.
  scene::SourcePtr growth() {
    std::vector<Growth> news;
    static_cast<void>(eventually([&] {
      news = watch.take();
      return !news.empty();
    }));
    if (news.empty()) return nullptr;
    CHECK(news.size() == 1);
    CHECK(news.front().before == source);
    return news.front().now;
  }

  const TemporaryFolder folder;
  movie::MovieManifest manifest;
  scene::SourcePtr source;
  scene::Scene scene;
  GrowthWatch watch;
};

}  // namespace growth_watch_test
}  // namespace

using growth_watch_test::GrowingShow;

TEST_CASE("a movie that grows has more frames, and at its end its sound", "[director][growth]") {
  GrowingShow show;
  CHECK(show.watch.is_lively());  // a first guess
  show.manifest.frames = 25;
  show.save();
  const scene::SourcePtr longer = show.growth();
  REQUIRE(longer);
  CHECK(longer->frames == 25);
  CHECK(longer->growing);
  CHECK(longer->audio.empty());
  CHECK(longer->path == show.source->path);
  CHECK(show.watch.is_lively());

  show.manifest.complete = true;
  show.manifest.audio_file = "sound.mka";
  show.save();
  const auto is_complete = [&] {
    const scene::SourcePtr now = show.growth();
    return now && !now->growing && now->frames == 25 &&
           now->audio == (show.folder / "sound.mka").string();
  };
  CHECK(eventually(is_complete));
}

TEST_CASE("a movie of another size is not the one that grew", "[director][growth]") {
  GrowingShow show;
  const GrowingShow other;
  GrowthWatch both;
  both.watch(first_scene({movie_region("main", show.source), movie_region("other", other.source)}));
  movie::MovieManifest of_other = other.manifest;
  of_other.frames = 25;
  of_other.size_px = {500, 500};
  movie::save_manifest(other.folder.path(), of_other);
  show.manifest.frames = 25;
  show.save();
  std::vector<Growth> news;
  REQUIRE(eventually([&] {
    news = both.take();
    return !news.empty();
  }));
  // The movies are looked at in their order, so that both were written by then.
  REQUIRE(news.size() == 1);
  CHECK(news.front().before == show.source);
}

TEST_CASE("nobody waits for a movie that does not grow", "[director][growth]") {
  GrowthWatch watch;
  watch.watch(first_scene({movie_region("main", movie_source(10))}));
  CHECK_FALSE(watch.is_lively());
  CHECK(watch.take().empty());
}
