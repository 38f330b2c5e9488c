// Turns exchanges with the clock daemon into a mapping that panels can pace frames by.
//
// CorrectionBounds gives certified limits of the truth. The filter aims at the middle of where the
// truth likely is, and steers the published mapping there without steps: it changes only the rate,
// by at most max_slew_ppb. The published bound covers the distance still to go. Two things step:
// the first lock, and an axis that changed because the daemon's machine started anew or one of the
// machines slept.
//
// A daemon that carries on another's axis also sends its clock's place on that axis. The filter
// then measures the daemon's clock, and publishes the axis. Threads: one owner (the clock client's
// thread). All instants are arguments.
#pragma once

#include <array>
#include <optional>

#include "sync/clock/clock_status.hpp"
#include "sync/clock/correction_bounds.hpp"

namespace tilewall::sync {

struct ClockFilterOptions {
  ClockModel model;
  Nanos window = std::chrono::seconds(60);  ///< Exchanges older than this are forgotten
  std::uint64_t samples_to_lock = 16;
  /// Time without an exchange after which the state is holdover.
  Nanos holdover_after = std::chrono::seconds(1);
  Nanos slew_time = std::chrono::milliseconds(250);  ///< Time in which an error is corrected
  double max_slew_ppb = 500'000;  ///< Greatest change of rate: 8 us in a frame of 60 Hz
  /// A greater contradiction means that the axis has changed.
  Nanos step_limit = std::chrono::milliseconds(1);
};

class ClockFilter {
 public:
  explicit ClockFilter(const ClockFilterOptions& options = {});

  /// Sets the place of the daemon's clock on the axis (its "local" is the daemon's clock), with its
  /// bound. Without this call the daemon's clock is the axis.
  void place_daemon(const ClockMapping& daemon_to_axis) noexcept { to_axis_ = daemon_to_axis; }

  /// Starts from the mapping that another filter had onto the same axis, and steers it on.
  void continue_from(const ClockMapping& mapping) noexcept;

  /// Adds one exchange. Call steer() after it. An exchange that contradicts all others counts only
  /// when the next one confirms it.
  void add(const ClockSample& sample);

  /// Forgets everything and collects again, for an axis with another boot id.
  void restart() noexcept;

  /// Publishes the mapping as of `now`: after each exchange, and a few times a second without any.
  /// @pre `now` is not before the newest exchange's `received`, nor before the last call's
  void steer(LocalInstant now);

  /// Status as of the last steer(). The caller fills in the fields about the daemon and its
  /// answers.
  [[nodiscard]] const ClockStatus& status() const noexcept { return status_; }

  /// Time from one exchange to the start of the next: 0 until locked, then longer and longer.
  [[nodiscard]] Nanos next_interval() const noexcept;

 private:
  /// The likeliest line as of an exchange, relative to the base that the bounds had at that
  /// exchange.
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
  ClockMapping to_axis_;               // from the daemon's clock to the axis
  bool may_step_ = true;               // true until locked
  std::uint64_t samples_on_axis_ = 0;  // exchanges since the start, or since the axis changed
  // Contradicts all others, and waits for a second one that confirms it.
  std::optional<ClockSample> suspect_;
  std::optional<ClockSample> newest_;
  std::optional<Aim> aim_;
  std::array<Nanos, 64> round_trips_{};  // ring of the last exchanges
};

}  // namespace tilewall::sync
