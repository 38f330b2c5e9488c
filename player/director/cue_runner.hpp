// Runs the cues of a presentation: goes on to those that follow by themselves, or replays recorded
// ones; gets panels ready for the next one; and tells clients, the log and the statistics of each.
//
// Threads: one owner, the director's thread.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "player/director/arming.hpp"
#include "player/director/panel_reports.hpp"
#include "player/director/replay.hpp"
#include "player/director/show_lifecycle.hpp"

namespace tilewall::director {

class CueRunner {
 public:
  using TellClients = std::function<void(const char* event, const nlohmann::json& details)>;

  /// Everything referred to outlives this object. A show without cues has nothing to run.
  CueRunner(const ShowParts& parts, ShowLifecycle& lifecycle, PanelReports& reports,
            ArmingDesk& arming, TellClients tell_clients);

  /// Goes on after another director's death, with the list of cues that was loaded or changed in
  /// the running show; null: none was. To be called once the roster has the restarts so far.
  void go_on(const nlohmann::json& loaded);

  /// To be called in every turn.
  void step();

  /// What panels have ready of the cue that comes next: {"state", "cue", "missing": [{"panel",
  /// "missing"}]}. @pre the show has cues
  [[nodiscard]] nlohmann::json arming() const;

 private:
  void keep_log();
  void follow(Command command);
  void begin(const scene::CuePosition& cue);
  void arm(GlobalInstant now);
  /// What panels get ready for.
  struct Target {
    std::optional<std::size_t> cue{};  // empty: nothing
    GlobalInstant since{};             // when the cue on the wall began
    std::uint64_t edition = 0;         // CueDesk::edition()

    bool operator==(const Target&) const = default;
  };
  [[nodiscard]] Target target() const;

  const ShowParts parts_;
  ShowLifecycle& lifecycle_;
  PanelReports& reports_;
  ArmingDesk& arming_;
  const TellClients tell_clients_;
  std::optional<Replay> replay_;  // empty: the show is no replay
  Target armed_for_;              // what panels were asked for
  int armed_stage_ = 0;           // Scene::volume_stage of the scene from which it was made
  ArmingState told_arming_ = ArmingState::idle;
  GlobalInstant told_cue_since_{};   // CuePosition::since of the newest event "cue"
  std::size_t logged_restarts_ = 0;  // so many restarts of the roster are in the log
};

}  // namespace tilewall::director
