// Watches over what comes late: writes it down with panel and cause, tells who listens, has all
// panels leave out the same ticks where one cannot show every tick, and under late policy "lower"
// takes the wall's detail down and up again.
//
// One owner, the director's thread.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "player/director/decimation_policy.hpp"
#include "player/director/late_log.hpp"
#include "player/director/level_policy.hpp"
#include "player/director/show_control.hpp"
#include "player/scene/messages.hpp"

namespace tilewall::director {

class LateWatch {
 public:
  struct Callbacks {
    std::function<void(const nlohmann::json& event)> tell;  ///< a new event, as the report has it
    std::function<void(const std::string& line)> note;      ///< for people
    std::function<double()> since_start_s;
  };

  /// `panels`: their names.
  LateWatch(scene::LatePolicy policy, std::vector<std::string> panels, Callbacks callbacks);

  /// A panel's report, from `host`. `was_stalled`: it had given no sign for long, which is why.
  void take(std::size_t panel, const std::string& host, const scene::ShownBatch& batch,
            bool was_stalled);
  /// How long its first pictures took, before the show starts. `cpus`: as ShownBatch has them.
  void take_first_pace(std::size_t panel, const std::string& host, const scene::DrawPace& pace,
                       int cpus);
  /// The panel is gone; its counts begin anew when it comes back.
  void leave(std::size_t panel);
  /// From now on what the panel does not show is missed as it is not there. `late_so_far`: of its
  /// frames, by the ledger.
  void note_absence(std::size_t panel, std::int64_t late_so_far);
  /// A panel that was not there shows frames again, or the show ends: what it missed, up to
  /// `late_so_far`, is entered as of its death.
  void come_back(std::size_t panel, std::int64_t late_so_far);
  /// One more late frame, by what the director itself sees.
  void add(std::size_t panel, scene::LateCause cause) { add(panel, cause, 1); }

  /// Before the show starts: sets which ticks it begins with.
  void prepare_start(ShowControl& control, LocalInstant now);
  /// Sets which ticks the wall shows and, under late policy lower, the level that it is to rest at.
  void step(ShowControl& control, LocalInstant now);

  [[nodiscard]] nlohmann::json events() const;
  /// That the report has no room for.
  [[nodiscard]] std::uint64_t events_left_out() const noexcept { return log_.left_out(); }
  /// The report's `decimation`: {`every_nth_tick` at the end, `most_every_nth_tick` of the show,
  /// and the latter's `cause` and `panel`}; both null where every tick was shown.
  [[nodiscard]] nlohmann::json decimation() const;
  /// "" = it has had no late frame.
  [[nodiscard]] std::string last_cause(std::size_t panel) const;

 private:
  void add(std::size_t panel, scene::LateCause cause, std::uint64_t frames);
  void enter(LateEvent event);
  void take_step(const LevelStep& step);
  /// Which ticks the scene leaves out: another speed leaves out others for the same interval.
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
  std::int64_t every_ = 1;  // every how manieth tick is shown, or soon
  struct Decimated {
    std::int64_t every = 1;
    scene::LateCause cause = scene::LateCause::decode;
    std::string panel;
  };
  Decimated most_decimated_;
  std::vector<scene::LateCounts> counts_;    // of each panel's newest report
  std::vector<LocalInstant> stalled_until_;  // by panel
  struct Absence {
    double since_s = 0;
    std::int64_t late_before = 0;
  };
  std::vector<std::optional<Absence>> absences_;  // by panel; empty: it is there
  std::vector<scene::SourcePtr> shown_;           // by the newest scene's regions
  bool no_levels_noted_ = false;
  bool names_ticks_ = false;
  std::vector<NamedTick> shown_ticks_;  // the newest by panel
};

}  // namespace tilewall::director
