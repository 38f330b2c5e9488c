// A wall with two clock daemons in simulated time: their machines' clocks, the second one following
// the first, and clients that follow both; with the truth.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <vector>

#include "sync/clock/clock_follower.hpp"
#include "sync/clock/time_axis_role.hpp"
#include "tests/sim/clock_simulation.hpp"

namespace tilewall::test {

/// A machine's clock: what it reads at the simulation's true time.
struct MachineClock {
  std::int64_t offset_ns = 0;
  double drift_ppb = 0;
  double wave_ppb = 0;  ///< with a period of 400 s

  [[nodiscard]] LocalInstant read(std::int64_t true_ns) const noexcept;
};

/// One clock daemon: its machine, and what it makes of the other daemon. `follows` as in
/// `tilewall clockd --follow`.
struct SimulatedDaemon {
  MachineClock clock;
  std::uint64_t boot_id = 1;
  bool follows = false;
  bool is_alive = true;
  std::optional<sync::TimeAxisRole> role;       // while it lives
  std::optional<sync::ClockFollower> follower;  // of the other one
};

/// A host.
struct SimulatedClient {
  MachineClock clock;
  std::optional<sync::ClockFollower> follower;
  double loss_of_daemon[2] = {0, 0};  ///< beside the path's own
  std::uint64_t violations =
      0;  ///< Violations of its bound, against the first daemon's first clock
  std::int64_t largest_step_ns = 0;  ///< Largest step of its mapping, once locked
};

class TwoDaemons {
 public:
  /// Both start at once; the second follows the first. The true time starts at 1000 s. Global time
  /// is the first daemon's clock.
  TwoDaemons(const PathModel& path, MachineClock first, MachineClock second, std::uint64_t seed);

  /// Adds a client that starts now; stays where it is.
  SimulatedClient& add_client(const MachineClock& clock);

  void kill(int daemon);
  /// Starts the daemon again: on the same machine, where it may have kept what it knew of the other
  /// one, or on a machine that has started anew.
  void start(int daemon, bool follows, const std::optional<sync::ClockStatus>& kept = {});
  void reboot(int daemon, bool follows, const MachineClock& clock);

  void run_for(Nanos span);

  /// A client's error against the first daemon's first clock, now.
  [[nodiscard]] std::int64_t error_ns(const SimulatedClient& client) const;
  /// The distance of the clients from one another, now.
  [[nodiscard]] std::int64_t skew_ns() const;

  PathModel path;
  SimulatedDaemon daemons[2];
  std::vector<std::unique_ptr<SimulatedClient>> clients;
  std::int64_t largest_skew_ns = 0;  ///< since somebody set it to 0, of clients that are in step

 private:
  /// Who asks: a client (index), or a daemon (-1 - index).
  struct Asker {
    sync::ClockFollower* follower;
    const MachineClock* clock;
    std::uint64_t life;
  };
  struct Event {
    std::int64_t at_ns;
    std::uint64_t number;
    std::function<void()> run;
    bool operator>(const Event& other) const {
      return at_ns != other.at_ns ? at_ns > other.at_ns : number > other.number;
    }
  };

  void at(std::int64_t true_ns, std::function<void()> run);
  void ask(int asker, std::uint64_t life, std::size_t line);
  void answer(int asker, std::uint64_t life, std::size_t line, LocalInstant sent);
  void take(int asker, std::uint64_t life, std::size_t line, const sync::ClockSample& sample,
            const sync::DaemonWord& word);
  void steer_all();
  void begin_asking(int asker, std::size_t lines);
  [[nodiscard]] std::optional<Asker> find(int asker, std::uint64_t life);
  void steer(int asker, sync::ClockFollower& follower, LocalInstant now);
  [[nodiscard]] std::int64_t delay_ns(double least_us);
  [[nodiscard]] bool is_lost(double share);

  MachineClock axis_;
  std::mt19937_64 random_;
  std::int64_t now_ns_ = 1'000'000'000'000;
  std::uint64_t next_number_ = 0;
  std::uint64_t lives_[2] = {0, 0};  // of the daemons: what an earlier life asked is not answered
  std::uint64_t boots_ = 2;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

}  // namespace tilewall::test
