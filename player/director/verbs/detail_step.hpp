// Decides when a wall of several panels goes over from the overviews of its volumes to their
// details: on all panels at one instant, once all connected panels are ready. A panel that cannot
// get its detail keeps its overview, and delays no other. A host that reads for long is waited for,
// with a note.
//
// Threads: one owner, the director's thread. The functions are pure.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "player/director/log/show_notes.hpp"
#include "player/director/statistics/report.hpp"
#include "player/scene/scene.hpp"

namespace tilewall::director {

/// Scene::detail_from of a show's first scene. `waits`: the first pictures show the details
/// already.
[[nodiscard]] std::optional<GlobalInstant> first_detail(const wall::Wall& wall, bool waits);

/// Scene::detail_from of a scene `now` of a new epoch that follows `before`. The details stay where
/// the same volumes look the same.
[[nodiscard]] std::optional<GlobalInstant> detail_after(const scene::Scene& before,
                                                        const scene::Scene& now);

/// Scene::volume_stage of a show's first scene, whose detail_from is first_detail()'s.
[[nodiscard]] scene::VolumeStage first_stage(const std::optional<GlobalInstant>& detail_from);

/// Sets Scene::volume_stage and Region::first_stage of a scene `now` of a new epoch that follows
/// `before`. A volume that `before` has not begins with its first stage; the others stay in theirs.
void set_stages(scene::Scene& now, const scene::Scene& before);

/// How much of the wall's volumes is read while it shows previews, by the host that has read least.
/// `panels` are all panels of the wall. The one at the upper right tells it: the title lies at the
/// upper left.
[[nodiscard]] scene::Progress read_progress(const wall::Wall& wall,
                                            const std::vector<PanelState>& panels);

/// The first tick at which all panels show the scene's volumes as fine as they can; empty while
/// finer pictures are to come. `panels` are all panels of the wall.
[[nodiscard]] std::optional<std::int64_t> best_tick(const scene::Scene& scene,
                                                    const std::vector<PanelState>& panels);

class DetailStep {
 public:
  using Clock = std::chrono::steady_clock;

  /// `wall` and `notes` outlive this object.
  DetailStep(const wall::Wall& wall, ShowNotes& notes) noexcept : wall_(wall), notes_(notes) {}

  /// Whether the scene's details, or the next stage of its volumes, are ready and not shown yet. To
  /// be called in every turn. `panels` are all panels of the wall, `shown` is the instant that they
  /// show now.
  [[nodiscard]] bool step(const scene::Scene& scene, const std::vector<PanelState>& panels,
                          Clock::time_point now, GlobalInstant shown);

 private:
  void note_failures(const std::vector<PanelState>& panels);
  void note_wait(const scene::Scene& scene, const std::vector<PanelState>& panels,
                 Clock::time_point now);

  const wall::Wall& wall_;
  ShowNotes& notes_;
  std::set<std::string> failed_;  // hosts with a note about their details
  std::uint64_t epoch_ = 0;       // the epoch whose details are waited for
  std::optional<Clock::time_point> since_;
  bool wait_noted_ = false;
};

}  // namespace tilewall::director
