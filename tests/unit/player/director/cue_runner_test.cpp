// What a presentation tells clients, panels and its log while it goes from cue to cue.

#include "player/director/cue_runner.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "tests/support/control_peers.hpp"
#include "tests/unit/player/director/lifecycle_show.hpp"

using namespace tilewall;
using namespace tilewall::director;
using test::eventually;

namespace {
namespace cue_runner_test {

using Json = nlohmann::json;

cues::Cue cue_with(const std::string& name, const std::string& path) {
  cues::Cue cue;
  cue.name = name;
  cues::RegionSetting region;
  region.name = "main";
  region.source = movie_source(48, path);
  region.play = cues::PlayState{};
  region.play->end = 48;
  cue.regions = {region};
  return cue;
}

/// A presentation of the cues a, b and c that shows the first one.
ShowOptions presentation() {
  ShowOptions options = test::lifecycle_options(true, false);
  options.cues.emplace();
  options.cues->list.cues = {cue_with("a", "/a"), cue_with("b", "/b"), cue_with("c", "/c")};
  options.cues->list.bounce_s = 0;  // commands follow one another at once
  options.scene = CueDesk(options.wall, options.cues).first_scene(options.scene, 0);
  return options;
}

struct Presentation : test::LifecycleShow {
  explicit Presentation(ShowOptions of = presentation()) : LifecycleShow(std::move(of)) {}

  ControlServer server{
      net::listen_tcp(net::resolve("127.0.0.1:0", "test")),
      {test::control_key()},
      {[](ConnectionId, const Json&, std::vector<std::uint8_t>&&) {}, [](ConnectionId) {}}};
  ScenePublisher publisher{server, control, options.wall, options.volumes, notes};
  ArmingDesk arming{roster, publisher, [this] { return lifecycle.now(); }};
  std::vector<std::pair<std::string, Json>> told;  // to clients
  PanelReports reports{parts, lifecycle, [](const char*, const Json&) {}};
  CueRunner runner{parts, lifecycle, reports, arming,
                   [this](const char* event, const Json& json) { told.emplace_back(event, json); }};

  /// Whether panels are asked for another cue than before, and for this one; null: for none.
  [[nodiscard]] bool gets_ready_for(const Json& cue) {
    const std::uint64_t before = arming.status().token;
    return eventually([&] {
      turn();
      return arming.status().token != before && runner.arming().at("cue") == cue;
    });
  }
  void turn() {
    step();
    runner.step();
  }
  void ask(const Json& request) {
    auto command = cues.command_of(request, control.scene(), lifecycle.now());
    REQUIRE(command);
    control.ask({command->apply, {}});
  }
  /// The lines of the log of that name.
  [[nodiscard]] std::vector<Json> logged(const std::string& name) const {
    const ShowLogMemory memory(log_memory.get());
    std::istringstream text(memory.text(memory.head().begin, 65536));
    std::vector<Json> lines;
    for (std::string line; std::getline(text, line);)
      if (Json json = Json::parse(line); json.value("event", "") == name) lines.push_back(json);
    return lines;
  }
};

}  // namespace cue_runner_test
}  // namespace

using cue_runner_test::Presentation;

TEST_CASE("panels get ready for the cue after the one on the wall, and for none after the last",
          "[cues]") {
  Presentation show;
  CHECK(show.runner.arming().at("state") == "arming");  // before the start, and not asked yet
  show.turn();
  CHECK(show.arming.status().state == ArmingState::idle);
  CHECK(show.told.empty());
  show.start();
  REQUIRE(show.gets_ready_for("b"));
  REQUIRE(show.told.size() == 1);
  CHECK(show.told[0].first == "cue");
  CHECK(show.told[0].second.at("name") == "a");

  show.ask({{"type", "next"}});
  REQUIRE(
      eventually([&] { return show.step().is_playing() && show.control.scene().cue->cue == "b"; }));
  // Panels have not heard of the cue after that one.
  CHECK(show.runner.arming() ==
        nlohmann::json{{"state", "arming"}, {"cue", "c"}, {"missing", nlohmann::json::array()}});
  REQUIRE(show.gets_ready_for("c"));
  CHECK(show.told.size() == 2);
  CHECK(show.told[1].second.at("name") == "b");

  show.ask({{"type", "next"}});
  REQUIRE(show.gets_ready_for(nullptr));
  CHECK(show.told.size() == 3);
  CHECK(show.told[2].second.at("name") == "c");
}

TEST_CASE("clients hear once that panels are ready for the next cue", "[cues]") {
  Presentation show;
  show.arming.greet(1, 0);
  show.arming.greet(2, 1);
  show.start();
  REQUIRE(show.gets_ready_for("b"));
  const auto report = [&](std::size_t panel, const std::vector<std::string>& missing) {
    show.arming.take(panel,
                     scene::to_json(scene::ArmedReport{show.arming.status().token, missing}));
    show.turn();
  };
  report(0, {});
  CHECK(show.told.size() == 1);
  report(1, {});
  REQUIRE(show.told.size() == 2);
  CHECK(show.told[1].first == "armed");
  CHECK(show.told[1].second ==
        nlohmann::json{{"state", "armed"}, {"cue", "b"}, {"missing", nlohmann::json::array()}});
  show.turn();
  CHECK(show.told.size() == 2);
  report(1, {"/b: no such file"});
  REQUIRE(show.told.size() == 3);
  CHECK(show.told[2].second ==
        nlohmann::json{{"state", "amber"},
                       {"cue", "b"},
                       {"missing", {{{"panel", "right"}, {"missing", {"/b: no such file"}}}}}});
}

TEST_CASE("a presentation's log has its start, and each process that was started anew", "[cues]") {
  Presentation show;
  show.roster.note_director_deaths({0.5});
  show.runner.go_on(nullptr);
  show.turn();
  CHECK_FALSE(show.log.start());
  show.start();
  show.roster.note_director_deaths({0.5, 1.5});
  show.turn();
  CHECK(show.log.start() == show.control.scene().since);
  show.turn();
  // The restarts before this director went on are in the log of the one before.
  const auto lines = show.logged("restart");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].at("role") == "director");
  CHECK(lines[0].at("panel").is_null());
  CHECK(lines[0].at("host").is_null());
  CHECK(lines[0].at("hung") == false);
}

TEST_CASE("a presentation ends once its last cue is over, where it is to end with its cues",
          "[cues]") {
  const bool ends = GENERATE(false, true);
  CAPTURE(ends);
  ShowOptions options = cue_runner_test::presentation();
  options.ends_with_cues = ends;
  options.cues->list.cues.resize(1);
  options.cues->list.cues[0].follow = cues::Follow{cues::Follow::Kind::after, 0.01};
  Presentation show(options);
  show.start();
  REQUIRE(eventually([&] {
    return show.lifecycle.now() > show.control.scene().since + std::chrono::milliseconds(20);
  }));
  show.turn();
  CHECK(show.lifecycle.is_ending() == ends);
}
