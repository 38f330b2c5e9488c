// Transport requests on a wall that plays, and `tilewall ctl` as a user types it.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/scoped_environment.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;

namespace {

constexpr int playing_frames = 48;

/// The frame that comes `ticks` after `frame`, by steps of `step`, in a loop.
std::int64_t after(std::int64_t frame, std::int64_t ticks, std::int64_t step) {
  return (((frame + ticks * step) % playing_frames) + playing_frames) % playing_frames;
}

/// The frame of the first region, by status.
Json region_status(WallClient& client, std::size_t index = 0) {
  return client.ask({{"type", "status"}}).at("scene").at("regions").at(index);
}

}  // namespace

TEST_CASE("a playing wall goes over to each new scene at its instant, all panels at one frame",
          "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, playing_frames);
  ControlledShow show(folder / "movie", "two-by-one.toml");
  const std::vector<Json> requests = {{{"type", "seek"}, {"frame", 20}},
                                      {{"type", "speed"}, {"speed", 2}},
                                      {{"type", "reverse"}},
                                      {{"type", "speed"}, {"speed", "1/2"}}};
  const std::vector<std::int64_t> step = {1, 1, -1, 1};
  std::vector<Json> answers;
  {
    WallClient client(show.run_dir());
    // A busy panel may show nothing of a scene that the next one replaces at once, so each stays
    // until frames were shown that cannot be reports of the scene before.
    const auto frames_shown = [&] {
      return client.ask({{"type", "status"}}).at("frames_shown").get<std::int64_t>();
    };
    for (const Json& request : requests) {
      answers.push_back(client.ask(request));
      const std::int64_t before = frames_shown();
      REQUIRE(eventually([&] { return frames_shown() >= before + 12; }));
    }
    static_cast<void>(client.ask({{"type", "pause"}}));
    static_cast<void>(client.ask({{"type", "mute"}, {"on", true}}));
  }
  const Json report = show.finish();
  for (const std::string& panel : pair_panels) {
    const auto shown = epochs_of(report, panel);
    REQUIRE(shown.size() == requests.size() + 2);
    for (std::size_t i = 0; i < requests.size(); ++i) {
      CAPTURE(panel, answers[i].dump());
      const auto& part = shown[i + 1];
      const auto at_ns = answers[i].at("at_ns").get<std::int64_t>();
      CHECK(shown[i].back().stamp_ns < part.front().stamp_ns);
      CHECK(part.front().stamp_ns >= at_ns);
      for (const ShownPicture& one : part) {
        CHECK(one.frame == after(answers[i].at("frame"), one.tick, step[i]));
        CHECK(one.hash == numbered_hash(one.frame, panel));
      }
    }
  }
}

namespace {

/// Seeks that follow each other, as the director answered them.
class Scrub {
 public:
  /// The wall is paused at `from`. No frame of the scrub is one shown shortly before.
  Scrub(WallClient& client, std::int64_t from) {
    for (int i = 0; i < 12; ++i)
      answers_.push_back(client.ask({{"type", "seek"}, {"frame", after(from, 1, 5 + 3 * i)}}));
  }

  [[nodiscard]] std::int64_t last_frame() const { return answers_.back().at("frame"); }

  /// The seek from `first` on that the picture belongs to; empty: none.
  [[nodiscard]] std::optional<std::size_t> seek_of(const ShownPicture& picture,
                                                   std::size_t first) const {
    for (std::size_t i = first; i < answers_.size(); ++i)
      if (answers_[i].at("frame") == picture.frame) return i;
    return std::nullopt;
  }

  [[nodiscard]] std::int64_t at_ns(std::size_t seek) const { return answers_[seek].at("at_ns"); }

  /// Whether its pictures are coarse, all of them: seeks come shortly before and after it, which
  /// depends on how busy the machine is.
  [[nodiscard]] bool is_coarse(std::size_t seek) const {
    return seek > 0 && seek + 1 < answers_.size() && is_close(seek - 1) && is_close(seek);
  }

 private:
  [[nodiscard]] bool is_close(std::size_t seek) const {
    const auto asked_ns = [&](std::size_t i) {
      return answers_[i].at("now_ns").get<std::int64_t>();
    };
    return asked_ns(seek + 1) - asked_ns(seek) < 250'000'000;  // a scrub ends after 300 ms
  }

  std::vector<Json> answers_;
};

bool shows_in_full(WallClient& client, std::int64_t frame) {
  const Json status = client.ask({{"type", "status"}});
  return std::ranges::all_of(status.at("per_panel"), [&](const Json& panel) {
    return panel.at("hash") == numbered_hash(frame, panel.at("panel"));
  });
}

}  // namespace

TEST_CASE("scrubbing shows the same coarse pictures on all panels, and the last one in full",
          "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, playing_frames);
  ControlledShow show(folder / "movie", "two-by-one.toml");
  std::optional<Scrub> scrub;
  {
    WallClient client(show.run_dir());
    static_cast<void>(client.ask({{"type", "subscribe"}}));
    scrub.emplace(client, client.ask({{"type", "pause"}}).at("frame").get<std::int64_t>());
    CHECK(eventually([&] { return shows_in_full(client, scrub->last_frame()); }));
    CHECK(client.ask({{"type", "status"}}).at("scene").at("coarser_by") == 0);
    CHECK(std::ranges::any_of(client.events(), [](const Json& event) {
      return event.at("event") == "scene" && event.at("coarser_by") > 0;
    }));
  }
  const Json report = show.finish();
  for (const std::string& panel : pair_panels) {
    std::size_t newest = 0;
    int coarse = 0;
    const auto shown = epochs_of(report, panel);
    for (const auto& epoch : shown) {  // a busy panel may leave one out
      const ShownPicture& picture = epoch.front();
      const auto seek = scrub->seek_of(picture, newest);
      CAPTURE(panel, newest, picture.frame);
      if (!seek && newest == 0) continue;  // what played, and the pause
      REQUIRE(seek);
      newest = *seek;
      const bool in_full = picture.hash == numbered_hash(picture.frame, panel);
      CHECK(picture.stamp_ns >= scrub->at_ns(newest));
      if (newest == 0) CHECK(in_full);  // a plain seek
      if (scrub->is_coarse(newest)) CHECK_FALSE(in_full);
      if (!in_full) ++coarse;
    }
    CHECK(coarse > 0);
    CHECK(shown.back().front().frame == scrub->last_frame());
    CHECK(shown.back().front().hash == numbered_hash(scrub->last_frame(), panel));
  }
}

TEST_CASE("a playlist is moved through by its items", "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, playing_frames);
  ControlledShow show(folder / "movie", "two-by-one.toml");
  WallClient client(show.run_dir());
  Json list = {{"kind", "playlist"},
               {"sources", {movie_source_json(folder / "movie", pair_canvas_px, playing_frames)}},
               {"items", {{0, 0, 10, 1}, {0, 10, 20, 1, "Middle part"}, {0, 20, 30, 1}}}};
  const auto frame_after = [&](Json request) { return client.ask(std::move(request)).at("frame"); };
  const Json opened = client.ask({{"type", "open"}, {"source", list}});
  CAPTURE(opened.dump());
  REQUIRE(opened.at("type") == "done");
  CHECK(opened.at("frame") == 0);
  static_cast<void>(client.ask({{"type", "pause"}}));
  CHECK(frame_after({{"type", "goto"}, {"item", 1}}) == 10);
  CHECK(frame_after({{"type", "next"}}) == 20);
  CHECK(frame_after({{"type", "next"}}) == 20);
  CHECK(frame_after({{"type", "previous"}}) == 10);
  CHECK(region_status(client).at("playlist").at("frame") == 10);
  CHECK(client.ask({{"type", "goto"}, {"item", 3}}).at("type") == "refused");
  static_cast<void>(client.ask({{"type", "goto"}, {"item", 0}}));
  CHECK(show.ctl({"goto", "middle", "part"}).exit_code == 0);
  const Json at_middle = region_status(client).at("playlist");
  CHECK(at_middle.at("item") == 1);
  CHECK(at_middle.at("title") == "Middle part");
  CHECK(at_middle.at("list").size() == 3);
  CHECK(at_middle.at("list").at(2).at("name") == "movie");
  CHECK(at_middle.at("list").at(2).at("first_frame") == 20);
  CHECK(at_middle.at("list").at(2).at("frames") == 10);
  const ProgramResult text = show.ctl({"status"});
  CHECK_THAT(text.out, Catch::Contains("\nitem 2 of 3: Middle part (movie)\n") &&
                           Catch::Contains("\n> goto 1    Middle part  movie\n") &&
                           Catch::Contains(": paused, frame 10 of 30, 0:00") &&
                           Catch::Contains(" fps when it plays"));
  const ProgramResult none = show.ctl({"goto", "epilogue"});
  CHECK(none.exit_code == 2);
  CHECK_THAT(none.err, Catch::Contains("expected the title or file name of one item"));
}

TEST_CASE("ctl drives a wall with the words that a user types", "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, playing_frames);
  write_numbered_movie(folder / "small", {160, 60}, playing_frames);
  ControlledShow show(folder / "movie", "two-by-one.toml");
  WallClient client(show.run_dir());
  REQUIRE(eventually([&] { return client.ask({{"type", "status"}}).at("frames_shown") > 0; }));
  const auto done = [&](const Words& words) {
    const ProgramResult result = show.ctl(words);
    CAPTURE(words, result.err);
    CHECK(result.exit_code == 0);
    CHECK(result.err.empty());
    return result.out;
  };
  done({"pause"});
  CHECK(done({"seek", "10"}).find("seek: frame 10 in ") == 0);
  CHECK(done({"seek", "+3"}).find("seek: frame 13 in ") == 0);
  CHECK(done({"seek", "--", "-0.5s"}).find("seek: frame 1 in ") == 0);
  CHECK(done({"step", "-1"}).find("step: frame 0 in ") == 0);
  done({"speed", "1/2"});
  done({"loop", "ping_pong"});
  done({"range", "5", "20"});
  done({"range", "0-"});
  done({"range", "-20"});
  done({"range", "5-20"});
  done({"view", "40,10,100,50", "--glide", "0.1"});
  done({"zoom", "2", "--at", "10,10"});
  done({"pan", "-5,5"});
  done({"region", "add", "inset", (folder / "small").string(), "--at", "10,10,160,60"});
  done({"region", "move", "inset", "20,20,80,30"});
  const Json inset = region_status(client, 1);
  CHECK(inset.at("canvas_px") == Json({20, 20, 80, 30}));
  CHECK(inset.at("path") == (folder / "small").string());
  done({"region", "owner", "inset", "anna"});
  CHECK(region_status(client, 1).at("owner") == "anna");
  done({"region", "move", "inset", "20,20,80,30", "--as", "anna"});
  const ProgramResult others = show.ctl({"region", "owner", "inset", "berta", "--as", "berta"});
  CHECK(others.exit_code == 2);
  CHECK(others.err == "tilewall: region inset: owner: expected anna, found \"berta\"\n");
  const Json main = region_status(client);
  CHECK(main.at("frame") == 5);
  CHECK(main.at("speed") == 0.5);
  CHECK(main.at("loop") == "ping_pong");
  CHECK(main.at("range") == Json({5, 20}));
  CHECK(!main.at("view_px").is_null());
  CHECK(done({"status"}).find("inset: " + (folder / "small").string()) != std::string::npos);
  done({"region", "remove", "inset"});
  const auto is_on = [&](const char* field) {
    return client.ask({{"type", "status"}}).at("scene").at(field).get<bool>();
  };
  for (const char* verb : {"blank", "mute"}) {
    const char* const field = verb == std::string("mute") ? "muted" : verb;
    CAPTURE(verb);
    done({verb});
    CHECK(is_on(field));
    done({verb, "on"});
    CHECK(is_on(field));
    done({verb});
    CHECK_FALSE(is_on(field));
  }
  done({"overlay"});
  CHECK(is_on("overlay"));
  done({"overlay"});
  CHECK_FALSE(is_on("overlay"));
  done({"compare", "swipe", (folder / "small").string(), "--line", "0.3"});
  done({"compare", "off"});
  done({"open", (folder / "small").string()});
  const Json opened = Json::parse(done({"volume", "0.5", "--json"}));
  CHECK(opened.at("type") == "done");

  const auto refused = [&](const Words& words) {
    const ProgramResult result = show.ctl(words);
    CAPTURE(words, result.out);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    return result.err;
  };
  CHECK(refused({"seek", "1000"}) == "tilewall: seek: frame: expected 0 to 47, found 1000\n");
  refused({"seek", "soon"});
  refused({"speed", "nan"});
  refused({"view", "1,2,3"});
  refused({"region", "remove", "nobody"});
  refused({"open", (folder / "none").string()});
  refused({"blank", "maybe"});
  CHECK(done({"quit"}) == "quit: done\n");
}

TEST_CASE("ctl opens inputs by the options of the show", "[control]") {
  const TemporaryFolder folder;
  const ScopedEnvironment cache("XDG_CACHE_HOME", (folder / "cache").string());
  const std::filesystem::path imports = folder / "cache" / "tilewall";
  const auto imported = [&] {
    std::error_code error;
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(imports, error))
      if (!entry.path().filename().string().starts_with(".")) names.insert(entry.path().filename());
    return names;
  };
  write_numbered_movie(folder / "movie", pair_canvas_px, playing_frames);
  std::ofstream(folder / "still.ppm") << "P6 64 48 255\n" << std::string(3 * 64 * 48, 'p');
  std::ofstream(folder / "list.m3u8") << "movie\ngone\n";
  const std::string left_out = "gone: left out, because it does not exist\n";
  {
    ControlledShow show(folder / "movie", "two-by-one.toml", {"--hdr", "clip"});
    const WallClient begun(show.run_dir());
    REQUIRE(show.ctl({"open", (folder / "still.ppm").string()}).exit_code == 0);
    CHECK(imported().size() == 1);
    CHECK(show.ctl({"open", (folder / "list.m3u8").string()}).exit_code == 2);
    const ProgramResult skipped =
        show.ctl({"open", (folder / "list.m3u8").string(), "--skip-missing"});
    CHECK(skipped.exit_code == 0);
    CHECK_THAT(skipped.err, Catch::EndsWith(left_out));
  }
  const std::set<std::string> clipped = imported();
  ControlledShow show(folder / "movie", "two-by-one.toml", {"--skip-missing"});
  WallClient client(show.run_dir());
  CHECK(client.ask({{"type", "status"}}).at("inputs") ==
        Json{{"hdr", "map"}, {"skip_missing", true}, {"import", false}});
  const ProgramResult skipped = show.ctl({"open", (folder / "list.m3u8").string()});
  CHECK(skipped.exit_code == 0);
  CHECK_THAT(skipped.err, Catch::EndsWith(left_out));
  REQUIRE(show.ctl({"open", (folder / "still.ppm").string()}).exit_code == 0);
  CHECK(imported().size() == 2);  // another import than the clipped one
  CHECK(std::ranges::includes(imported(), clipped));
}

TEST_CASE("ctl events tells what happens until the wall ends", "[control]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", pair_canvas_px, playing_frames);
  ControlledShow show(folder / "movie", "two-by-one.toml");
  WallClient client(show.run_dir());
  REQUIRE(client.ask({{"type", "subscribe"}}).at("type") == "done");
  RunningProgram events(
      {tilewall_program, "ctl", "events", "--json", "--run-dir", show.run_dir().string()});
  const auto last_scene = [&] {  // notes are events too
    Json last = Json::object();
    for (const Json& event : client.events())
      if (event.at("event") == "scene") last = event;
    return last;
  };
  for (int i = 0; i < 8; ++i) {  // the program subscribes some time later
    const Json answer = client.ask({{"type", "blank"}, {"on", i % 2 == 0}});
    while (last_scene().value("version", Json()) != answer.at("version"))
      static_cast<void>(client.ask({{"type", "status"}}));
    CHECK(last_scene().at("blank") == (i % 2 == 0));
    CHECK(last_scene().at("at_ns") <= answer.at("at_ns"));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  static_cast<void>(show.finish());
  const ProgramResult told = events.wait(std::chrono::seconds(10));
  CHECK(told.exit_code == 0);
  CHECK(told.out.find(R"("event":"scene")") != std::string::npos);
  CHECK(told.out.find(R"({"event":"end","type":"event"})") != std::string::npos);
}
