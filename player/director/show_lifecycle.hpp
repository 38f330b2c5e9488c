// The lifecycle of a show: panels gather, the show starts at one instant, its scene changes by
// commands, and it ends. Messages go out through callbacks.
//
// Threads: one owner, the director's thread.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "net/clock/clock_client.hpp"
#include "player/director/changes/change_lead.hpp"
#include "player/director/growth_watch.hpp"
#include "player/director/lateness/release_plan.hpp"
#include "player/director/log/show_journal.hpp"
#include "player/director/log/show_log.hpp"
#include "player/director/log/show_notes.hpp"
#include "player/director/roster.hpp"
#include "player/director/show_options.hpp"
#include "player/director/statistics/show_ledger.hpp"
#include "player/director/verbs/detail_step.hpp"
#include "player/director/verbs/show_control.hpp"

namespace tilewall::director {

/// The parts of a show. The director owns them, and they outlive all who hold this.
struct ShowParts {
  const ShowOptions& options;
  net::ClockClient& clock;
  ShowControl& control;
  CueDesk& cues;
  ShowLedger& ledger;
  Roster& roster;
  ShowNotes& notes;
  ShowJournal& journal;
  ShowLog& log;
};

class ShowLifecycle {
 public:
  struct Callbacks {
    std::function<void()> prepare_start;  ///< called just before the show starts
    std::function<void()> send_scene;     ///< sends the scene to panels and sound process
    /// Sends a message to all panels and the sound process.
    std::function<void(const nlohmann::json& message)> tell_all;
    /// Sends an event to the subscribed clients.
    std::function<void(const char* name, const nlohmann::json& event)> tell_clients;
  };

  ShowLifecycle(const ShowParts& parts, Callbacks callbacks);

  /// To be called in every turn.
  void step();

  /// Continues the show of a director that has died. To be called before the first step(), once the
  /// clock is known. `scenes` are the newest scenes of its journal, of which the ledger may lack
  /// the last ones; `delay` is the wall's.
  void go_on(const std::deque<JournalScene>& scenes, Nanos delay);

  /// Adds a panel that has connected, with the network's round trip to it. `standing`: what it has
  /// of the show already. Returns the first tick that it takes part in.
  std::int64_t join(std::size_t panel, Nanos round_trip,
                    const std::optional<scene::PanelStanding>& standing);
  void leave(std::size_t panel);
  /// Sets the times that bound how soon a change can be shown: the network's round trip, and the
  /// panel's mean time per picture.
  void set_panel_times(std::size_t panel, std::optional<Nanos> round_trip, Nanos picture);
  /// Takes a panel's stamps of the first picture of a change.
  void take_drawn(std::size_t panel, const scene::ChangeDrawn& drawn) { lead_.take(panel, drawn); }
  /// Late policy slow: notes that a panel has decoded a tick. Returns whether the wall has waited
  /// for it.
  [[nodiscard]] bool take_ready(std::size_t panel, std::uint64_t epoch, std::int64_t tick);

  [[nodiscard]] bool is_gathering() const noexcept { return phase_ == Phase::gathering; }
  [[nodiscard]] bool is_playing() const noexcept { return phase_ == Phase::playing; }
  [[nodiscard]] bool is_ending() const noexcept { return phase_ == Phase::ending; }
  /// Whether panels of a director that died may still connect again, and report what it did not
  /// hear of.
  [[nodiscard]] bool awaits_panels() const;
  /// "gathering", "playing", "paused", "ending"
  [[nodiscard]] std::string phase_name() const;

  /// Ends the show. Further calls do nothing.
  void end() { end_at(now()); }
  /// Ends a show that has ended at `at` under another director, which died.
  void end_at(GlobalInstant at);
  /// Ends the show after SIGTERM: the user's command or the launcher has ended.
  void stop();

  [[nodiscard]] bool shows_volumes() const;
  /// Whether a buffer of so many ticks has had time to fill, and so many ticks are left.
  [[nodiscard]] bool is_steady(std::int64_t ticks) const;
  [[nodiscard]] GlobalInstant now() const;
  /// How long before its instant the next change is sent.
  [[nodiscard]] Nanos lead() const;
  /// How long before an instant a message about it is sent to panels.
  [[nodiscard]] Nanos delivery_lead() const { return lead_.release_lead(); }
  /// Late policy slow: the wall's delay after its timelines.
  [[nodiscard]] Nanos delay() const noexcept { return plan_.delay(); }
  /// Seconds from the begin of the user's command to `at`.
  [[nodiscard]] double since_command_s(GlobalInstant at) const;

 private:
  using SteadyClock = std::chrono::steady_clock;
  enum class Phase { gathering, playing, ending };

  [[nodiscard]] const scene::Scene& scene() const { return parts_.control.scene(); }
  [[nodiscard]] std::chrono::seconds gather_time() const;
  [[nodiscard]] bool waits_for_more() const;
  [[nodiscard]] bool has_shown_all(GlobalInstant end) const;
  [[nodiscard]] bool is_over_time() const;
  void start_when_ready();
  void name_missing_panels();
  void name_lost_panels();
  void send_scene();
  void follow_growth();
  void change_scene();
  void keep_playing();
  void give_up_missing();
  void drop_stalled_panel();
  void end_without_critical_panel();
  void open_epoch();
  void open_epoch(const scene::Scene& scene);
  /// Late policy slow: releases the ticks that all panels have decoded.
  void release();

  const ShowParts parts_;
  const Callbacks callbacks_;
  ReleasePlan plan_;
  ChangeLead lead_;
  DetailStep detail_;
  GrowthWatch growth_;
  Phase phase_ = Phase::gathering;
  const SteadyClock::time_point gathering_since_ = SteadyClock::now();
  GlobalInstant began_;         ///< when this director began to play
  bool goes_on_ = false;        ///< another director began the show
  bool awaits_panels_ = false;  ///< panels of that director may still connect again
  std::int64_t stalled_at_ = -1;
  SteadyClock::time_point stalled_since_;
  std::optional<SteadyClock::time_point> critical_lost_since_;  // empty: none is lost
};

}  // namespace tilewall::director
