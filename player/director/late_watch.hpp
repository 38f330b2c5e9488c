// Watches late frames: logs them by panel and cause, sends events to subscribers, lets all panels
// leave out the same ticks where one cannot show every tick, and under late policy lower lowers and
// raises the wall's detail.
//
// Threads: one owner, the director's thread.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "player/director/lateness/decimation_policy.hpp"
#include "player/director/lateness/late_log.hpp"
#include "player/director/lateness/level_policy.hpp"
#include "player/director/verbs/show_control.hpp"
#include "player/scene/messages.hpp"

namespace tilewall::director {

class LateWatch {
 public:
  struct Callbacks {
    /// Sends a new event to subscribers, in the form of to_json(LateEvent).
    std::function<void(const nlohmann::json& event)> tell;
    std::function<void(const std::string& line)> note;  ///< adds a note for people
    std::function<double()> since_start_s;              ///< seconds since the command began
    /// Is called with all late frames, those of a known event included; may be empty.
    std::function<void(const LateEvent& event)> count{};
  };

  /// `panels` are the names of the wall's panels.
  LateWatch(scene::LatePolicy policy, std::vector<std::string> panels, Callbacks callbacks);

  /// Takes a panel's report. `host` is the panel's. `was_stalled`: the panel gave no sign for long
  /// before it, so its late frames have that cause.
  void take(std::size_t panel, const std::string& host, const scene::ShownBatch& batch,
            bool was_stalled);
  /// Takes the pace of a panel's first pictures, before the show starts. `cpus` is the number of
  /// its host's CPUs; 0: unknown.
  void take_first_pace(std::size_t panel, const std::string& host, const scene::DrawPace& pace,
                       int cpus);
  /// Forgets the figures of a panel that has disconnected.
  void leave(std::size_t panel);
  /// Begins an absence: from now on the panel's late frames have the cause `gone`. `late_so_far` is
  /// its number of late frames in the ledger.
  void note_absence(std::size_t panel, std::int64_t late_so_far);
  /// Ends an absence, because the panel shows frames again or the show ends. The frames missed
  /// since are entered as one event at its begin. `late_so_far` is the ledger's number now.
  void come_back(std::size_t panel, std::int64_t late_so_far);
  /// Enters one late frame that the director itself has noticed.
  void add(std::size_t panel, scene::LateCause cause) { add(panel, cause, 1); }

  /// Sets the ticks that the show begins with.
  void prepare_start(ShowControl& control, LocalInstant now);
  /// Sets the ticks that the wall shows, and its level under late policy lower. To be called in
  /// every turn.
  void step(ShowControl& control, LocalInstant now);

  /// All events for the report, by time.
  [[nodiscard]] nlohmann::json events() const;
  /// The number of events that events() lacks.
  [[nodiscard]] std::uint64_t events_left_out() const noexcept { return log_.left_out(); }
  /// The report's `decimation`: {`every_nth_tick` at the end, the show's `most_every_nth_tick`, and
  /// `cause` and `panel` of the latter}. Cause and panel are null where every tick was shown.
  [[nodiscard]] nlohmann::json decimation() const;
  /// The cause of the panel's newest late frames; "" = it has none.
  [[nodiscard]] std::string last_cause(std::size_t panel) const;
  /// The panel's late frames so far.
  [[nodiscard]] LateByCause frames_of(std::size_t panel) const {
    return log_.frames_of(names_.at(panel));
  }

  /// Its state without the measured times of pictures, for restore() of the next director.
  [[nodiscard]] nlohmann::json checkpoint() const;
  /// Throws InputError where the checkpoint is malformed.
  void restore(const nlohmann::json& checkpoint);
  /// Continues with the ticks and the level that the last director chose.
  void go_on(ShowControl& control, LocalInstant now);

 private:
  void add(std::size_t panel, scene::LateCause cause, std::uint64_t frames);
  void enter(LateEvent event);
  void take_step(const LevelStep& step);
  /// Notes the ticks that the scene leaves out. A change of speed changes them for the same
  /// interval.
  void note_ticks(const scene::Scene& scene);
  void decimate(ShowControl& control, const DecimationStep& step);
  [[nodiscard]] NamedTickProgress progress_of(const ShowControl& control, LocalInstant now) const;
  void note_no_levels();

  const scene::LatePolicy policy_;
  const std::vector<std::string> names_;
  const Callbacks callbacks_;
  LateLog log_;
  LevelPolicy levels_;
  DecimationPolicy decimation_;
  std::int64_t every_ = 1;  // the wall shows every n-th tick, or soon will
  struct Decimated {
    std::int64_t every = 1;
    scene::LateCause cause = scene::LateCause::decode;
    std::string panel;
  };
  Decimated most_decimated_;
  std::vector<scene::LateCounts> counts_;    // each panel's newest report
  std::vector<LocalInstant> stalled_until_;  // by panel
  struct Absence {
    double since_s = 0;
    std::int64_t late_before = 0;
  };
  std::vector<std::optional<Absence>> absences_;  // by panel; empty: it is not absent
  std::vector<scene::SourcePtr> shown_;           // sources of the newest scene's regions
  bool no_levels_noted_ = false;
  bool names_ticks_ = false;
  std::vector<NamedTick> shown_ticks_;  // each panel's newest shown tick
};

}  // namespace tilewall::director
