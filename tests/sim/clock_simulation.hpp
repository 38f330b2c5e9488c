// Two clocks and a path between them, in simulated time: what a clock client would see, with the
// truth.
#pragma once

#include <cstdint>
#include <functional>
#include <random>

#include "sync/clock/clock_filter.hpp"

namespace tilewall::test {

enum class JitterShape { uniform, exponential };

struct PathModel {
  double to_daemon_us = 100;  ///< least delay
  double to_host_us = 100;
  double jitter_us = 0;  ///< each way: range of the uniform, mean of the exponential shape
  JitterShape shape = JitterShape::uniform;
  double loss = 0;  ///< share of exchanges
};

/// global = local + offset + drift * local + a wave of the rate (a machine warming and cooling).
struct ClockTruth {
  std::int64_t offset_ns = 0;
  double drift_ppb = 0;
  double wave_ppb = 0;
  double wave_period_s = 600;

  [[nodiscard]] std::int64_t global_ns(std::int64_t local_ns) const noexcept;
};

/// Runs one filter against the truth; local time starts at 1000 s.
class ClockSimulation {
 public:
  ClockSimulation(const PathModel& on_path, const ClockTruth& with_truth, std::uint64_t seed)
      : path(on_path), truth(with_truth), random_(seed) {}

  /// One exchange, or, where it is lost, the time until it would have been given up.
  void exchange();
  void run_for(Nanos span);

  /// Moves local time on without any exchange, steering a few times a second.
  void silence(Nanos span);

  /// The daemon's axis moves against ours at once (its machine started anew, or slept).
  void step_axis(Nanos by) noexcept { truth.offset_ns += by.count(); }

  /// The relative rate changes from now on (a time daemon trims one of the clocks).
  void jump_rate(double by_ppb) noexcept;

  /// Error of the published mapping at `at`: what it says minus the truth.
  [[nodiscard]] std::int64_t error_ns(LocalInstant at) const noexcept;

  [[nodiscard]] LocalInstant now() const noexcept { return {Nanos{local_ns_}}; }

  PathModel path;
  ClockTruth truth;
  sync::ClockFilter filter;
  std::uint64_t exchanges = 0;
  std::uint64_t violations = 0;  ///< Violations of the published bound, at any instant looked at
  std::uint64_t largest_step_ns =
      0;  ///< Largest step of the published mapping from one sample to the next
  std::function<void(LocalInstant)> look;  ///< called at every instant looked at

 private:
  void steer_at(std::int64_t local_ns);
  void inspect_until(std::int64_t local_ns);
  [[nodiscard]] std::int64_t delay_ns(double least_us);

  std::mt19937_64 random_;
  std::int64_t local_ns_ = 1'000'000'000'000;
};

}  // namespace tilewall::test
