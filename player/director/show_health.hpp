// The condition of a show for its operator: a traffic light, and its reasons in words.
//
// Red: the audience sees a fault. Yellow: a fault happened a short while ago, or the show goes on
// with a loss. Green: all panels show every frame in time.
//
// Reads no clock. Threads: one owner, the director's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "player/director/statistics/report.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

enum class Light { green, yellow, red };
[[nodiscard]] std::string_view to_string(Light light) noexcept;

struct Health {
  Light light = Light::green;
  std::vector<std::string> reasons;  ///< the worst first; one sentence where the light is green
};

/// Counts of the show so far.
struct TroubleCounts {
  std::int64_t frames_due = 0;
  std::int64_t frames_late = 0;
  std::vector<std::int64_t> late_by_panel;
  std::uint64_t damaged_frames = 0;
  std::size_t decoder_deaths = 0;
  std::size_t restarts = 0;  ///< deaths of all other processes
};

/// Keeps a sample of the counts each second, and computes their recent growth.
class TroubleHistory {
 public:
  static constexpr std::chrono::seconds frame_window{10};  ///< window for counts of frames
  static constexpr std::chrono::seconds death_window{60};  ///< window for counts of deaths

  [[nodiscard]] bool wants_sample(LocalInstant now) const noexcept;
  void add(LocalInstant now, TroubleCounts counts);
  /// The growth of `counts` in their windows before `now`; never below 0.
  [[nodiscard]] TroubleCounts growth(LocalInstant now, const TroubleCounts& counts) const;

 private:
  struct Sample {
    LocalInstant at;
    TroubleCounts counts;
  };
  [[nodiscard]] const TroubleCounts& before(LocalInstant at) const;

  TroubleCounts none_;
  std::deque<Sample> samples_;  // samples within death_window
};

struct HealthInput {
  const wall::Wall& wall;
  const std::vector<PanelState>& panels;
  std::string phase;                     ///< ShowLifecycle::phase_name()
  std::string error;                     ///< why the show has failed; "" = it has not
  TroubleCounts recent;                  ///< TroubleHistory::growth()
  std::vector<std::string> frozen;       ///< ContentWatch::frozen()
  std::vector<std::string> late_causes;  ///< cause of each panel's newest late frame; "" = none
  int coarser_by = 0;                    ///< levels below full detail at rest
  LocalInstant now;
};

[[nodiscard]] Health health_of(const HealthInput& input);

}  // namespace tilewall::director
