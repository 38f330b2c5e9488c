// A show of two panels with the clock of a daemon on this host, whose lifecycle a test drives.
#pragma once

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "player/director/show_lifecycle.hpp"
#include "player/director/show_options.hpp"
#include "tests/support/clock_thread.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/scene_maker.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tilewall::test {

/// Two panels that show a movie of one frame, a tenth of a second long.
inline director::ShowOptions lifecycle_options(bool headless, bool exit_at_end) {
  director::ShowOptions options;
  for (const char* name : {"left", "right"}) {
    options.wall.panels.emplace_back();
    options.wall.panels.back().name = name;
    options.wall.panels.back().size_px = {640, 360};
    options.wall.panels.back().size_mm = {640, 360};
  }
  options.wall.panels[1].position_mm = {640, 0};
  options.scene = first_scene({movie_region("main", movie_source(1))});
  options.headless = headless;
  options.exit_at_end = exit_at_end;
  options.command_start = local_now();
  return options;
}

struct LifecycleShow {
  LifecycleShow(bool headless, bool exit_at_end)
      : LifecycleShow(lifecycle_options(headless, exit_at_end)) {}
  explicit LifecycleShow(director::ShowOptions of) : options(std::move(of)) {}

  ClockThread daemon;
  director::ShowOptions options;
  net::ClockClient clock{daemon.address()};
  director::ShowControl control{options.scene, Nanos(0)};
  director::ShowLedger ledger{2, false};
  director::Roster roster{options.wall, options.command_start};
  director::ShowNotes notes{[](const std::string&) {}};
  UniqueFd journal_memory{director::JournalMemory::make()};
  TemporaryFolder folder;
  director::ShowJournal journal{journal_memory.get(), folder / "journal.jsonl"};
  director::CueDesk cues{options.wall, options.cues};
  UniqueFd log_memory{director::ShowLogMemory::make()};
  director::ShowLog log{log_memory.get(), {folder / "show.log.jsonl", "{}"}};
  director::ShowParts parts{options, clock, control, cues, ledger, roster, notes, journal, log};
  int starts = 0;
  int scenes = 0;
  std::vector<std::string> messages;  // types of those to all
  std::vector<std::string> events;    // names of those to clients
  director::ShowLifecycle lifecycle{
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
  director::ShowLifecycle& step() {
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

}  // namespace tilewall::test
