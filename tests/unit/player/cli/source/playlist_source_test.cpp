#include <catch2/catch.hpp>
#include <filesystem>

#include "player/cli/source/show_source.hpp"
#include "sync/base/error.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temporary_folder.hpp"
#include "wallconfigs/wall.hpp"

using namespace tilewall;
using namespace tilewall::cli;
using namespace tilewall::movie;
using namespace tilewall::scene;

namespace {

/// "NAME:FRAMES:FPS" as a source.
SourceSpec opened(const std::string& path) {
  const std::size_t colon = path.find(':');
  const std::size_t second = path.find(':', colon + 1);
  SourceSpec source;
  source.kind = SourceKind::movie;
  source.path = path.substr(0, colon);
  source.size_px = {64, 48};
  source.frames = std::stoll(path.substr(colon + 1, second - colon - 1));
  source.fps = *parse_rational(path.substr(second + 1));
  return source;
}

PlaylistEntry entry(const std::string& path) {
  PlaylistEntry made;
  made.path = path;
  made.place = {"a.m3u8", 7};
  return made;
}

SourceSpec source_of(const std::vector<PlaylistEntry>& entries, bool repeat_last = false) {
  Playlist list;
  list.entries = entries;
  list.repeat_last = repeat_last;
  SilentProgress silent;
  return playlist_source(list, opened, silent);
}

}  // namespace

TEST_CASE("a playlist goes at the greatest rate among its movies", "[playlist]") {
  const SourceSpec list = source_of({entry("a:24:24"), entry("b:60:30"), entry("a:24:24")});
  CHECK(list.kind == SourceKind::playlist);
  CHECK(list.fps == Rational{30, 1});
  CHECK(list.frames == 120);
  REQUIRE(list.items.size() == 3);
  CHECK(list.items[0].source == list.items[2].source);  // shared
  CHECK(list.items[2].start == 90);
}

TEST_CASE("stills in a playlist are held, movies are not", "[playlist]") {
  PlaylistEntry still = entry("still:1:24");
  PlaylistEntry quick = entry("still:1:24");
  quick.still_s = 0.25;
  PlaylistEntry movie = entry("a:50:25");
  movie.still_s = 100;  // as lists tell of every entry how long it is
  const SourceSpec list = source_of({still, quick, movie});
  CHECK(list.fps == Rational{25, 1});
  CHECK(list.items[1].start == 125);      // 5 s
  CHECK(list.items[2].start == 125 + 8);  // 0.3 s: to a tenth, then whole frames
  CHECK(list.frames == 125 + 8 + 50);
}

TEST_CASE("ranges, rates, repeats and held frames of entries are kept", "[playlist]") {
  PlaylistEntry part = entry("a:100:25");
  part.first_frame = 10;
  part.end_frame = 20;
  part.times = 3;
  part.fps = Rational{50, 1};
  PlaylistEntry beyond = entry("a:100:25");
  beyond.first_frame = 90;
  beyond.end_frame = 1000;
  PlaylistEntry held = entry("a:100:25");
  held.first_frame = 42;
  held.held = true;
  const SourceSpec list = source_of({part, beyond, held}, true);
  REQUIRE(list.items.size() == 3);
  CHECK(list.fps == Rational{50, 1});
  CHECK(list.items[0].end_frame == 20);
  CHECK(list.items[0].rounds == 3);
  CHECK(list.items[1].end_frame == 100);
  CHECK(list.items[1].start == 30);
  CHECK(list.items[2].start == 50);
  CHECK(list.items[2].first_frame == 42);
  CHECK(list.items[2].end_frame == 43);
  CHECK(list.items[2].rounds == 1'000'000);
}

TEST_CASE("an entry that cannot be opened is named with its list and line", "[playlist]") {
  PlaylistEntry late = entry("a:24:24");
  late.first_frame = 24;
  CHECK_THROWS_WITH(source_of({late}),
                    "a.m3u8:7: a:24:24: expected a first frame in [0, 23], found 24");
  Playlist list;
  list.entries = {entry("broken.mp4")};
  SilentProgress silent;
  CHECK_THROWS_WITH(playlist_source(
                        list,
                        [](const std::string& path) -> SourceSpec {
                          throw InputError({path}, "", "a movie", "noise");
                        },
                        silent),
                    "a.m3u8:7: broken.mp4: expected a movie, found noise");
}

TEST_CASE("ten thousand entries open each path once", "[playlist]") {
  Playlist list;
  for (int i = 0; i < 10'000; ++i)
    list.entries.push_back(entry("m" + std::to_string(i % 7) + ":10:24"));
  int openings = 0;
  SilentProgress silent;
  const SourceSpec source = playlist_source(
      list,
      [&](const std::string& path) {
        ++openings;
        return opened(path);
      },
      silent);
  CHECK(openings == 7);
  CHECK(source.frames == 100'000);
}

TEST_CASE("options of live sources are refused for other inputs, each by itself", "[live]") {
  const wall::Wall wall = wall::scaled_wall_5x3(SizePx{1280, 800});
  CHECK(open_show_source({"pattern:count"}, wall, {}, {}).kind == SourceKind::pattern);
  for (const auto option : {&LiveArguments::listen, &LiveArguments::field, &LiveArguments::policy,
                            &LiveArguments::wait_s, &LiveArguments::quantise}) {
    ShowWays ways;
    ways.live.*option = "1";
    CHECK_THROWS_WITH(open_show_source({"pattern:count"}, wall, ways, {}),
                      "live options: expected an input live:NAME, or a live source at tilewall://, "
                      "found pattern:count");
  }
}

TEST_CASE("the folder of files is the deepest one that all of them lie below", "[source]") {
  CHECK(common_folder({"/data/img/a.png"}) == "/data/img");
  CHECK(common_folder({"/data/img/a.png", "", "/data/img/b.png"}) == "/data/img");
  CHECK(common_folder({"/data/img/a.png", "/data/img2/a.png"}) == "/data");
  CHECK(common_folder({"/data/img/a.png", "/data/a.png"}) == "/data");
  CHECK(common_folder({"/data/a.png", "/data/img/a.png", "/else/a.png"}) == "/");
  CHECK(common_folder({"", ""}) == "/");
}

TEST_CASE("images are a source of their folder and the names below it", "[source]") {
  const test::TemporaryFolder folder;
  for (const char* const name : {"one", "two"}) {
    std::filesystem::create_directory(folder / name);
    for (const char* const number : {"1.jpg", "2.jpg"})
      std::filesystem::copy_file(test::source_path("tests/data/hint-wall.jpg"),
                                 folder / name / number);
  }
  const wall::Wall wall = wall::scaled_wall_5x3(SizePx{1280, 800});
  const std::string one = (folder / "one").string();
  const std::string two = (folder / "two").string();
  const SourceSpec images = open_show_source({one}, wall, {}, {});
  CHECK(images.kind == SourceKind::images);
  CHECK(images.path == one);
  CHECK(images.files == std::vector<std::string>{"1.jpg", "2.jpg"});
  const SourceSpec both = open_show_source({one + "/1.jpg", two + "/2.jpg"}, wall, {}, {});
  CHECK(both.path == folder.path().string());
  CHECK(both.files == std::vector<std::string>{"one/1.jpg", "two/2.jpg"});
}
