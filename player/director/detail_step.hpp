// When a wall of several hosts goes over from the overviews of its volumes to their details: all
// panels at one instant, once each that is there could. Who is gone does not count; who cannot get
// its detail goes on with its overview, and holds nobody up. A host that reads for long is waited
// for, and said.
//
// One owner, the director's thread; the functions are pure.
#pragma once

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "player/director/report.hpp"
#include "player/director/show_notes.hpp"
#include "player/scene/scene.hpp"

namespace tilewall::director {

/// Scene::detail_from of a show's first scene. `waits`: its first pictures are of the details.
[[nodiscard]] std::optional<GlobalInstant> first_detail(const wall::Wall& wall, bool waits);

/// And of one that takes the place of `before` and shows other pictures: the details stay where the
/// same is seen of the same volumes.
[[nodiscard]] std::optional<GlobalInstant> detail_after(const scene::Scene& before,
                                                        const scene::Scene& now);

/// The tick from which on all panels show the best that there is of the scene's volumes; empty
/// while better is to come. `panels`: the wall's.
[[nodiscard]] std::optional<std::int64_t> best_tick(const scene::Scene& scene,
                                                    const std::vector<PanelState>& panels);

class DetailStep {
 public:
  using Clock = std::chrono::steady_clock;

  /// `wall` and `notes` outlive this.
  DetailStep(const wall::Wall& wall, ShowNotes& notes) noexcept : wall_(wall), notes_(notes) {}

  /// Whether the scene's details can be shown now, and are not. `panels`: the wall's.
  [[nodiscard]] bool step(const scene::Scene& scene, const std::vector<PanelState>& panels,
                          Clock::time_point now);

 private:
  void note_failures(const std::vector<PanelState>& panels);
  void note_wait(const scene::Scene& scene, const std::vector<PanelState>& panels,
                 Clock::time_point now);

  const wall::Wall& wall_;
  ShowNotes& notes_;
  std::set<std::string> failed_;  // hosts that were noted
  std::uint64_t epoch_ = 0;       // that is waited for
  std::optional<Clock::time_point> since_;
  bool wait_noted_ = false;
};

}  // namespace tilewall::director
