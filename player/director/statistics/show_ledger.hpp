// The statistics of a show. Panels report which tick they swapped when; lateness, skew and the
// counts of the report follow from that. Reads no clock.
//
// Terms of the report: a tick is one scheduled frame. A tick is late on a panel that swapped it
// more than half a period after its due instant, or skipped it; a period is the time between two
// shown ticks. The wall's skew is the last minus the first swap stamp of a tick that all panels
// showed. A panel's skew is its stamp minus the wall's first stamp of the same tick. A panel's swap
// offset is the distance of its stamp from the due instant, before or after it.
//
// The picture that stays in a pause has no period. It is mixed where a panel shows it more than
// `still_limit` after the first panel: the wall showed old and new pictures side by side. A mixed
// picture counts as a scheduled tick that was late on these panels.
//
// A show may run for days, so the statistics do not grow (except hashes). A tick is settled and
// forgotten as soon as every present panel has shown it or a later one.
//
// Threads: one owner, the director's thread.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "player/director/statistics/checkpoint.hpp"
#include "player/director/statistics/played_time.hpp"
#include "player/scene/messages.hpp"
#include "sync/base/log_histogram.hpp"
#include "sync/timeline/shown_ticks.hpp"
#include "sync/timeline/timeline.hpp"

namespace tilewall::director {

/// A shown frame, and when its tick is due.
struct HashedFrame : scene::ShownFrame {
  std::int64_t due_ns = 0;  ///< global time, without the delay of late policy slow
};

/// One panel's part of the statistics.
struct PanelCount {
  std::int64_t frames_shown = 0;
  std::int64_t frames_on_time = 0;
  bool shown_any = false;  ///< The panel showed a picture, perhaps in a pause
  /// The panel showed a picture that was not black in place of a frame.
  bool shown_a_frame = false;
  /// Frames in the order shown; empty unless hashes are kept.
  std::vector<HashedFrame> hashed;
  std::optional<std::int64_t> last_frame;
  std::optional<std::int64_t> last_tick;  ///< newest shown tick of the current epoch
  std::int64_t late_so_far = 0;           ///< late ticks of the show, up to passed_end
  std::int64_t passed_end = 0;            ///< one past its newest tick of the current epoch
  std::int64_t last_stamp_ns = 0;         ///< newest stamp; 0 before the first
  LogHistogram skew_ns;
  LogHistogram swap_offset_ns;
  RecentValues recent_skew_ns;         ///< Skew by the instants of stamps
  RecentValues recent_swap_offset_ns;  ///< Distance from due instants, by the instants of stamps
};

struct ShowTotals {
  std::int64_t frames_scheduled = 0;
  std::int64_t frames_shown = 0;         ///< Ticks that every panel showed
  std::int64_t frames_shown_by_any = 0;  ///< Ticks that one panel or more showed
  std::int64_t frames_late = 0;          ///< Ticks that were late on any panel
  Percentiles skew_us;
  double fps = 0;         ///< rate of frames shown by every panel, without pauses
  double duration_s = 0;  ///< Time from the first frame's stamp to the last one's
  std::optional<GlobalInstant> first_on_all;  ///< when the last panel showed its first frame
};

/// Time by which panels may show a picture that stays one after the other.
inline constexpr Nanos still_limit = std::chrono::milliseconds(100);

/// Number of damaged frames by FrameDamage. A frame counts once, by the worst damage on any panel.
using DamagedFrames = std::array<std::int64_t, scene::frame_damage_kinds>;

/// Is told what becomes known of ticks.
class TickObserver {
 public:
  virtual ~TickObserver() = default;
  /// A settled tick that a panel or more showed.
  struct SettledTick {
    std::optional<Nanos> skew;  ///< the wall's; empty: not all panels showed the tick
    bool is_on_time = false;    ///< on all panels
  };
  virtual void settled(std::uint64_t epoch, const SettledTick& tick) = 0;
  /// The ledger forgets an old epoch, of which so many ticks were scheduled.
  virtual void forgotten(std::uint64_t epoch, std::int64_t scheduled) = 0;
};

class ShowLedger {
 public:
  ShowLedger(std::size_t panels, bool keep_hashes);

  /// Opens an epoch that was sent to the panels. `ticks` has the frames of the first region. For an
  /// open epoch it replaces the ticks, once the start instant is known.
  void open_epoch(std::uint64_t epoch, const sync::FrameTicks& ticks);
  /// Closes an epoch: ticks due at `at` or later do not count as scheduled.
  void close_epoch(std::uint64_t epoch, GlobalInstant at);
  /// Sets the epoch's ticks that panels show. A picture is late by more than half the time between
  /// shown ticks, by the same rule as on panels.
  void set_shown_ticks(std::uint64_t epoch, const sync::ShownTicks& shown_ticks);
  /// Late policy slow: sets the tick's delay after its due instant.
  void delay(std::uint64_t epoch, const scene::ReleasedTick& tick);

  /// Adds a swap that a panel has reported. Unknown epochs are ignored.
  void add(std::size_t panel, std::uint64_t epoch, scene::ShownFrame shown);
  /// Adds frames that the panel may have reported before, to a director that died: those that are
  /// counted already are left out.
  void add_again(std::size_t panel, std::uint64_t epoch,
                 const std::vector<scene::ShownFrame>& frames);
  /// Settles the ticks that all present panels have passed. To be called after reports.
  void settle_passed();
  /// Adds a panel that has connected. Its next tick is its first.
  void join(std::size_t panel);
  /// Removes a panel that has disconnected. No tick waits for it.
  void leave(std::size_t panel) { present_.at(panel) = false; }

  [[nodiscard]] const PanelCount& panel(std::size_t index) const { return panels_.at(index); }
  [[nodiscard]] ShowTotals totals() const;
  [[nodiscard]] std::int64_t frames_shown() const noexcept { return shown_by_all_; }
  /// The picture that stays in a pause counts as one frame.
  [[nodiscard]] const DamagedFrames& damaged_frames() const noexcept { return damaged_; }
  /// Number of panels that showed only black in place of frames, while others showed pictures.
  /// `all_reported`: the show is over, so that no panel's report is still to come.
  [[nodiscard]] std::int64_t panels_black(bool all_reported) const;
  /// The wall's skew in the 10 s before `now`, in nanoseconds.
  [[nodiscard]] Percentiles recent_skew_ns(GlobalInstant now) const;
  /// The rate of frames shown by every panel in the last 10 s, without pauses.
  [[nodiscard]] double recent_fps(GlobalInstant now) const;
  /// Counts while the show goes on.
  struct Progress {
    /// Ticks that all present panels have passed; with no panel present, those that one had passed.
    std::int64_t frames_due = 0;
    std::int64_t frames_late = 0;  ///< those of them that some panel did not show in time
  };
  [[nodiscard]] Progress progress() const;
  /// When the first frame was shown on any panel; empty: none was.
  [[nodiscard]] std::optional<GlobalInstant> first_shown() const {
    return first_ns_ ? std::optional(GlobalInstant{Nanos(*first_ns_)}) : std::nullopt;
  }
  /// When the panel showed its first frame; empty: it has shown none.
  [[nodiscard]] std::optional<GlobalInstant> first_shown(std::size_t panel) const;
  /// The panel's late ticks while the show goes on.
  [[nodiscard]] std::int64_t frames_late_so_far(std::size_t panel) const;
  /// The panel's late ticks after the show: scheduled but not shown in time.
  [[nodiscard]] std::int64_t frames_late(std::size_t panel) const;

  /// The scheduled ticks of the epochs in [first, end) that the ledger has not forgotten.
  [[nodiscard]] std::int64_t scheduled_between(std::uint64_t first, std::uint64_t end) const;
  /// The ticks of these epochs that a panel or more showed, and that are not settled.
  [[nodiscard]] std::int64_t unsettled_between(std::uint64_t first, std::uint64_t end) const;
  /// Tells the observer from now on. It outlives this object, or the next call; null: nobody.
  void observe(TickObserver* observer) noexcept { observer_ = observer; }

  /// Keeps the hashes of further frames in that memory, too. It outlives this object.
  void keep_hashes_in(HashMemory& memory) { hash_memory_ = &memory; }
  /// The statistics without hashes and without the figures of the last 10 s, for restore().
  [[nodiscard]] nlohmann::json checkpoint() const;
  /// Continues from the checkpoint of another director, with the hashes of `frames` that it counts.
  /// The panels that were present count as present, so that no tick is settled without them before
  /// they have reported again; leave() tells of those that do not come back.
  /// Throws InputError where the checkpoint is malformed or of a wall of other panels.
  void restore(const nlohmann::json& checkpoint, const std::vector<HashMemory::Shown>& frames);
  /// The newest open epoch; 0: none.
  [[nodiscard]] std::uint64_t newest_epoch() const {
    return epochs_.empty() ? 0 : epochs_.rbegin()->first;
  }

 private:
  struct StampOf {
    std::size_t panel = 0;
    std::int64_t stamp_ns = 0;
  };
  struct TickRecord {
    std::uint32_t on_time = 0;
    std::vector<StampOf> stamps;  // one for each panel that showed the tick
    Nanos delay{0};
    scene::FrameDamage damage = scene::FrameDamage::none;  // the worst on any panel
  };
  struct Epoch {
    sync::FrameTicks due;
    sync::ShownTicks shown_ticks;
    std::optional<GlobalInstant> closed_at;
    std::map<std::int64_t, TickRecord> ticks;            // ticks that are not settled yet
    std::int64_t known_ticks = 0;                        // one past the highest reported tick
    std::map<std::int64_t, scene::FrameDamage> settled;  // newest settled ticks, for late reports
    scene::FrameDamage paused_damage =
        scene::FrameDamage::none;  // damage of the picture that stays in a pause
    /// The first stamps of that picture, of the panels that were there before it.
    std::vector<StampOf> still;
  };
  /// Whether a panel's picture of a pause came later than the first panel's by `still_limit`.
  [[nodiscard]] static bool is_mixed(const Epoch& epoch);
  /// Adds the first stamp of a panel that shows the picture of a pause.
  void note_still(std::uint64_t number, Epoch& epoch, const StampOf& one);
  /// Adds `sign` to the counts of the panels that a mixed picture counts for.
  void count_still(const Epoch& epoch, std::int64_t sign);
  [[nodiscard]] static nlohmann::json checkpoint_of(const Epoch& epoch);
  [[nodiscard]] Epoch restored_epoch(const nlohmann::json& checkpoint) const;
  void note_offset(PanelCount& count, std::int64_t stamp_ns, Nanos offset);
  void settle(std::uint64_t epoch, const TickRecord& record);
  /// Counts a tick with stamps.
  TickObserver::SettledTick settled(const TickRecord& record);
  /// Settles the tick and keeps only its damage, which late reports may make worse.
  std::map<std::int64_t, TickRecord>::iterator settle_and_forget(
      std::uint64_t number, Epoch& epoch, std::map<std::int64_t, TickRecord>::iterator tick);
  /// Counts a panel's damage of a frame. `known` is the worst damage of that frame so far.
  void note_damage(scene::FrameDamage& known, scene::FrameDamage damage) noexcept;
  /// The first tick that a present panel has neither shown nor passed.
  [[nodiscard]] std::int64_t first_awaited() const;
  void forget_old_epochs();
  /// Whether the current epoch has reached its last tick, which stays on the wall.
  [[nodiscard]] bool has_ended() const;
  void note_played(const sync::TickGrid& grid);
  /// Ends the current epoch, and counts its remaining ticks as late.
  void pass_epoch(const Epoch& epoch);
  [[nodiscard]] std::int64_t scheduled(const Epoch& epoch) const;
  [[nodiscard]] std::int64_t scheduled() const;
  /// The sum over the epochs in [first, end) that are not forgotten.
  [[nodiscard]] std::int64_t sum_between(
      std::uint64_t first, std::uint64_t end,
      const std::function<std::int64_t(const Epoch& epoch)>& number) const;

  const bool keep_hashes_;
  HashMemory* hash_memory_ = nullptr;
  TickObserver* observer_ = nullptr;
  std::vector<PanelCount> panels_;
  std::vector<bool> present_;
  std::vector<bool> joined_;  // panels that came after the newest epoch was opened
  std::map<std::uint64_t, Epoch> epochs_;
  std::int64_t shown_by_all_ = 0;
  DamagedFrames damaged_{};
  std::int64_t shown_by_any_ = 0;  // settled ticks only
  std::int64_t on_time_on_all_ = 0;
  std::int64_t passed_before_ = 0;        // ticks of all epochs before the current one
  std::int64_t forgotten_scheduled_ = 0;  // ticks of epochs that are no longer in epochs_
  LogHistogram skew_ns_;
  RecentValues recent_skew_ns_;
  PlayedTime played_;
  std::optional<std::int64_t> first_ns_;  // first and last stamp of all panels
  std::optional<std::int64_t> last_ns_;
  std::vector<std::optional<std::int64_t>> first_of_panel_ns_;
};

}  // namespace tilewall::director
