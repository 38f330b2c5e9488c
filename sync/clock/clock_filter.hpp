// Turns exchanges with the clock daemon into a mapping that panels can pace frames by.
//
// CorrectionBounds says where the truth certainly lies; the filter aims at the middle of where it
// likely lies and steers the published mapping there without steps: it only ever changes the rate,
// by at most max_slew_ppb. The published bound covers the distance still to go. Only two things
// step: an axis that changed (the daemon's machine started anew, or one of the machines slept), and
// the first lock.
//
// A daemon that carries on another's axis says where its clock lies on that: the filter measures
// the daemon's clock, and publishes the axis. Threads: one owner (the clock client's thread). All
// instants are arguments.
#pragma once

#include <array>
#include <optional>

#include "sync/clock/clock_status.hpp"
#include "sync/clock/correction_bounds.hpp"

namespace tilewall::sync {

struct ClockFilterOptions {
  ClockModel model;
  Nanos window = std::chrono::seconds(60);  ///< exchanges older than this are forgotten
  std::uint64_t samples_to_lock = 16;
  Nanos holdover_after = std::chrono::seconds(1);    ///< without an exchange
  Nanos slew_time = std::chrono::milliseconds(250);  ///< aims to have corrected an error by then
  double max_slew_ppb = 500'000;                     ///< 8 us in a frame of 60 Hz
  Nanos step_limit = std::chrono::milliseconds(1);  ///< a contradiction beyond it is a changed axis
};

class ClockFilter {
 public:
  explicit ClockFilter(const ClockFilterOptions& options = {});

  /// Where the daemon's clock lies on the axis (its "local" is the daemon's clock), with its bound.
  /// Without: it is the axis.
  void place_daemon(const ClockMapping& daemon_to_axis) noexcept { to_axis_ = daemon_to_axis; }

  /// Takes up the mapping of another filter onto the same axis, to be steered on from.
  void continue_from(const ClockMapping& mapping) noexcept;

  /// Takes one exchange. One that contradicts all others is only held against them until the next
  /// one has confirmed it. Call steer() after.
  void add(const ClockSample& sample);

  /// The axis is another one now (another boot id): forgets all, is collecting again.
  void restart() noexcept;

  /// Publishes the mapping as of `now`: after each exchange, and a few times a second without any.
  /// @pre `now` is not before the newest exchange's `received`, nor before the last call's
  void steer(LocalInstant now);

  /// As of the last steer(). What concerns the daemon and its answers is the caller's to fill.
  [[nodiscard]] const ClockStatus& status() const noexcept { return status_; }

  /// How long after one exchange the next should start: at once until locked, then ever more at
  /// ease.
  [[nodiscard]] Nanos next_interval() const noexcept;

 private:
  /// The likeliest line as of an exchange, on the base that this has given the bounds.
  struct Aim {
    LocalInstant exchange;
    LocalInstant at;
    LikelyCorrection likely;
  };

  [[nodiscard]] bool is_possible(const ClockSample& sample) const noexcept;
  void accept(const ClockSample& sample);
  void learn_new_axis(const ClockSample& first, const ClockSample& second);
  [[nodiscard]] LikelyCorrection likely_at(LocalInstant now, const LikelyCorrection& fresh);
  void publish(const CorrectionRange& certain, const LikelyCorrection& likely, LocalInstant now);
  [[nodiscard]] double width_of_suspect_ns() const;
  void update_state(LocalInstant now) noexcept;

  ClockFilterOptions options_;
  CorrectionBounds bounds_;
  ClockStatus status_;
  ClockMapping to_axis_;                // of the daemon's clock
  bool may_step_ = true;                // until locked
  std::uint64_t samples_on_axis_ = 0;   // since the start, or since the axis changed
  std::optional<ClockSample> suspect_;  // contradicts all others, and waits for a second one
  std::optional<ClockSample> newest_;
  std::optional<Aim> aim_;
  std::array<Nanos, 64> round_trips_{};  // ring of the last exchanges
};

}  // namespace tilewall::sync
