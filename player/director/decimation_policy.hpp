// Late policies "drop" and "lower": every how manieth tick the wall shows, from what its panels
// report about missed ticks and about the time that a picture takes.
//
// All panels show the same ticks: a tick that one panel misses is a torn picture on the wall. n
// rises when panels keep missing ticks, at once as far as the measured times say; one slow picture
// or one stall does not raise it. n falls after some quiet seconds in which the measured times fit
// the shorter interval. A fall that did not hold doubles the quiet time that the next one needs.
// Panels that are silent have no say.
//
// Where not even a tick in 0.6 s fits, what a picture will take cannot be foretold: panels wait for
// processors longer than they compute. Then the director names single ticks: the next one when all
// panels have shown the one before, or when it has waited long enough for those that have not.
// That is less than two messages a second. Pure; one owner.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "player/scene/late.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

/// What a panel's report says.
struct DecimationReport {
  std::uint64_t missed_decode = 0;  ///< ticks since its last report, for want of drawing time
  std::uint64_t missed_swap = 0;    ///< ticks since its last report that were swapped too late
  scene::DrawPace pace;
  std::int64_t buffers = 0;  ///< pictures that it draws ahead at most
  int cpus = 0;              ///< of its host; 0: unknown
};

struct DecimationStep {
  std::int64_t every = 1;              ///< every how manieth tick is shown, or was of late
  Nanos interval{0};                   ///< between ticks that are shown; 0: every tick is
  Nanos pause{0};                      ///< n rises: no tick is shown until the panels are ready
  std::int64_t pictures_ahead = 0;     ///< so many may have been drawn already
  std::optional<std::size_t> panel{};  ///< that asks for it; empty where n falls
  scene::LateCause cause = scene::LateCause::decode;
  std::uint64_t named = 0;  ///< > 0: one single tick, the so manieth
};

/// How far the panels are with the tick that was named last.
struct NamedTickProgress {
  bool is_known = false;                 ///< the panels have been told of the tick
  std::size_t missing = 0;               ///< panels that have not shown it
  std::size_t panels = 0;                ///< how many panels take part in the show now
  std::optional<std::size_t> slowest{};  ///< one of those that are missing
};

/// Every how manieth tick of that period, > 0, is shown where `interval` lies between two that are;
/// 0: every tick.
[[nodiscard]] std::int64_t every_of(Nanos interval, Nanos period) noexcept;

class DecimationPolicy {
 public:
  explicit DecimationPolicy(std::size_t panels) : panels_(panels) {}

  /// `host`: where the panel runs; panels of one name share its processors.
  void take(std::size_t panel, const std::string& host, const DecimationReport& report,
            LocalInstant now);
  /// The panel is gone: its figures count no more. When it is back it has some time to catch up.
  void leave(std::size_t panel);

  /// Where a show is about to start: what its first pictures say. Empty where they fit.
  [[nodiscard]] std::optional<DecimationStep> start(LocalInstant now, Nanos period);

  /// What is to change now. `period`: of the tick grid's ticks; 0 = paused, when nothing changes.
  /// Where the period is another one than before, the interval stays. `progress`: while ticks are
  /// named.
  [[nodiscard]] std::optional<DecimationStep> step(LocalInstant now, Nanos period,
                                                   const NamedTickProgress& progress = {});

  [[nodiscard]] bool is_decimated() const noexcept { return interval_ > Nanos(0); }
  [[nodiscard]] bool names_ticks() const noexcept { return named_ > 0; }
  /// Whether the panel counts among those that a named tick waits for.
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
  /// The greatest median of the panels that report; 0 where none has drawn enough.
  [[nodiscard]] Nanos slowest(LocalInstant now, std::uint64_t least_pictures) const;
  /// The shortest interval that the hosts' processors allow.
  struct HostNeed {
    Nanos interval{0};
    bool is_crowded = false;  ///< other work takes a good part of the processors
  };
  [[nodiscard]] HostNeed busiest_host(LocalInstant now) const;
  [[nodiscard]] bool is_missing_for_good(LocalInstant now, Nanos shown_period) const;
  [[nodiscard]] bool misses_most(LocalInstant now) const;
  /// The ticks of an interval of which `time` is that share.
  [[nodiscard]] static std::int64_t ticks_for(Nanos time, double share, Nanos period);
  /// The most pictures that a panel may have drawn already.
  [[nodiscard]] std::int64_t most_ahead() const;
  [[nodiscard]] std::optional<DecimationStep> rise(LocalInstant now, Nanos period);
  [[nodiscard]] std::optional<DecimationStep> fall(LocalInstant now, Nanos period);
  DecimationStep change(std::int64_t every, LocalInstant now, Nanos period);
  /// Names the next single tick, as from now on or before.
  DecimationStep name_tick(LocalInstant now, Nanos period);
  [[nodiscard]] std::optional<DecimationStep> follow_named(LocalInstant now, Nanos period,
                                                           const NamedTickProgress& progress);
  [[nodiscard]] std::optional<DecimationStep> leave_named(LocalInstant now, Nanos period);

  static constexpr Nanos shortest_quiet = std::chrono::seconds(4);

  std::vector<PanelFigures> panels_;
  bool has_started_ = false;
  Nanos interval_{0};  // between ticks that are shown; 0: every tick
  LocalInstant settled_at_{Nanos::min() / 2};
  LocalInstant quiet_since_{Nanos::min() / 2};
  LocalInstant fell_at_{Nanos::min() / 2};
  Nanos quiet_needed_ = shortest_quiet;
  std::deque<LocalInstant> bad_;        // when ticks were missed, the newest last
  std::optional<std::size_t> culprit_;  // the panel that missed most in the newest report
  std::uint64_t culprit_missed_ = 0;
  scene::LateCause cause_ = scene::LateCause::decode;
  std::uint64_t names_given_ = 0;  // of single ticks, in all
  std::uint64_t named_ = 0;        // of the newest of them; 0: none is named now
  LocalInstant named_at_{Nanos::min() / 2};
  Nanos name_pause_ = std::chrono::milliseconds(
      300);  // from a name until its tick is due: for the panels to draw it
};

}  // namespace tilewall::director
