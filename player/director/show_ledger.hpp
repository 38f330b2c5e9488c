// The books of a show: which tick every panel swapped and when; from them lateness, skew and the
// counts of the report. Pure: told everything, asks nobody.
//
// Words as the report uses them: a tick is one scheduled frame; late = swapped more than half a
// period after its due instant, or skipped; skew = last minus first swap stamp of a tick that all
// panels showed. Threads: one owner.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "player/scene/messages.hpp"
#include "sync/timeline/timeline.hpp"

namespace tilewall {

/// One panel's part of the books.
struct PanelCount {
  std::int64_t frames_shown = 0;
  std::int64_t frames_on_time = 0;
  std::vector<ShownFrame> hashed;  ///< in the order shown, where hashes are asked for
  std::optional<std::int64_t> last_frame;
  std::optional<std::int64_t> last_tick;  ///< of the current schedule
};

struct Percentiles {
  double p50 = 0;
  double p99 = 0;
  double max = 0;
};

/// By nearest rank; all zero where there are no values. Reorders `values`.
[[nodiscard]] Percentiles percentiles(std::vector<std::int64_t>& values);

struct ShowTotals {
  std::int64_t frames_scheduled = 0;
  std::int64_t frames_shown = 0;  ///< by every panel
  std::int64_t frames_late = 0;   ///< on any panel
  Percentiles skew_us;
  double fps = 0;         ///< of frames shown by every panel, from the first to the last
  double duration_s = 0;  ///< from the first frame's stamp to the last one's
  std::optional<GlobalInstant> first_on_all;  ///< when the last panel showed its first frame
};

class ShowLedger {
 public:
  ShowLedger(std::size_t panels, bool keep_hashes);

  /// A schedule was sent to the panels. Its timeline replaces the one of the same schedule (a start
  /// that became known).
  void open_schedule(std::uint64_t schedule, const Timeline& timeline);
  /// No tick of it that is due at `at` or later counts as scheduled.
  void close_schedule(std::uint64_t schedule, GlobalInstant at);
  /// Late policy slow: `tick` is due later than its timeline says.
  void delay(std::uint64_t schedule, const ReleasedTick& tick);

  void add(std::size_t panel, std::uint64_t schedule, const ShownFrame& shown);
  /// The panel runs anew: its next tick is its first.
  void forget_position(std::size_t panel) { panels_.at(panel).last_tick.reset(); }

  [[nodiscard]] const PanelCount& panel(std::size_t index) const { return panels_.at(index); }
  [[nodiscard]] ShowTotals totals() const;
  /// Of one panel: ticks scheduled but not shown in time.
  [[nodiscard]] std::int64_t frames_late(std::size_t panel) const;

 private:
  struct TickRecord {
    std::uint32_t shown = 0;
    std::uint32_t on_time = 0;
    std::int64_t first_ns = 0;
    std::int64_t last_ns = 0;
    Nanos delay{0};
  };
  struct Schedule {
    Timeline timeline;
    std::optional<GlobalInstant> closed_at;
    std::map<std::int64_t, TickRecord> ticks;  // that not all panels have shown
    std::int64_t known_ticks = 0;              // one past the highest tick heard of
  };
  void settle(const TickRecord& record);
  [[nodiscard]] std::int64_t scheduled(const Schedule& schedule) const;
  [[nodiscard]] std::int64_t scheduled() const;

  const bool keep_hashes_;
  std::vector<PanelCount> panels_;
  std::map<std::uint64_t, Schedule> schedules_;
  std::int64_t shown_by_all_ = 0;
  std::int64_t on_time_on_all_ = 0;
  std::vector<std::int64_t> skews_ns_;
  std::optional<std::int64_t> first_ns_;  // stamps over all panels
  std::optional<std::int64_t> last_ns_;
  std::vector<std::optional<std::int64_t>> first_of_panel_ns_;
};

}  // namespace tilewall
