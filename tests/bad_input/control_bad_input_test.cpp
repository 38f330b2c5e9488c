// What comes to a control port that should not: each gets one clear answer or a closed connection,
// and the wall shows what it showed.

#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>

#include "sync/base/file.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;

namespace {

constexpr SizePx canvas_px{320, 96};
constexpr int frames = 48;

class BadInputShow {
 public:
  explicit BadInputShow(const Words& more = {}) {
    write_numbered_movie(folder_ / "movie", canvas_px, frames);
    show_.emplace(folder_ / "movie", "two-by-one.toml", more);
    client_.emplace(show_->run_dir());
    REQUIRE(client_->ask({{"type", "pause"}}).at("type") == "done");
  }
  ControlledShow& show() { return *show_; }
  WallClient& client() { return *client_; }
  [[nodiscard]] Json scene() { return client_->ask({{"type", "status"}}).at("scene"); }
  [[nodiscard]] Json source() const {
    return movie_source_json(folder_ / "movie", canvas_px, frames);
  }

 private:
  TemporaryFolder folder_;
  std::optional<ControlledShow> show_;
  std::optional<WallClient> client_;
};

}  // namespace

TEST_CASE("ctl does not wait for a wall that is stopped, and says so", "[control]") {
  BadInputShow wall;
  const pid_t supervisor = pid_in(wall.show().run_dir() / "pids" / "supervisor");
  const pid_t director = pid_in(wall.show().run_dir() / "pids" / "director");
  REQUIRE(supervisor > 0);
  REQUIRE(director > 0);
  ::kill(supervisor, SIGSTOP);  // else another director takes the place of this one
  ::kill(director, SIGSTOP);
  const ProgramResult result = wall.show().ctl({"status"});
  ::kill(director, SIGCONT);
  ::kill(supervisor, SIGCONT);
  CHECK(result.exit_code == 1);
  CHECK(result.out.empty());
  CHECK_THAT(result.err, Catch::StartsWith("tilewall: ctl: the director at 127.0.0.1:") &&
                             Catch::Contains("gave no answer within") &&
                             Catch::EndsWith(" is stopped, and 'kill -CONT " +
                                             std::to_string(director) + "' lets it go on\n"));
  CHECK(wall.show().ctl({"status"}).exit_code == 0);
}

TEST_CASE("requests that cannot be are refused in one line and change nothing", "[control]") {
  BadInputShow wall;
  const Json before = wall.scene();
  const auto refusal = [&](const Json& request) {
    CAPTURE(request.dump().substr(0, 200));
    const Json answer = wall.client().ask(request);
    CHECK(answer.at("type") == "refused");
    const std::string error = answer.value("error", "");
    CHECK(error.find('\n') == std::string::npos);
    CHECK(error.size() <= 1000);
    return error;
  };
  CHECK(refusal({{"type", "explode"}}) == "request: type: expected a known verb, found explode");
  CHECK(refusal({{"type", 5}}).find("request: type: expected a verb") == 0);
  CHECK(refusal(Json::object()).find("request: type: expected a verb") == 0);
  CHECK(refusal({{"type", "seek"}, {"frame", frames}}) ==
        "seek: frame: expected 0 to 47, found 48");
  const Json infinite = 1e300;
  for (const Json& value : {Json("ten"), Json(1.5), Json(nullptr), Json::array(), infinite})
    refusal({{"type", "seek"}, {"frame", value}});
  refusal({{"type", "seek"}, {"frame", 1}, {"by", 1}});
  refusal({{"type", "seek"}, {"frame", 1}, {"quickly", true}});
  for (const Json& value : {Json(0), Json(1e9), Json("NaN"), Json("1/0"), Json(-17), Json(1e-9)})
    refusal({{"type", "speed"}, {"speed", value}});
  for (const Json& view : {Json{1000, 0, 10, 10}, Json{0, 0, 0, 10}, Json{0, 0, -5, 10},
                           Json{0, 0, 1e300, 1}, Json{1, 2, 3}, Json{"a", 0, 1, 1}})
    refusal({{"type", "view"}, {"view_px", view}});
  refusal({{"type", "view"}, {"view_px", {0, 0, 9, 9}}, {"glide_s", -1}});
  for (const Json& factor : {Json(0), Json(-1), Json(1e300)})
    refusal({{"type", "zoom"}, {"factor", factor}});
  refusal({{"type", "range"}, {"first", 30}, {"last", 20}});
  for (const Json& rect : {Json{0, 0, 0, 0}, Json{0, 0, 10, -1}, Json{1e12, 0, 10, 10}})
    refusal({{"type", "add_region"},
             {"region", "new"},
             {"source", wall.source()},
             {"canvas_px", rect}});
  refusal({{"type", "open"}, {"source", {{"kind", "movie"}}}});
  refusal({{"type", "open"}, {"source", "movie"}});
  refusal({{"type", "remove_region"}, {"region", "main"}});
  refusal({{"type", "next"}});
  refusal({{"type", "volume"}, {"volume", -1}});
  refusal({{"type", "compare"}, {"mode", "swipe"}});
  CHECK(refusal({{"type", "region"}, {"region", "main"}, {"gain", 0.5}}) ==
        "region: gain: expected 1 to 255, found 0.5");
  CHECK(refusal({{"type", "compare"}, {"mode", "swipe"}, {"gain", 2}}) ==
        "compare: gain: expected mode difference beside it, found swipe");
  refusal({{"type", "adjust"}, {"what", "fog"}, {"by", 1}});
  refusal({{"type", "adjust"}, {"what", "opacity"}});
  CHECK(refusal({{"type", "adjust"}, {"what", "lit"}}) ==
        "region main: expected a volume, found another source");
  refusal({{"type", "pause"}, {"region", std::string(100'000, 'x')}});
  refusal({{"type", "pause"}, {"as", "a stranger"}});
  CHECK(refusal({{"type", "quit"}, {"as", "anna"}}) ==
        "quit: as: expected operator, found \"anna\"");
  CHECK(refusal({{"type", "quit"}, {"soon", true}}).find("quit: soon: ") == 0);
  CHECK(refusal({{"type", "pasue"}}) ==
        "request: type: expected a known verb, found pasue (nearest: pause)");
  CHECK(wall.scene() == before);
  const auto shown = epochs_of(wall.show().finish(), "c0r0");
  CHECK(shown.size() == 2);  // what played, and the pause
}

TEST_CASE("what is no message ends its own connection and nothing else", "[control]") {
  BadInputShow wall;
  const Json before = wall.scene();
  const auto ends = [&](const std::string& bytes) {
    WallClient client(wall.show().run_dir());
    client.send_bytes(bytes);
    return client.is_closed();
  };
  const auto ends_with_text = [&](const std::string& text) {
    WallClient client(wall.show().run_dir());
    client.send_text(text);
    return client.is_closed();
  };
  std::string garbage(100'000, '\0');
  for (std::size_t i = 0; i < garbage.size(); ++i) garbage[i] = static_cast<char>(i * 7919 >> 3);
  CHECK(ends(garbage));
  CHECK(ends(framed(R"({"type": "blank", "on": true})")));  // not sealed
  CHECK(ends_with_text(R"({"type": "speed", "speed": NaN})"));
  CHECK(ends_with_text(R"({"type": "zoom", "factor": 1e999})"));
  CHECK(ends_with_text(""));
  CHECK(ends_with_text("{\"type\": \"status\", \"id\": \"\xff\xfe\"}"));
  CHECK(ends_with_text(std::string(60'000, '[')));
  CHECK(ends_with_text("{\"type\": \"pause\", \"id\": " + std::string(20'000, '[') +
                       std::string(20'000, ']') + "}"));
  WallClient half(wall.show().run_dir());
  half.send_bytes(framed(R"({"type": "blank", "on": true})").substr(0, 20));
  WallClient other(wall.show().run_dir());
  CHECK(other.ask({{"type", "status"}}).at("scene") == before);
  CHECK(other.ask(Json::object()).at("type") == "refused");
  CHECK(wall.scene() == before);
}

TEST_CASE("of two controllers both are answered, and the last request wins", "[control]") {
  BadInputShow wall;
  WallClient second(wall.show().run_dir());
  std::uint64_t version = 0;
  for (int i = 0; i < 5; ++i) {
    const Json first_answer = wall.client().ask({{"type", "seek"}, {"frame", i}});
    const Json second_answer = second.ask({{"type", "seek"}, {"frame", 40 - i}});
    CHECK(first_answer.at("frame") == i);
    CHECK(second_answer.at("frame") == 40 - i);
    CHECK(first_answer.at("version") > version);
    CHECK(second_answer.at("version") > first_answer.at("version"));
    CHECK(second_answer.at("at_ns") > first_answer.at("at_ns"));
    version = second_answer.at("version");
  }
  // Asked at once, both become one scene: the later one holds.
  wall.client().send_text(R"({"type": "seek", "frame": 3, "id": "a"})");
  second.send_text(R"({"type": "seek", "frame": 7, "id": "b"})");
  const auto a = wall.client().receive();
  const auto b = second.receive();
  REQUIRE((a && b));
  CHECK(a->at("id") == "a");
  CHECK(b->at("id") == "b");
  const Json last = a->at("version") > b->at("version") ? *a : *b;
  CHECK(wall.scene().at("regions").at(0).at("frame") == last.at("frame"));
}

TEST_CASE("a client that never reads is dropped while the wall plays on", "[control]") {
  BadInputShow wall;
  static_cast<void>(wall.client().ask({{"type", "play"}}));
  const Json before = wall.client().ask({{"type", "status"}});
  WallClient deaf(wall.show().run_dir());
  deaf.send_text(R"({"type": "subscribe"})");
  for (int i = 0; i < 10'000; ++i) deaf.send_text(R"({"type": "status"})");  // twice what may wait
  const auto is_dropped = [&] {
    deaf.send_text(R"({"type": "status"})");
    char byte = 0;
    return ::send(deaf.fd(), &byte, 1, MSG_NOSIGNAL) < 0;
  };
  CHECK(eventually(is_dropped, std::chrono::seconds(60)));
  CHECK(eventually([&] {
    return wall.client().ask({{"type", "status"}}).at("frames_shown") >
           before.at("frames_shown").get<std::int64_t>() + 10;
  }));
}

TEST_CASE("a playlist of ten thousand items opens as any other", "[control]") {
  BadInputShow wall;
  Json list = {{"kind", "playlist"}, {"sources", {wall.source()}}, {"items", Json::array()}};
  for (int i = 0; i < 10'000; ++i) list["items"].push_back({0, i % 40, i % 40 + 8, 1});
  const Json answer = wall.client().ask({{"type", "open"}, {"source", list}});
  CAPTURE(answer.dump());
  REQUIRE(answer.at("type") == "done");
  CHECK(answer.at("frame") == 0);
  const Json at_end = wall.client().ask({{"type", "goto"}, {"item", 9'999}});
  CHECK(at_end.at("frame") == 79'992);
  static_cast<void>(wall.client().ask({{"type", "mute"}, {"on", true}}));
  const Json report = wall.show().finish();
  for (const std::string panel : {"c0r0", "c1r0"}) {
    const TestPicture picture = numbered_picture(canvas_px, 39);
    const int left = panel == "c0r0" ? 0 : 160;
    const std::string expected = hex(hash_of(cropped(picture, {left, 0}, {160, 96})));
    const auto shown = shown_by(report, panel);  // in time or, of so long a list, a little later
    CHECK(std::any_of(shown.begin(), shown.end(),
                      [&](const ShownHash& one) { return one.hash == expected; }));
  }
}

TEST_CASE("a wrong key is refused in one line", "[control]") {
  const TemporaryFolder folder;
  write_private_file(folder / "key", "sixteen bytes or more");
  write_numbered_movie(folder / "movie", canvas_px, frames);
  ControlledShow show(folder / "movie", "two-by-one.toml",
                      {"--key-file", (folder / "key").string()});
  write_private_file(folder / "other", "sixteen other bytes");
  REQUIRE(eventually([&] { return show.ctl({"status"}).exit_code == 0; }));
  const ProgramResult refused =
      show.ctl({"blank", "on", "--key-file", (folder / "other").string()});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err ==
        "tilewall: ctl blank: tag: expected the show's key, found another (the key file, "
        "--key-file, has to be the same on every host)\n");
  const ProgramResult status = show.ctl({"status", "--json"});
  REQUIRE(status.exit_code == 0);
  CHECK(Json::parse(status.out).at("scene").at("blank") == false);
  CHECK(show.ctl({"quit"}).exit_code == 0);
}
