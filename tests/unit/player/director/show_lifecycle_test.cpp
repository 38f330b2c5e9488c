// When a show starts and when it ends by itself, with the clock of a daemon on this host.

#include "player/director/show_lifecycle.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "player/director/show_options.hpp"
#include "tests/support/clock_thread.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/scene_maker.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::director;
using test::eventually;

namespace {
namespace lifecycle_test {

/// Two panels that show a movie of one frame, a tenth of a second long.
ShowOptions options_of(bool headless, bool exit_at_end) {
  ShowOptions options;
  for (const char* name : {"left", "right"}) {
    options.wall.panels.emplace_back();
    options.wall.panels.back().name = name;
  }
  options.scene = first_scene({movie_region("main", movie_source(1))});
  options.headless = headless;
  options.exit_at_end = exit_at_end;
  options.command_start = local_now();
  return options;
}

struct LifecycleShow {
  LifecycleShow(bool headless, bool exit_at_end)
      : LifecycleShow(options_of(headless, exit_at_end)) {}
  explicit LifecycleShow(ShowOptions of) : options(std::move(of)) {}

  test::ClockThread daemon;
  ShowOptions options;
  net::ClockClient clock{daemon.address()};
  ShowControl control{options.scene, Nanos(0)};
  ShowLedger ledger{2, false};
  Roster roster{options.wall, options.command_start};
  ShowNotes notes{[](const std::string&) {}};
  UniqueFd journal_memory{JournalMemory::make()};
  test::TemporaryFolder folder;
  ShowJournal journal{journal_memory.get(), folder / "journal.jsonl"};
  CueDesk cues{options.wall, {}};
  ShowLog log{-1, {}};
  ShowParts parts{options, clock, control, cues, ledger, roster, notes, journal, log};
  int starts = 0;
  int scenes = 0;
  std::vector<std::string> messages;  // types of those to all
  std::vector<std::string> events;    // names of those to clients
  ShowLifecycle lifecycle{
      parts,
      {[this] { ++starts; }, [this] { ++scenes; },
       [this](const nlohmann::json& message) { messages.push_back(message.at("type")); },
       [this](const char* name, const nlohmann::json&) { events.emplace_back(name); }}};

  /// Returns the panel's first tick.
  std::int64_t join(std::size_t panel,
                    const std::optional<scene::PanelStanding>& standing = std::nullopt) {
    scene::PanelHello hello;
    hello.panel = static_cast<int>(panel);
    static_cast<void>(roster.join(panel + 1, hello));
    return lifecycle.join(panel, Nanos(0), standing);
  }
  void start() {
    for (const std::size_t panel : {std::size_t{0}, std::size_t{1}}) {
      join(panel);
      roster.set_primed(panel);
    }
    REQUIRE(eventually([&] { return step().is_playing(); }));
  }
  ShowLifecycle& step() {
    lifecycle.step();
    return lifecycle;
  }
  /// Global time at which the only frame has been shown.
  [[nodiscard]] GlobalInstant end() const { return *scene::end_of(control.scene().regions); }
  void wait_for_end() {
    REQUIRE(eventually([&] { return lifecycle.now() > end(); }));
  }
  void report_frame(std::size_t panel) {
    const GlobalInstant due = control.scene().tick_grid.start;
    ledger.add(panel, control.scene().epoch, {0, 0, due.since_epoch.count(), 7});
  }
};

}  // namespace lifecycle_test
}  // namespace

using lifecycle_test::LifecycleShow;

TEST_CASE("a show starts once all panels have their first picture and the clock is known",
          "[director]") {
  LifecycleShow show(true, false);
  show.join(0);
  show.join(1);
  show.roster.set_primed(0);
  REQUIRE(eventually([&] { return show.clock.status().state != sync::ClockState::collecting; }));
  CHECK(show.step().is_gathering());
  CHECK(show.lifecycle.phase_name() == "gathering");
  CHECK(show.starts == 0);
  show.roster.set_primed(1);
  CHECK(show.step().is_playing());
  CHECK(show.lifecycle.phase_name() == "playing");
  CHECK(show.starts == 1);
  CHECK(show.scenes == 1);
  CHECK(show.control.scene().since != scene::never);
  show.step();
  CHECK(show.starts == 1);
}

TEST_CASE("a headless show ends once all panels have reported its last frame", "[director]") {
  LifecycleShow show(true, false);
  show.start();
  show.wait_for_end();
  show.report_frame(0);
  const bool waits = show.step().is_playing();
  if (show.lifecycle.now() < show.end() + std::chrono::seconds(1)) CHECK(waits);
  show.report_frame(1);
  CHECK(show.step().is_ending());
  CHECK(show.events == std::vector<std::string>{"end"});
  CHECK(show.messages == std::vector<std::string>{"quit"});
  CHECK(show.notes.exit_code() == 0);
  show.lifecycle.end();  // changes nothing
  CHECK(show.messages.size() == 1);
}

TEST_CASE("a show in windows stays at its last frame, unless it is to end there", "[director]") {
  for (const bool exits : {false, true}) {
    CAPTURE(exits);
    LifecycleShow show(false, exits);
    show.start();
    show.report_frame(0);
    show.report_frame(1);
    show.wait_for_end();
    CHECK(show.step().is_ending() == exits);
  }
}

TEST_CASE("a panel that reports nothing holds up a show's end for two seconds", "[director]") {
  LifecycleShow show(true, true);
  show.start();
  show.wait_for_end();
  show.report_frame(0);
  CHECK(eventually([&] { return show.step().is_ending(); }));
  CHECK(show.lifecycle.now() - show.end() > std::chrono::seconds(2));
}

TEST_CASE("a show that is stopped without a panel has failed", "[director]") {
  LifecycleShow show(true, true);
  show.start();
  CHECK(show.roster.leave(1));
  CHECK(show.roster.leave(2));
  show.lifecycle.stop();
  CHECK(show.lifecycle.is_ending());
  CHECK(show.notes.error() == "no panel is left");
  CHECK(show.notes.exit_code() == exit_failed);
}

TEST_CASE("after a director's death no tick is released before all panels are back", "[director]") {
  ShowOptions options = lifecycle_test::options_of(true, true);
  options.late = scene::LatePolicy::slow;
  options.scene = first_scene({movie_region("main", movie_source(1000))});
  scene::Scene& scene = options.scene;
  scene.version = scene.epoch = 2;  // written to the journal, and sent to no panel
  scene.since = scene.regions.front().timeline.start = GlobalInstant{} + Nanos(1);
  scene.tick_grid = scene::plan_tick_grid(scene.regions, scene.since);
  LifecycleShow show(options);
  REQUIRE(eventually([&] { return show.clock.status().state != sync::ClockState::collecting; }));
  show.lifecycle.go_on({{scene}}, Nanos(0));
  scene::PanelStanding before;
  before.version = before.epoch = 1;
  CHECK(show.join(0, before) == 0);
  static_cast<void>(show.lifecycle.take_ready(0, 2, 7));
  CHECK(std::ranges::count(show.messages, "release") == 0);
  CHECK(show.join(1, before) == 0);
  static_cast<void>(show.lifecycle.take_ready(1, 2, 7));
  CHECK(std::ranges::count(show.messages, "release") == 1);
}
