// Which volumes a show gives to hosts that have them not, and for how long.

#include "player/director/changes/volume_exports.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "player/volume/volume_job.hpp"
#include "sync/base/file.hpp"
#include "tests/support/scene_maker.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;
using namespace tilewall::volume;
using namespace std::chrono_literals;

namespace {

SourcePtr volume_source(const std::string& path, std::vector<std::string> more = {}) {
  VolumeJob job;
  job.path = path;
  job.served = "tilewall://elsewhere/x";  // what a client says does not count
  job.options.more = std::move(more);
  job.memory_bytes = 1;
  SourceSpec spec = *volume_region("v").source;
  spec.path = to_text(job);
  return std::make_shared<const SourceSpec>(std::move(spec));
}

std::string served(const SourcePtr& source) { return volume_job_of(source->path).served; }

/// Exports of a folder with two files of the same name.
struct Exports {
  Exports() {
    for (const char* below : {"a", "b"}) {
      std::filesystem::create_directory(folder / below);
      std::ofstream(folder / below / "ball [1].npy") << "x";
    }
  }
  [[nodiscard]] std::string file(const std::string& below) const {
    return (folder / below / "ball [1].npy").string();
  }
  [[nodiscard]] std::vector<VolumeExport> list() const {
    return volume_exports_of(read_text_file(folder / "list", longest_export_list), "list");
  }
  Scene shown(std::vector<SourcePtr> sources, LocalInstant now) {
    std::vector<Region> regions;
    for (const SourcePtr& source : sources) regions.push_back(movie_region("r", source));
    return exports.with_exports(first_scene(regions), now);
  }

  const test::TemporaryFolder folder;
  std::vector<std::string> notes;
  VolumeExports exports{{"10.0.0.1:700", folder / "list"},
                        [this](const std::string& line) { notes.push_back(line); }};
};

}  // namespace

TEST_CASE("files of volumes are exported under names of their own, others not", "[director]") {
  Exports show;
  const LocalInstant now{1h};
  const SourcePtr a = volume_source(show.file("a"));
  const SourcePtr twin = volume_source(show.file("a"));
  const SourcePtr b = volume_source(show.file("b"), {"c.npy"});
  std::vector<PlaylistItem> items;
  for (const SourcePtr& source : {movie_source(10), b, b}) items.push_back({source, 0, 1, 1, 0});
  const auto list = std::make_shared<const SourceSpec>(make_playlist(items));
  const SourcePtr movie = movie_source(5);
  const Scene scene = show.shown(
      {a, twin, list, movie, volume_source("tilewall://host/x"), volume_source("/is/not/there")},
      now);
  const auto source = [&](std::size_t region) { return scene.regions[region].source; };
  CHECK(served(source(0)) == "tilewall://10.0.0.1:700/1/ball _1].npy?transport=tcp");
  CHECK(served(source(1)) == served(source(0)));
  CHECK(served(source(2)->items[1].source) ==
        "tilewall://10.0.0.1:700/2/ball _1].npy?transport=tcp");
  CHECK(source(2)->items[1].source == source(2)->items[2].source);
  CHECK(source(2)->items[0].source == items[0].source);
  CHECK(source(3) == movie);
  CHECK(served(source(4)).empty());
  CHECK(served(source(5)).empty());
  CHECK(show.list() == std::vector<VolumeExport>{{"1/ball _1].npy", show.file("a"), {}},
                                                 {"2/ball _1].npy", show.file("b"), {"c.npy"}}});
  CHECK(show.shown({a}, now).regions[0].source == source(0));  // it stays one source
}

TEST_CASE("what no scene shows any more is exported a while longer, and its name to no other",
          "[director]") {
  Exports show;
  const LocalInstant now{1h};
  const SourcePtr a = volume_source(show.file("a"));
  const SourcePtr b = volume_source(show.file("b"));
  CHECK_FALSE(std::filesystem::exists(show.folder / "list"));
  static_cast<void>(show.shown({a}, now));
  show.exports.step(first_scene({movie_region("r", a)}), now + 10s);
  static_cast<void>(show.shown({b}, now + 10s));
  const Scene second = first_scene({movie_region("r", b)});
  show.exports.step(second, now + 12s);
  CHECK(show.list().size() == 2);
  show.exports.step(second, now + 14s);
  REQUIRE(show.list().size() == 1);
  CHECK(show.list()[0].path == show.file("b"));
  CHECK(served(show.shown({a}, now + 20s).regions[0].source).find("/3/") != std::string::npos);
  show.exports.step(first_scene({movie_region("r", movie_source(5))}), now + 30s);
  CHECK(show.list().empty());
  CHECK(show.notes.empty());
}

TEST_CASE("a director that goes on gives no number of the list again", "[director]") {
  Exports show;
  const LocalInstant now{1h};
  // A name that is too long for addresses is left out of them, so that the number stands alone.
  const std::string last = (show.folder / (std::string(201, 'n') + ".npy")).string();
  std::ofstream(last) << "x";
  std::vector<SourcePtr> sources;
  for (int i = 1; i <= 9; ++i) {
    const std::string file = (show.folder / (std::to_string(i) + ".npy")).string();
    std::ofstream(file) << "x";
    sources.push_back(volume_source(file));
  }
  sources.push_back(volume_source(last));
  const Scene scene = show.shown(sources, now);
  CHECK(served(scene.regions[9].source) == "tilewall://10.0.0.1:700/10?transport=tcp");
  VolumeExports next{{"10.0.0.1:700", show.folder / "list"}, [](const std::string&) {}};
  const Scene more =
      next.with_exports(first_scene({movie_region("r", volume_source(show.file("a")))}), now);
  CHECK(served(more.regions[0].source).find("/11/") != std::string::npos);
}

TEST_CASE("a show gives so many volumes at most, and says so once", "[director]") {
  Exports show;
  std::vector<SourcePtr> sources;
  for (std::size_t i = 0; i < most_volume_exports + 2; ++i)
    sources.push_back(volume_source(show.folder.path() / ("v" + std::to_string(i) + "-%d.npy")));
  const Scene scene = show.shown(sources, LocalInstant{1h});
  CHECK(show.list().size() == most_volume_exports);
  CHECK(served(scene.regions.back().source).empty());
  CHECK(show.notes.size() == 1);
}

TEST_CASE("without a server volumes are the files that they are", "[director]") {
  const test::TemporaryFolder folder;
  VolumeExports exports({"", folder / "list"}, [](const std::string&) {});
  const Scene scene = exports.with_exports(
      first_scene({movie_region("r", volume_source(folder.path()))}), LocalInstant{1h});
  CHECK(served(scene.regions[0].source).empty());
  CHECK_FALSE(std::filesystem::exists(folder / "list"));
}
