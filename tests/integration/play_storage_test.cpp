// Shows whose files are damaged, go away and come back: the last good picture stays, the fault is
// counted, and the wall shows the right frames again without a restart.

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include "player/movie/frames/manifest.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

constexpr int frames = 24;
constexpr std::int64_t again = 2 * frames;  // pictures after which the wall counts as recovered

std::int64_t pictures_shown(WallClient& client) {
  return client.ask({{"type", "status"}}).at("frames_shown");
}

bool are_frozen(WallClient& client, const Json& panels) {
  return client.ask({{"type", "status"}}).at("frozen") == panels;
}

/// Waits until the wall has shown many more frames.
void play_on(WallClient& client) {
  const std::int64_t before = pictures_shown(client);
  CHECK(eventually([&] { return pictures_shown(client) > before + again; },
                   std::chrono::seconds(30)));
}

/// Checks that each panel's newest pictures are those of their frames.
void check_newest(const Json& report) {
  for (const std::string& panel : pair_panels) {
    const std::vector<ShownHash> shown = shown_by(report, panel);
    REQUIRE(shown.size() > frames);
    for (auto picture = shown.end() - frames; picture != shown.end(); ++picture) {
      CAPTURE(panel, picture->frame);
      CHECK(picture->hash == numbered_hash(picture->frame, panel));
    }
  }
}

/// The pictures of any frame of the movie, as the panel shows them.
std::vector<std::string> hashes_on(const std::string& panel) {
  std::vector<std::string> hashes;
  for (int frame = 0; frame < frames; ++frame) hashes.push_back(numbered_hash(frame, panel));
  return hashes;
}

}  // namespace

TEST_CASE("a wall movie whose folder goes away comes back, on a restarted panel too", "[play]") {
  const TemporaryFolder folder;
  const fs::path movie = folder / "movie";
  write_numbered_movie(movie, pair_canvas_px, frames);
  ControlledShow show(movie, "two-by-one.toml", {"--late", "drop"});
  WallClient client(show.run_dir());
  REQUIRE(eventually([&] { return pictures_shown(client) > 3; }));
  fs::rename(movie, folder / "away");
  CHECK(eventually([&] { return are_frozen(client, pair_panels); }));
  const fs::path pid_file = show.run_dir() / "pids" / "panel-1";
  const pid_t killed = pid_in(pid_file);
  REQUIRE(killed > 0);
  REQUIRE(::kill(killed, SIGKILL) == 0);
  // The new panel has no picture that could stay.
  CHECK(eventually([&] {
    return client.ask({{"type", "status"}}).at("damage").at("frames_black") > 0;
  }));
  fs::rename(folder / "away", movie);
  CHECK(eventually([&] { return are_frozen(client, Json::array()); }));
  play_on(client);
  const Json report = show.finish();
  check_newest(report);
  CHECK(report.at("damage").at("frames_missing") > 0);
  const std::vector<std::string> known = hashes_on("c0r0");
  for (const ShownHash& shown : shown_by(report, "c0r0"))
    CHECK(std::ranges::find(known, shown.hash) != known.end());
}

TEST_CASE("with --slate a frozen wall shows a slate until its movie is back", "[play]") {
  const TemporaryFolder folder;
  const fs::path movie = folder / "movie";
  write_numbered_movie(movie, pair_canvas_px, frames);
  ControlledShow show(movie, "two-by-one.toml", {"--late", "slow", "--slate"});
  WallClient client(show.run_dir());
  REQUIRE(eventually([&] { return pictures_shown(client) > 3; }));
  const auto has_slate = [&] {
    return client.ask({{"type", "status"}}).at("scene").at("regions").at(0).contains("slate");
  };
  CHECK_FALSE(has_slate());
  const auto version = [&] {
    return client.ask({{"type", "status"}}).at("scene").at("version").get<std::int64_t>();
  };
  const std::int64_t first = version();
  REQUIRE(eventually([&] { return pictures_shown(client) > 12; }));
  CHECK(version() == first);  // nothing has to change
  fs::rename(movie, folder / "away");
  CHECK(eventually(has_slate));
  CHECK(eventually([&] { return are_frozen(client, pair_panels); }));
  play_on(client);
  fs::rename(folder / "away", movie);
  CHECK(eventually([&] { return !has_slate(); }));
  play_on(client);
  const Json report = show.finish();
  check_newest(report);
  // Both panels show their part of one slate, in one span of ticks.
  std::vector<std::vector<std::int64_t>> slated;
  for (const std::string& panel : pair_panels) {
    const std::vector<std::string> known = hashes_on(panel);
    std::set<std::string> slates;
    slated.emplace_back();
    for (const auto& epoch : epochs_of(report, panel))
      for (const ShownPicture& shown : epoch)
        if (std::ranges::find(known, shown.hash) == known.end()) {
          slates.insert(shown.hash);
          slated.back().push_back(shown.tick);
        }
    CHECK(slates.size() == 1);
    REQUIRE_FALSE(slated.back().empty());
  }
  CHECK(slated[0].front() == slated[1].front());
  CHECK(slated[0].back() == slated[1].back());
}

TEST_CASE("frames that cannot be decoded at all freeze the wall until they are mended", "[play]") {
  const TemporaryFolder folder;
  const fs::path movie = folder / "movie";
  write_numbered_movie(movie, pair_canvas_px, frames);
  ControlledShow show(movie, "two-by-one.toml", {"--late", "drop"});
  WallClient client(show.run_dir());
  REQUIRE(eventually([&] { return pictures_shown(client) > 3; }));
  for (int frame = 0; frame < frames; ++frame)
    fs::resize_file(movie / movie::frame_file_name(frame), 100);
  CHECK(eventually([&] { return are_frozen(client, pair_panels); }));
  write_numbered_frames(movie, pair_canvas_px, 0, frames, true);
  CHECK(eventually([&] { return are_frozen(client, Json::array()); }));
  play_on(client);
  const Json report = show.finish();
  check_newest(report);
  CHECK(report.at("damage").at("frames_repeated") > 0);
  CHECK(report.at("frozen").size() == 2);
}
