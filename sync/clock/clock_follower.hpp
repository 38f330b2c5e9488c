// Follows the one or two clock daemons of a wall onto one axis of global time.
//
// Every daemon has a filter of its own, because daemons have clocks of their own. The axis is the
// one that was taken first. The first daemon of the list that answers and serves this axis is
// followed, and the others are measured meanwhile. Going from one daemon to another changes only
// the rate. Two things step: the first lock, and an axis that nobody serves any more while another
// one exists. Threads: one owner. All instants are arguments.
#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "sync/clock/clock_filter.hpp"
#include "sync/clock/time_axis_role.hpp"

namespace tilewall::sync {

class ClockFollower {
 public:
  static constexpr std::size_t max_daemons = 2;

  struct Options {
    ClockFilterOptions filter;
    /// For a daemon that serves the axis to others. It never changes to another axis, and follows
    /// only the clock that it took the axis from, because any other clock might be following this
    /// one by then.
    bool carries_axis = false;
    /// Time after which an axis is chosen although a daemon does not answer.
    Nanos choose_after = std::chrono::seconds(1);
    // Return to an earlier daemon that answers again: once the two agree (the standby has slewed to
    // it, and all hosts with it), or after the time that this takes.
    Nanos return_after = std::chrono::seconds(10);
    Nanos agree_within = std::chrono::microseconds(20);
    Nanos return_at_last_after = std::chrono::minutes(10);
    /// Holdover after which another axis is taken, where one is served.
    Nanos new_axis_after = std::chrono::seconds(5);
  };

  /// Options for a daemon that carries an axis. It slews slowly, because hosts go on with the rate
  /// that they last received for some 200 ms, and each for another while.
  [[nodiscard]] static Options for_carrier();

  /// @pre `daemons` in [1, max_daemons]
  ClockFollower(const Options& options, std::size_t daemons);

  /// Starts from the status that an earlier follower on this host published last, and runs on with
  /// it until a daemon serves that axis. @pre the status has an axis
  void continue_from(const ClockStatus& previous) noexcept;

  /// Adds one exchange with a daemon. Call steer() after it. @pre daemon < daemons
  void add(std::size_t daemon, const ClockSample& sample, const DaemonWord& word);

  /// Publishes as of `now`: after each exchange, and a few times a second without any.
  /// @pre `now` is not before any exchange's `received`, nor before the last call's
  void steer(LocalInstant now);

  /// Status as of the last steer(). The caller fills in `lost`.
  [[nodiscard]] const ClockStatus& status() const noexcept { return status_; }

  /// Time from one exchange with the daemon to the start of the next.
  [[nodiscard]] Nanos next_interval(std::size_t daemon) const noexcept {
    return daemons_[daemon].filter.next_interval();
  }

 private:
  struct Daemon {
    explicit Daemon(const ClockFilterOptions& options) : filter(options) {}
    ClockFilter filter;
    DaemonWord word;
    std::optional<LocalInstant> heard;  // instant of the newest answer
    LocalInstant answers_since;         // since when answers have come without a pause
    std::uint64_t restarts_seen = 0;    // restarts of the filter that the status has counted
  };

  [[nodiscard]] bool is_fresh(const Daemon& daemon, LocalInstant now) const noexcept;
  [[nodiscard]] bool is_ready(const Daemon& daemon, LocalInstant now) const noexcept;
  [[nodiscard]] std::optional<std::size_t> ready_on(std::uint64_t axis,
                                                    LocalInstant now) const noexcept;
  [[nodiscard]] bool may_return_to(const Daemon& daemon, LocalInstant now) const noexcept;
  [[nodiscard]] std::optional<std::size_t> last_ready(LocalInstant now) const noexcept;
  [[nodiscard]] bool all_ready(LocalInstant now) const noexcept;
  void choose_first_axis(LocalInstant now);
  void keep_to_axis(LocalInstant now);
  void take_axis_of(std::size_t daemon, LocalInstant now);
  void follow(std::size_t daemon, LocalInstant now);
  void publish_collecting();
  void publish(LocalInstant now);
  void run_on(LocalInstant now);
  void count();

  Options options_;
  std::size_t count_;
  std::array<Daemon, max_daemons> daemons_;
  std::uint64_t axis_ = 0;             // boot id of the published axis; 0: none yet
  std::optional<std::size_t> active_;  // the daemon followed
  std::uint64_t source_boot_id_ = 0;   // boot id of the clock that the axis was taken from
  bool source_is_gone_ = false;        // the machine of that clock has started anew
  // Since when any daemon is ready, while there is no axis.
  std::optional<LocalInstant> ready_since_;
  ClockStatus status_;
};

}  // namespace tilewall::sync
