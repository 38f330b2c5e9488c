// Late policies drop and lower: decides that the wall shows every n-th tick, from the missed ticks
// and the times per picture that panels report.
//
// All panels show the same ticks, because a tick that one panel misses is a torn picture on the
// wall. n rises when panels keep missing ticks, in one step as far as the measured times say. A
// single slow picture or stall does not raise it. n falls after some quiet seconds in which the
// measured times fit the shorter interval. A fall that did not hold doubles the quiet time before
// the next one. Silent panels do not count.
//
// Where not even one tick in 0.6 s fits, the time of a picture cannot be foretold: panels wait for
// CPUs longer than they compute. Then the director names single ticks. It names the next one when
// all panels have shown the last one, or after a limit. That takes less than two messages a second.
//
// Reads no clock. Threads: one owner, the director's thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "player/scene/late.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

/// The figures of a panel's report.
struct DecimationReport {
  std::uint64_t missed_decode = 0;  ///< ticks since its last report that were not drawn in time
  std::uint64_t missed_swap = 0;    ///< ticks since its last report that were swapped too late
  scene::DrawPace pace;
  std::int64_t buffers = 0;  ///< pictures that it can draw ahead
  int cpus = 0;              ///< CPUs of its host; 0: unknown
};

struct DecimationStep {
  std::int64_t every = 1;              ///< every n-th tick is shown; for named ticks an estimate
  Nanos interval{0};                   ///< between two shown ticks; 0: every tick is shown
  Nanos pause{0};                      ///< n rises: no tick is shown for so long
  std::int64_t pictures_ahead = 0;     ///< pictures that a panel may have drawn already
  std::optional<std::size_t> panel{};  ///< the panel that needs it; empty where n falls
  scene::LateCause cause = scene::LateCause::decode;
  std::uint64_t named = 0;  ///< > 0: number of a single tick that is named
};

/// The panels' progress with the tick that was named last.
struct NamedTickProgress {
  bool is_known = false;                 ///< the scene names the tick
  std::size_t missing = 0;               ///< panels that have not shown it
  std::size_t panels = 0;                ///< panels that are waited for
  std::optional<std::size_t> slowest{};  ///< one of the missing panels
};

/// The n of "every n-th tick is shown", for `interval` between two shown ticks; an interval of 0
/// gives 1. @pre period > 0
[[nodiscard]] std::int64_t every_of(Nanos interval, Nanos period) noexcept;

class DecimationPolicy {
 public:
  explicit DecimationPolicy(std::size_t panels) : panels_(panels) {}

  /// Takes a panel's report. Panels with the same `host` share its CPUs.
  void take(std::size_t panel, const std::string& host, const DecimationReport& report,
            LocalInstant now);
  /// Forgets a panel that has disconnected. After its return it has 2 s to catch up.
  void leave(std::size_t panel);

  /// The ticks that a show begins with, by the panels' first pictures; empty: every tick. `period`
  /// is the time between two ticks; 0: a pause.
  [[nodiscard]] std::optional<DecimationStep> start(LocalInstant now, Nanos period);

  /// The change to make now; empty: none. `period` is the time between two ticks; 0: a pause, in
  /// which nothing changes. When the period changes, the interval stays. `progress` is needed while
  /// names_ticks().
  [[nodiscard]] std::optional<DecimationStep> step(LocalInstant now, Nanos period,
                                                   const NamedTickProgress& progress = {});

  /// Continues with the interval that another policy chose, for that cause. It counts as a change
  /// now.
  void go_on(Nanos interval, scene::LateCause cause, LocalInstant now) {
    has_started_ = true;
    interval_ = interval;
    cause_ = cause;
    settled_at_ = quiet_since_ = now;
  }

  [[nodiscard]] bool is_decimated() const noexcept { return interval_ > Nanos(0); }
  [[nodiscard]] bool names_ticks() const noexcept { return named_ > 0; }
  /// Whether a named tick waits for the panel.
  [[nodiscard]] bool is_awaited(std::size_t panel, LocalInstant now) const;

 private:
  struct Limits;
  struct PanelFigures {
    std::optional<LocalInstant> heard_at;
    LocalInstant excused_until{Nanos::min() / 2};
    bool was_gone = false;
    std::string host;
    DecimationReport newest;
  };
  void note_missed(std::size_t panel, const DecimationReport& report, LocalInstant now);
  [[nodiscard]] bool is_heard(const PanelFigures& panel, LocalInstant now) const;
  /// The greatest median of the panels that report; 0 where none has drawn so many pictures.
  [[nodiscard]] Nanos slowest(LocalInstant now, std::uint64_t least_pictures) const;
  /// The shortest interval that the hosts' CPUs allow.
  struct HostNeed {
    Nanos interval{0};
    bool is_crowded = false;  ///< other work takes a good part of the CPUs
  };
  [[nodiscard]] HostNeed busiest_host(LocalInstant now) const;
  [[nodiscard]] bool is_missing_for_good(LocalInstant now, Nanos shown_period) const;
  [[nodiscard]] bool misses_most(LocalInstant now) const;
  /// The ticks of an interval of which `time` is the given share.
  [[nodiscard]] static std::int64_t ticks_for(Nanos time, double share, Nanos period);
  /// The most pictures that a panel may have drawn already.
  [[nodiscard]] std::int64_t most_ahead() const;
  [[nodiscard]] std::optional<DecimationStep> rise(LocalInstant now, Nanos period);
  [[nodiscard]] std::optional<DecimationStep> fall(LocalInstant now, Nanos period);
  DecimationStep change(std::int64_t every, LocalInstant now, Nanos period);
  /// Names the next single tick; the first one or a further one.
  DecimationStep name_tick(LocalInstant now, Nanos period);
  [[nodiscard]] std::optional<DecimationStep> follow_named(LocalInstant now, Nanos period,
                                                           const NamedTickProgress& progress);
  [[nodiscard]] std::optional<DecimationStep> leave_named(LocalInstant now, Nanos period);

  static constexpr Nanos shortest_quiet = std::chrono::seconds(4);

  std::vector<PanelFigures> panels_;
  bool has_started_ = false;
  Nanos interval_{0};  // between two shown ticks; 0: every tick is shown
  LocalInstant settled_at_{Nanos::min() / 2};
  LocalInstant quiet_since_{Nanos::min() / 2};
  LocalInstant fell_at_{Nanos::min() / 2};
  Nanos quiet_needed_ = shortest_quiet;
  std::deque<LocalInstant> bad_;        // when ticks were missed, the newest last
  std::optional<std::size_t> culprit_;  // the panel that missed most in the last report slot
  std::uint64_t culprit_missed_ = 0;
  scene::LateCause cause_ = scene::LateCause::decode;
  std::uint64_t names_given_ = 0;  // number of ticks that were named so far
  std::uint64_t named_ = 0;        // number of the newest named tick; 0: none is named now
  LocalInstant named_at_{Nanos::min() / 2};
  // From naming a tick until it is due, for the panels to draw it.
  Nanos name_pause_ = std::chrono::milliseconds(300);
};

}  // namespace tilewall::director
