// Which sources of a show are remembered, so that what they use of a cache is told once.

#include <catch2/catch.hpp>
#include <fstream>
#include <memory>

#include "player/director/scene_publisher.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::movie;
using namespace tilewall::scene;
using test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

Scene scene_of(const fs::path& movie) {
  auto source = std::make_shared<SourceSpec>();
  source->kind = SourceKind::wall_movie;
  source->path = movie.string();
  Scene scene;
  scene.regions.emplace_back();
  scene.regions.back().source = std::move(source);
  return scene;
}

}  // namespace

TEST_CASE("a source that is not shown any more is forgotten, but stays in use in the cache",
          "[director]") {
  const TemporaryFolder cache;
  fs::create_directory(cache / ".users");
  CachedSources cached;
  std::weak_ptr<const SourceSpec> first;
  {
    const Scene scene = scene_of(cache / "first");
    first = scene.regions.front().source;
    cached.use(scene);
  }
  CHECK_FALSE(first.expired());  // the scene may be sent to another panel at any time
  cached.use(scene_of(cache / "second"));
  CHECK(first.expired());
  const auto lock = lock_cache(cache.path());
  CHECK(names_in_use(cache.path()) == std::set<std::string>{"first", "second"});
}
