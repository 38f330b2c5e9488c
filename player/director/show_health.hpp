// A show's condition for an operator: one light, and in words why it is not green.
//
// Red: the audience sees that something is wrong. Yellow: something went wrong a short while ago,
// or goes on at a loss. Green: all panels show what they are to show. Pure; one owner.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "player/director/report.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

enum class Light { green, yellow, red };
[[nodiscard]] std::string_view to_string(Light light) noexcept;

struct Health {
  Light light = Light::green;
  std::vector<std::string> reasons;  ///< the worst first; of green one that says what is well
};

/// Counts of the show so far.
struct TroubleCounts {
  std::int64_t frames_due = 0;
  std::int64_t frames_late = 0;
  std::vector<std::int64_t> late_by_panel;
  std::uint64_t damaged_frames = 0;
  std::size_t decoder_deaths = 0;
  std::size_t restarts = 0;  ///< of all other processes
};

/// Keeps a sample of the counts a second, for what has grown lately.
class TroubleHistory {
 public:
  static constexpr std::chrono::seconds frame_window{10};  ///< of frames
  static constexpr std::chrono::seconds death_window{60};  ///< of processes

  [[nodiscard]] bool wants_sample(LocalInstant now) const noexcept;
  void add(LocalInstant now, TroubleCounts counts);
  /// By how much `counts` are above those of one window ago; nothing is below 0.
  [[nodiscard]] TroubleCounts growth(LocalInstant now, const TroubleCounts& counts) const;

 private:
  struct Sample {
    LocalInstant at;
    TroubleCounts counts;
  };
  [[nodiscard]] const TroubleCounts& before(LocalInstant at) const;

  TroubleCounts none_;
  std::deque<Sample> samples_;  // of death_window
};

struct HealthInput {
  const wall::Wall& wall;
  const std::vector<PanelState>& panels;
  std::string phase;  ///< as ShowLifecycle names it
  std::string error;  ///< of the show, "" = none
  TroubleCounts recent;
  std::vector<std::string> late_causes;  ///< of each panel's newest late frame; "" = it has none
  int coarser_by = 0;                    ///< levels that the wall rests below full detail
  LocalInstant now;
};

[[nodiscard]] Health health_of(const HealthInput& input);

}  // namespace tilewall::director
