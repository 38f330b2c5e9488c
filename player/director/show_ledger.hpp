// The statistics of a show: which tick every panel swapped and when; from them lateness, skew and
// the counts of the report. Pure: told everything, asks nobody.
//
// Words as the report uses them: a tick is one scheduled frame; late = swapped more than half a
// period after its due instant, or skipped, where a period is the time from one shown tick to the
// next: of every n-th tick n times as long; skew = last minus first swap stamp of a tick that all
// panels showed. Of one panel: its skew is its stamp minus the wall's first one of the same tick;
// its swap offset is how far its stamp lies from the due instant, before or after.
//
// A show may run for days: what is kept of it does not grow (hashes apart). A tick is settled, and
// forgotten, as soon as every panel that is there has shown it or a later one.
// Threads: one owner.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "player/director/played_time.hpp"
#include "player/scene/messages.hpp"
#include "sync/base/log_histogram.hpp"
#include "sync/timeline/shown_ticks.hpp"
#include "sync/timeline/timeline.hpp"

namespace tilewall::director {

/// One panel's part of the statistics.
struct PanelCount {
  std::int64_t frames_shown = 0;
  std::int64_t frames_on_time = 0;
  bool shown_any = false;                 ///< paused pictures too
  bool shown_a_frame = false;             ///< something other than black in place of one
  std::vector<scene::ShownFrame> hashed;  ///< in the order shown, where hashes are asked for
  std::optional<std::int64_t> last_frame;
  std::optional<std::int64_t> last_tick;  ///< of the current epoch
  std::int64_t late_so_far = 0;           ///< up to passed_end
  std::int64_t passed_end = 0;            ///< ticks of the current epoch that it has passed
  LogHistogram skew_ns;
  LogHistogram swap_offset_ns;
  RecentValues recent_skew_ns;  ///< by stamp, as the next one
  RecentValues recent_swap_offset_ns;
};

struct ShowTotals {
  std::int64_t frames_scheduled = 0;
  std::int64_t frames_shown = 0;         ///< by every panel
  std::int64_t frames_shown_by_any = 0;  ///< by one panel or more
  std::int64_t frames_late = 0;          ///< on any panel
  Percentiles skew_us;
  double fps = 0;         ///< of frames shown by every panel, from the first to the last, pauses
                          ///< left out
  double duration_s = 0;  ///< from the first frame's stamp to the last one's
  std::optional<GlobalInstant> first_on_all;  ///< when the last panel showed its first frame
};

/// Frames that some panel showed otherwise than the source has them, by the worst kind of damage
/// that any panel met.
using DamagedFrames = std::array<std::int64_t, scene::frame_damage_kinds>;

class ShowLedger {
 public:
  ShowLedger(std::size_t panels, bool keep_hashes);

  /// An epoch was sent to the panels; frames are those of the first region. Its ticks replace
  /// those of the same epoch (a start that became known).
  void open_epoch(std::uint64_t epoch, const sync::FrameTicks& ticks);
  /// No tick of it that is due at `at` or later counts as scheduled.
  void close_epoch(std::uint64_t epoch, GlobalInstant at);
  /// The epoch's ticks that panels show. A picture is late by more than half the time between
  /// those around it, as the panels themselves count it.
  void set_shown_ticks(std::uint64_t epoch, const sync::ShownTicks& shown_ticks);
  /// Late policy slow: `tick` is due later than its timeline says.
  void delay(std::uint64_t epoch, const scene::ReleasedTick& tick);

  void add(std::size_t panel, std::uint64_t epoch, const scene::ShownFrame& shown);
  /// Settles what all panels that are there have passed; to be called now and then.
  void settle_passed();
  /// The panel is there, or there again: its next tick is its first.
  void join(std::size_t panel);
  /// The panel is gone: no tick waits for it.
  void leave(std::size_t panel) { present_.at(panel) = false; }

  [[nodiscard]] const PanelCount& panel(std::size_t index) const { return panels_.at(index); }
  [[nodiscard]] ShowTotals totals() const;
  [[nodiscard]] std::int64_t frames_shown() const noexcept { return shown_by_all_; }
  /// By FrameDamage; of a paused wall, the picture that stays counts as one frame.
  [[nodiscard]] const DamagedFrames& damaged_frames() const noexcept { return damaged_; }
  /// Panels that have shown nothing but black in place of frames, while others showed something.
  /// `all_reported`: the show is over. Before that, panels may only not have reported yet.
  [[nodiscard]] std::int64_t panels_black(bool all_reported) const;
  /// Skew of the wall's last 10 s before `now`, in nanoseconds.
  [[nodiscard]] Percentiles recent_skew_ns(GlobalInstant now) const;
  /// Frames shown by every panel in these 10 s, a second of playing: pauses do not count.
  [[nodiscard]] double recent_fps(GlobalInstant now) const;
  /// While the show goes on: ticks that all panels which are there have passed, and those of them
  /// that were not shown in time by every panel.
  struct Progress {
    std::int64_t frames_due = 0;
    std::int64_t frames_late = 0;
  };
  [[nodiscard]] Progress progress() const;
  /// When the panel showed its first frame; empty: it has shown none.
  [[nodiscard]] std::optional<GlobalInstant> first_shown(std::size_t panel) const;
  /// The same of one panel.
  [[nodiscard]] std::int64_t frames_late_so_far(std::size_t panel) const;
  /// Of one panel: ticks scheduled but not shown in time.
  [[nodiscard]] std::int64_t frames_late(std::size_t panel) const;

 private:
  struct StampOf {
    std::size_t panel = 0;
    std::int64_t stamp_ns = 0;
  };
  struct TickRecord {
    std::uint32_t on_time = 0;
    std::vector<StampOf> stamps;  // one of each panel that showed it
    Nanos delay{0};
    scene::FrameDamage damage = scene::FrameDamage::none;  // the worst of all panels'
  };
  struct Epoch {
    sync::FrameTicks due;
    sync::ShownTicks shown_ticks;
    std::optional<GlobalInstant> closed_at;
    std::map<std::int64_t, TickRecord> ticks;  // They are not settled yet.
    std::int64_t known_ticks = 0;              // one past the highest tick heard of
    std::map<std::int64_t, scene::FrameDamage>
        settled;  // the newest of them, for reports that come late
    scene::FrameDamage paused_damage = scene::FrameDamage::none;  // of the picture that stays
  };
  void note_offset(PanelCount& count, std::int64_t stamp_ns, Nanos offset);
  void settle(const TickRecord& record);
  /// Settles the tick and forgets all of it but its damage: a late report may tell of more.
  std::map<std::int64_t, TickRecord>::iterator settle_and_forget(
      Epoch& epoch, std::map<std::int64_t, TickRecord>::iterator tick);
  /// A panel showed it with that damage; `known`: the worst heard of so far.
  void note_damage(scene::FrameDamage& known, scene::FrameDamage damage) noexcept;
  /// The first tick that a panel which is there has neither shown nor passed.
  [[nodiscard]] std::int64_t first_awaited() const;
  void forget_old_epochs();
  /// The current epoch is played to its end, which the wall goes on to show.
  [[nodiscard]] bool has_ended() const;
  void note_played(const sync::TickGrid& grid);
  /// The current epoch is over: counts its ticks that nobody will show any more.
  void pass_epoch(const Epoch& epoch);
  [[nodiscard]] std::int64_t scheduled(const Epoch& epoch) const;
  [[nodiscard]] std::int64_t scheduled() const;

  const bool keep_hashes_;
  std::vector<PanelCount> panels_;
  std::vector<bool> present_;
  std::map<std::uint64_t, Epoch> epochs_;
  std::int64_t shown_by_all_ = 0;
  DamagedFrames damaged_{};
  std::int64_t shown_by_any_ = 0;  // of the ticks that are settled
  std::int64_t on_time_on_all_ = 0;
  std::int64_t passed_before_ = 0;        // ticks of all epochs before the current one
  std::int64_t forgotten_scheduled_ = 0;  // ticks of epochs that are no longer in epochs_
  LogHistogram skew_ns_;
  RecentValues recent_skew_ns_;
  PlayedTime played_;
  std::optional<std::int64_t> first_ns_;  // stamps over all panels
  std::optional<std::int64_t> last_ns_;
  std::vector<std::optional<std::int64_t>> first_of_panel_ns_;
};

}  // namespace tilewall::director
