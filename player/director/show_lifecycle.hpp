// The lifecycle of a show: panels gather, it starts at one instant, changes its scene as it was
// asked to, and ends. What is to be told of that goes out through callbacks.
//
// One owner, the director's thread.
#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "net/clock/clock_client.hpp"
#include "player/director/change_lead.hpp"
#include "player/director/detail_step.hpp"
#include "player/director/growth_watch.hpp"
#include "player/director/release_plan.hpp"
#include "player/director/roster.hpp"
#include "player/director/show_control.hpp"
#include "player/director/show_ledger.hpp"
#include "player/director/show_notes.hpp"
#include "player/director/show_options.hpp"

namespace tilewall::director {

/// What a show is made of; the owner's, and outlives the lifecycle.
struct ShowParts {
  const ShowOptions& options;
  net::ClockClient& clock;
  ShowControl& control;
  ShowLedger& ledger;
  Roster& roster;
  ShowNotes& notes;
};

class ShowLifecycle {
 public:
  struct Callbacks {
    std::function<void()> prepare_start;                          ///< it starts at once
    std::function<void()> send_scene;                             ///< to all, now
    std::function<void(const nlohmann::json& message)> tell_all;  ///< panels, and the sound process
    std::function<void(const char* name, const nlohmann::json& event)> tell_clients;
  };

  ShowLifecycle(const ShowParts& parts, Callbacks callbacks);

  /// One turn.
  void step();

  /// A panel is there; returns the first tick that it takes part in. `round_trip`: of its
  /// connection.
  std::int64_t join(std::size_t panel, Nanos round_trip);
  void leave(std::size_t panel);
  /// What bounds how soon a change can be shown: how long messages and pictures of a panel take.
  void set_panel_times(std::size_t panel, std::optional<Nanos> round_trip, Nanos picture);
  /// A panel has drawn the first picture of a change.
  void take_drawn(std::size_t panel, const scene::ChangeDrawn& drawn) { lead_.take(panel, drawn); }
  /// Late policy slow: a panel has decoded a tick. Returns whether the wall has waited for it.
  [[nodiscard]] bool take_ready(std::size_t panel, std::uint64_t epoch, std::int64_t tick);

  [[nodiscard]] bool is_gathering() const noexcept { return phase_ == Phase::gathering; }
  [[nodiscard]] bool is_playing() const noexcept { return phase_ == Phase::playing; }
  [[nodiscard]] bool is_ending() const noexcept { return phase_ == Phase::ending; }
  /// "gathering", "playing", "paused", "ending"
  [[nodiscard]] std::string phase_name() const;

  /// Ends it; again does nothing.
  void end();
  /// SIGTERM: the user's command, or the launcher has ended.
  void stop();

  [[nodiscard]] bool shows_volumes() const;
  /// Whether a buffer of so many ticks has had time to fill, and there is enough to fill it with.
  [[nodiscard]] bool is_steady(std::int64_t ticks) const;
  [[nodiscard]] GlobalInstant now() const;
  /// How long before its instant the next change is sent.
  [[nodiscard]] Nanos lead() const;
  /// Late policy slow: how much later than its timeline the show runs.
  [[nodiscard]] Nanos delay() const noexcept { return plan_.delay(); }
  /// Since the user's command began.
  [[nodiscard]] double since_command_s(GlobalInstant at) const;

 private:
  using SteadyClock = std::chrono::steady_clock;
  enum class Phase { gathering, playing, ending };

  [[nodiscard]] const scene::Scene& scene() const { return parts_.control.scene(); }
  [[nodiscard]] std::chrono::seconds gather_time() const;
  [[nodiscard]] bool waits_for_more() const;
  [[nodiscard]] bool has_shown_all(GlobalInstant end) const;
  void start_when_ready();
  void name_missing_panels();
  void name_lost_panels();
  void send_scene();
  void follow_growth();
  void change_scene();
  void keep_playing();
  void drop_stalled_panel();
  void open_epoch();
  /// Late policy slow: lets the panels show what all of them have ready.
  void release();

  const ShowParts parts_;
  const Callbacks callbacks_;
  ReleasePlan plan_;
  ChangeLead lead_;
  DetailStep detail_;
  GrowthWatch growth_;
  Phase phase_ = Phase::gathering;
  const SteadyClock::time_point gathering_since_ = SteadyClock::now();
  std::int64_t stalled_at_ = -1;
  SteadyClock::time_point stalled_since_;
};

}  // namespace tilewall::director
