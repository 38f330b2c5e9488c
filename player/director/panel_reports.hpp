// Distributes the panels' reports, which come a few times a second: shown frames to the ledger,
// late frames to LateWatch, clocks to ClockWatch; and all of them to the statistics of cues.
// Notable events become notes.
//
// Threads: one owner, the director's thread.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "player/director/clock_watch.hpp"
#include "player/director/content_watch.hpp"
#include "player/director/cue_statistics.hpp"
#include "player/director/late_watch.hpp"
#include "player/director/log/show_notes.hpp"
#include "player/director/show_lifecycle.hpp"
#include "player/director/slate_watch.hpp"
#include "player/director/statistics/turn_watch.hpp"
#include "player/scene/late.hpp"
#include "sync/base/log_histogram.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

/// Chooses how coarse volumes are drawn while they move: as fine as the slowest panel can draw in
/// 33 ms, so that the wall follows a hand. Reads no clock; one owner.
class MotionDetail {
 public:
  static constexpr Nanos picture_time = std::chrono::milliseconds(33);
  static constexpr int coarsest = 4;

  explicit MotionDetail(std::size_t panels) : paces_(panels) {}

  void take(std::size_t panel, const scene::DrawPace& pace) { paces_.at(panel) = pace; }

  /// Levels below full detail, 1 to `coarsest`. A level has a quarter of the rays of the next finer
  /// one.
  [[nodiscard]] int coarser_by() const;

  /// The level whose pictures take `picture_time` or less; `full` is the time in full detail.
  [[nodiscard]] static int level_within(Nanos picture_time, Nanos full);

 private:
  std::vector<scene::DrawPace> paces_;
};

class PanelReports {
 public:
  /// Sends an event to the subscribed clients.
  using TellClients = std::function<void(const char* event, const nlohmann::json& details)>;

  /// `lifecycle` and the objects in `parts` outlive this object.
  PanelReports(const ShowParts& parts, ShowLifecycle& lifecycle, TellClients tell_clients);

  /// To be called at the begin of every turn, before messages are handled. `has_more`: the turn
  /// before has left some.
  void begin_turn(LocalInstant now, bool has_more) { turns_.begin(now, has_more); }
  /// Adapts ticks and detail to late panels. To be called in every turn.
  void step(LocalInstant now);
  /// To be called just before the show starts.
  void prepare_start();

  /// Takes a report. `round_trip` is that of the panel's connection; empty where it has none.
  void take(std::size_t panel, const scene::ShownBatch& batch, std::optional<Nanos> round_trip);
  /// Notes that the panel's first picture is ready. `cpus` is the number of its host's CPUs; 0:
  /// unknown.
  void take_primed(std::size_t panel, const scene::DrawPace& pace, int cpus);
  /// Late policy slow: notes that the wall has waited for the panel.
  void add_wait(std::size_t panel) { late_.add(panel, scene::LateCause::released_late); }
  /// Forgets a panel that has disconnected.
  void leave(std::size_t panel);
  /// To be called at the end of the show.
  void end();

  [[nodiscard]] const LateWatch& late() const noexcept { return late_; }
  /// Whether panels have reported frames again since the last call.
  [[nodiscard]] bool was_told_again() noexcept { return std::exchange(told_again_, false); }
  /// The longest time, over all panels, whose shown frames no director has counted.
  [[nodiscard]] Nanos lost_time() const noexcept { return lost_time_; }
  [[nodiscard]] const LogHistogram& clock_bounds_ns() const noexcept { return clock_bounds_ns_; }
  [[nodiscard]] ClockWatch& clocks() noexcept { return clocks_; }
  [[nodiscard]] ContentWatch& content() noexcept { return content_; }
  [[nodiscard]] const ContentWatch& content() const noexcept { return content_; }

  [[nodiscard]] CueStatistics& cues() noexcept { return cues_; }

  [[nodiscard]] const SlateWatch& slates() const noexcept { return slates_; }

  /// Its statistics, for restore() of the next director.
  [[nodiscard]] nlohmann::json checkpoint() const;
  /// Throws InputError where the checkpoint is malformed.
  void restore(const nlohmann::json& checkpoint);
  /// To be called when a restored show plays on, once the clock is known.
  void go_on() { late_.go_on(parts_.control, local_now()); }

 private:
  [[nodiscard]] LateWatch::Callbacks late_callbacks();
  void add_again(std::size_t panel, const scene::ShownBatch& batch);
  void take_content(std::size_t panel, const std::vector<scene::ShownFrame>& frames);
  /// Notes a long silence of the panel, and returns whether there was one. A stopped panel or a
  /// lost network has no figures that explain late frames.
  bool note_silence(std::size_t panel);
  [[nodiscard]] Nanos own_absence();
  void note_no_realtime();

  const ShowParts parts_;
  ShowLifecycle& lifecycle_;
  const TellClients tell_clients_;
  LateWatch late_;
  MotionDetail motion_;
  ClockWatch clocks_;
  ContentWatch content_;
  SlateWatch slates_;
  CueStatistics cues_;
  std::optional<std::uint64_t> late_epoch_;  // that of late frames in the report at hand
  LogHistogram clock_bounds_ns_;
  BackgroundWatch background_;
  TurnWatch turns_;
  bool realtime_noted_ = false;
  bool told_again_ = false;
  Nanos lost_time_{0};  // the longest time of which a panel's frames are not counted
};

}  // namespace tilewall::director
