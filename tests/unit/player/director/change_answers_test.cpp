// When a change is answered, and which panels the answer names.

#include "player/director/change_answers.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <vector>

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::scene;
using namespace tilewall::wall;
using Json = nlohmann::json;

namespace {

struct SentAnswer {
  ConnectionId to = 0;
  Json answer;
};

/// A wall of two panels, "left" and "right", which are connected as 1 and 2.
struct AnsweredWall {
  static Wall two_panels() {
    Wall wall;
    for (const char* name : {"left", "right"}) {
      wall.panels.emplace_back();
      wall.panels.back().name = name;
    }
    return wall;
  }

  AnsweredWall() {
    for (int panel = 0; panel < 2; ++panel) {
      PanelHello hello;
      hello.panel = panel;
      static_cast<void>(roster.join(static_cast<ConnectionId>(panel + 1), hello));
    }
  }

  const Wall wall = two_panels();
  const LocalInstant now = local_now();
  Roster roster{wall, now};
  std::vector<SentAnswer> sent;
  ChangeAnswers answers{roster, [this](ConnectionId to, const Json& answer) {
                          sent.push_back({to, answer});
                        }};
};

}  // namespace

TEST_CASE("a change is answered once all connected panels show it", "[director]") {
  AnsweredWall wall;
  wall.answers.add(7, 3, {{"type", "done"}, {"id", "a"}}, wall.now);
  wall.answers.step(wall.now);
  wall.answers.note_shown(0, 3);
  wall.answers.note_shown(1, 2);  // the scene before
  wall.answers.step(wall.now);
  CHECK(wall.sent.empty());
  wall.answers.note_shown(1, 4);  // a later scene has taken its place
  wall.answers.step(wall.now);
  REQUIRE(wall.sent.size() == 1);
  CHECK(wall.sent[0].to == 7);
  CHECK(wall.sent[0].answer == Json{{"type", "done"},
                                    {"id", "a"},
                                    {"shown", {"left", "right"}},
                                    {"not_shown", Json::array()}});
}

TEST_CASE("the answer to a change names the panels that do not show it in time", "[director]") {
  AnsweredWall wall;
  wall.answers.add(7, 3, {{"id", 1}}, wall.now);
  wall.answers.add(7, 4, {{"id", 2}}, wall.now + std::chrono::milliseconds(500));
  wall.answers.note_shown(1, 3);
  wall.answers.step(wall.now + ChangeAnswers::limit - Nanos(1));
  CHECK(wall.sent.empty());
  wall.answers.step(wall.now + ChangeAnswers::limit);
  REQUIRE(wall.sent.size() == 1);
  CHECK(wall.sent[0].answer == Json{{"id", 1}, {"shown", {"right"}}, {"not_shown", {"left"}}});
  wall.answers.finish();  // the show ends
  REQUIRE(wall.sent.size() == 2);
  CHECK(wall.sent[1].answer ==
        Json{{"id", 2}, {"shown", Json::array()}, {"not_shown", {"left", "right"}}});
}

TEST_CASE("no answer waits for a panel that is gone, nor is it sent to a client that is gone",
          "[director]") {
  AnsweredWall wall;
  wall.answers.add(7, 3, {{"id", 1}}, wall.now);
  wall.answers.add(8, 3, {{"id", 2}}, wall.now);
  wall.answers.note_shown(0, 3);
  wall.answers.note_shown(1, 2);
  REQUIRE(wall.roster.leave(2) == std::size_t{1});
  wall.answers.leave(1);
  wall.answers.forget(8);
  wall.answers.step(wall.now);
  REQUIRE(wall.sent.size() == 1);
  CHECK(wall.sent[0].answer == Json{{"id", 1}, {"shown", {"left"}}, {"not_shown", {"right"}}});
}

TEST_CASE("a client that never reads its answers does not make them grow for ever", "[director]") {
  AnsweredWall wall;
  for (std::uint64_t version = 1; version <= 5000; ++version)
    wall.answers.add(7, version, {{"id", version}}, wall.now);
  CHECK(wall.sent.size() == 5000 - 4096);
  CHECK(wall.sent.front().answer.at("id") == 1);
}
