// Requests about the cues of a presentation that change no scene: notes, changes of cues, lists.

#include "player/director/cue_service.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "net/control/sealed_stream.hpp"
#include "net/socket.hpp"
#include "player/cues/revision.hpp"
#include "tests/support/control_peers.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/kept_journal.hpp"
#include "tests/support/scene_maker.hpp"

using namespace tilewall;
using namespace tilewall::director;
using namespace tilewall::net;
using test::at_ms;

namespace {
namespace cue_service_test {

using Json = nlohmann::json;

cues::Cue cue_of_movie(const std::string& name) {
  scene::SourceSpec source = *movie_source(100, "/" + name);
  source.named.inputs = {name + ".mp4"};
  cues::RegionSetting region;
  region.name = "main";
  region.source = std::make_shared<const scene::SourceSpec>(std::move(source));
  region.play = cues::PlayState{};
  region.play->end = 100;
  cues::Cue cue;
  cue.name = name;
  cue.regions = {region};
  return cue;
}

CueShow show_of(const std::vector<std::string>& names) {
  CueShow show;
  show.list.name = "talk";
  for (const std::string& name : names) show.list.cues.push_back(cue_of_movie(name));
  return show;
}

/// A presentation whose first cue has been on the wall since at_ms(0). Client 1 asks, client 2 has
/// subscribed.
class Presentation {
 public:
  explicit Presentation(std::optional<CueShow> show = show_of({"a", "b", "c"}))
      : cues(wall_, std::move(show)) {
    if (cues.is_presenting()) control_ = ShowControl(cues.first_scene({}, 0), lead);
    control_.start(at_ms(0));
    for (int i = 0; i < 2; ++i) clients_.push_back(test::authenticated_client(server_, address_));
    clients.take(2, {{"type", "subscribe"}});
    CHECK(received(2).at("type") == "done");
  }

  /// The answer to a request of client 1.
  Json ask(Json request) {
    request["id"] = ++asked_;
    CHECK(service.take(1, request));
    Json answer = received(1);
    CHECK(answer.at("id") == asked_);
    return answer;
  }
  std::string refusal(const Json& request) {
    const Json answer = ask(request);
    CHECK(answer.at("type") == "refused");
    return answer.value("error", "");
  }
  /// The names of the events that client 2 is sent for the requests so far.
  std::vector<std::string> events() {
    clients.send_confirmation(2, {{"id", "end"}});
    std::vector<std::string> names;
    for (Json message = received(2); message.at("type") == "event"; message = received(2))
      names.push_back(message.at("event"));
    return names;
  }
  /// Executes a change of the wall by hand.
  void change(ApplyCommand apply, GlobalInstant at) {
    std::string refusal = "not answered";
    control_.ask(
        {std::move(apply), [&](const CommandOutcome& outcome) { refusal = outcome.refusal; }});
    control_.step(at - lead, Nanos(0));
    REQUIRE(refusal == "");
  }
  void turn(GlobalInstant now) { control_.step(now, Nanos(0)); }
  [[nodiscard]] Json journal_cues() const { return journal_state(kept.text()).cues; }

 private:
  static constexpr Nanos lead{100'000'000};

  Json received(ConnectionId client) {
    std::vector<Message>& messages = received_[client];
    while (messages.empty()) {
      server_.poll(std::chrono::milliseconds(1));
      REQUIRE(clients_[client - 1]->read_some(messages) == StreamStatus::open);
    }
    Json json = Json::parse(messages.front().text);
    messages.erase(messages.begin());
    return json;
  }

  UniqueFd listening_ = listen_tcp(resolve("127.0.0.1:0", "test"));
  const SocketAddress address_ = local_address(listening_.get());
  ControlServer server_{
      std::move(listening_),
      {test::control_key()},
      {[](ConnectionId, const Json&, std::vector<std::uint8_t>&&) {}, [](ConnectionId) {}}};
  const wall::Wall wall_ = wall::scaled_wall_5x3(SizePx{1600, 900});
  ShowControl control_{first_scene({movie_region("main", movie_source(100))}), lead};
  std::vector<std::unique_ptr<SealedStream>> clients_;
  std::map<ConnectionId, std::vector<Message>> received_;
  int asked_ = 0;

 public:
  test::KeptJournal kept;
  ShowJournal journal{kept.memory.get(), kept.file};
  CueDesk cues;
  ClientService clients{server_, control_, journal, cues, wall_, [] { return at_ms(450); }};
  CueService service{server_, clients, control_, journal, cues, [] { return at_ms(450); }};
};

}  // namespace cue_service_test

using cue_service_test::Presentation;

}  // namespace

TEST_CASE("the list of cues comes in pages, with the cue that is shown", "[cues]") {
  Presentation show;
  using cue_service_test::Json;
  const auto names = [](const Json& answer) {
    std::vector<std::string> all;
    for (const Json& cue : answer.at("cues")) all.push_back(cue.at("name"));
    return all;
  };
  const Json all = show.ask({{"type", "cues"}});
  CHECK(all.at("type") == "cues");
  CHECK(all.at("count") == 3);
  CHECK(all.at("current") == 0);
  CHECK(names(all) == std::vector<std::string>{"a", "b", "c"});
  CHECK(names(show.ask({{"type", "cues"}, {"first", 1}, {"most", 1}})) ==
        std::vector<std::string>{"b"});
  CHECK(names(show.ask({{"type", "cues"}, {"first", 3}})).empty());
  CHECK(names(show.ask({{"type", "cues"}, {"most", 1000}})).size() == 3);
  CHECK(show.refusal({{"type", "cues"}, {"first", -1}}) ==
        "cues: first: expected 0 or more, found -1");
  CHECK(show.refusal({{"type", "cues"}, {"most", 0}}) == "cues: most: expected 1 to 1000, found 0");
  CHECK(show.refusal({{"type", "cues"}, {"most", 1001}}) ==
        "cues: most: expected 1 to 1000, found 1001");
  CHECK_THAT(show.refusal({{"type", "cues"}, {"last", 1}}), Catch::Contains("last"));
  CHECK(show.events().empty());
}

TEST_CASE("an operator's note of a cue is kept for the next director, and told to all", "[cues]") {
  Presentation show;
  using cue_service_test::Json;
  const Json note = {{"type", "cue"}, {"verb", "note"}, {"cue", "b"}, {"note", "mind the step"}};
  const Json done = show.ask(note);
  CHECK(done.at("type") == "done");
  CHECK(done.at("changed") == true);
  CHECK(done.at("unsaved") == 1);
  CHECK(show.cues.list().cues[1].note == "mind the step");
  CHECK(show.journal_cues() == cues::to_json(show.cues.list()));
  CHECK(show.events() == std::vector<std::string>{"command", "show"});
  const auto with_note = [&](const std::string& text) {
    Json other = note;
    other["note"] = text;
    return other;
  };
  const std::string longest(cues::max_note_bytes, 'n');
  CHECK(show.ask(with_note(longest)).at("type") == "done");
  CHECK_THAT(show.refusal(with_note(longest + "n")), Catch::Contains("bytes"));
  Json unknown = note;
  unknown["cue"] = "bb";
  CHECK_THAT(show.refusal(unknown), Catch::Contains("bb"));
  CHECK(show.cues.list().cues[1].note == longest);
  CHECK(show.ask(with_note("")).at("type") == "done");
  CHECK(show.cues.list().cues[1].note == "");
  CHECK(show.cues.list().unsaved.at(0).note == "");
}

TEST_CASE("a cue takes what the wall shows of it, once for each change of the wall", "[cues]") {
  Presentation show;
  using cue_service_test::Json;
  const Json update = {{"type", "cue"}, {"verb", "update"}};
  const Json same = show.ask(update);
  CHECK(same.at("changed") == false);
  CHECK(same.at("unsaved") == 0);
  CHECK(show.journal_cues().is_null());
  CHECK(show.events() == std::vector<std::string>{"command"});
  show.change([](SceneChange& change) { change.set_speed("", {2, 1}); }, at_ms(400));
  const Json changed = show.ask(update);
  CHECK(changed.at("changed") == true);
  CHECK(changed.at("unsaved") == 1);
  CHECK(show.cues.list().cues[0].regions[0].play->speed == Rational{2, 1});
  CHECK(show.journal_cues() == cues::to_json(show.cues.list()));
  // A replay takes the list that the event after "show" has.
  CHECK(show.events() == std::vector<std::string>{"command", "show", "command"});
  CHECK(show.ask(update).at("changed") == false);
}

TEST_CASE("changes of cues that a show file has are not unsaved any more", "[cues]") {
  Presentation show;
  using cue_service_test::Json;
  CHECK(show.ask({{"type", "show"}, {"verb", "unsaved"}}).at("changes") == "");
  for (const char* cue : {"a", "c"})
    show.ask({{"type", "cue"}, {"verb", "note"}, {"cue", cue}, {"note", "slow"}});
  const Json unsaved = show.ask({{"type", "show"}, {"verb", "unsaved"}});
  CHECK(unsaved.at("type") == "unsaved");
  const auto changes = cues::changes_from_text(unsaved.at("changes").get<std::string>());
  REQUIRE(changes.size() == 2);
  show.ask({{"type", "cue"}, {"verb", "note"}, {"cue", "c"}, {"note", "fast"}});
  const Json saved =
      show.ask({{"type", "show"}, {"verb", "saved"}, {"changes", unsaved.at("changes")}});
  CHECK(saved.at("type") == "done");
  CHECK(saved.at("unsaved") == 1);  // the note that c got since
  CHECK(show.journal_cues() == cues::to_json(show.cues.list()));
}

TEST_CASE("a list that is reloaded replaces the present one, where it has the shown cue",
          "[cues]") {
  Presentation show;
  using cue_service_test::Json;
  using cue_service_test::show_of;
  show.ask({{"type", "cue"}, {"verb", "note"}, {"cue", "b"}, {"note", "slow"}});
  const auto reload = [](const std::vector<std::string>& names) {
    return Json{{"type", "show"}, {"verb", "reload"}, {"list", cues::to_json(show_of(names).list)}};
  };
  CHECK_THAT(show.refusal(reload({"c", "b"})), Catch::Contains("\"a\""));
  CHECK(show.cues.list().cues.size() == 3);
  const Json done = show.ask(reload({"x", "a"}));
  CHECK(done.at("type") == "done");
  CHECK(done.at("dropped") == 1);
  REQUIRE(show.cues.list().cues.size() == 2);
  CHECK(show.cues.list().cues[0].name == "x");
  CHECK(show.journal_cues() == cues::to_json(show.cues.list()));
  CHECK(show.ask({{"type", "cues"}}).at("current") == 1);
}

TEST_CASE("another show comes with its scene, whatever else is refused before", "[cues]") {
  Presentation show;
  using cue_service_test::Json;
  CHECK(
      show.service.take(1, {{"type", "show"},
                            {"verb", "load"},
                            {"cue", "y"},
                            {"list", cues::to_json(cue_service_test::show_of({"x", "y"}).list)}}));
  CHECK(show.cues.is_loading());
  show.clients.take(1, {{"type", "seek"}, {"frame", -1}});
  show.turn(at_ms(300));
  CHECK(show.cues.is_loading());
  CHECK(show.cues.list().cues.size() == 3);
  CHECK(show.journal_cues().is_null());
  show.cues.note_armed(1, true);
  show.turn(at_ms(400));
  CHECK_FALSE(show.cues.is_loading());
  CHECK(show.cues.list().cues.size() == 2);
  CHECK(show.journal_cues() == cues::to_json(show.cues.list()));
}

TEST_CASE("requests about cues are for operators of a presentation", "[cues]") {
  Presentation show;
  using cue_service_test::Json;
  CHECK(show.refusal({{"type", "show"}, {"verb", "unsaved"}, {"as", "guest"}}) ==
        "show: as: expected operator, found \"guest\"");
  CHECK(show.ask({{"type", "show"}, {"verb", "unsaved"}, {"as", "operator"}}).at("type") ==
        "unsaved");
  CHECK(show.refusal({{"type", "show"}, {"verb", "rename"}}) ==
        "show: verb: expected reload, load, unsaved or saved, found \"rename\"");
  CHECK_FALSE(show.service.take(1, {{"type", "cue"}, {"verb", "arm"}, {"cue", "b"}}));
  CHECK_FALSE(show.service.take(1, {{"type", "next"}}));
  Presentation movie(std::nullopt);
  for (const Json& request : {Json{{"type", "cues"}}, Json{{"type", "show"}, {"verb", "unsaved"}},
                              Json{{"type", "cue"}, {"verb", "update"}}})
    CHECK_THAT(movie.refusal(request),
               Catch::Contains("expected a presentation (tilewall present), found another show"));
}
