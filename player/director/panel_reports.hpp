// Takes what panels report a few times a second, and brings each figure to who keeps it: shown
// frames to the ledger, late frames to LateWatch, clocks to ClockWatch. What a person should know
// of it becomes a note.
//
// One owner, the director's thread.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "player/director/clock_watch.hpp"
#include "player/director/late_watch.hpp"
#include "player/director/show_lifecycle.hpp"
#include "player/director/show_notes.hpp"
#include "player/director/turn_watch.hpp"
#include "player/scene/late.hpp"
#include "sync/base/log_histogram.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

/// How coarse volumes are drawn while they move, from how long panels take: so fine that the wall
/// follows a hand, and no finer. Pure; one owner.
class MotionDetail {
 public:
  static constexpr Nanos picture_time = std::chrono::milliseconds(33);
  static constexpr int coarsest = 4;

  explicit MotionDetail(std::size_t panels) : paces_(panels) {}

  void take(std::size_t panel, const scene::DrawPace& pace) { paces_.at(panel) = pace; }

  /// In levels below full, at least one; a level has a quarter of the one above's rays.
  [[nodiscard]] int coarser_by() const;

  /// The same where a picture in full takes `full`.
  [[nodiscard]] static int level_within(Nanos picture_time, Nanos full);

 private:
  std::vector<scene::DrawPace> paces_;
};

class PanelReports {
 public:
  /// Tells the clients who subscribed of an event.
  using TellClients = std::function<void(const char* event, const nlohmann::json& details)>;

  /// Everything that `parts` refers to, and `lifecycle`, outlive this.
  PanelReports(const ShowParts& parts, ShowLifecycle& lifecycle, TellClients tell_clients);

  /// A turn of the director begins.
  void begin_turn(LocalInstant now) { turns_.begin(now); }
  /// To be called in every turn: changes the scene where panels are late, or no longer so.
  void step(LocalInstant now);
  /// The show starts now.
  void prepare_start();

  /// `round_trip`: of the panel's connection; empty where it has none.
  void take(std::size_t panel, const scene::ShownBatch& batch, std::optional<Nanos> round_trip);
  /// Its first picture is ready. `message`: {"type": "primed", "pace", "cpus"}.
  void take_primed(std::size_t panel, const nlohmann::json& message);
  /// Late policy slow: the wall has waited for the panel.
  void add_wait(std::size_t panel) { late_.add(panel, scene::LateCause::released_late); }
  /// The panel is gone.
  void leave(std::size_t panel);
  /// The show is over.
  void end();

  [[nodiscard]] const LateWatch& late() const noexcept { return late_; }
  [[nodiscard]] const LogHistogram& clock_bounds_ns() const noexcept { return clock_bounds_ns_; }
  [[nodiscard]] ClockWatch& clocks() noexcept { return clocks_; }

 private:
  [[nodiscard]] LateWatch::Callbacks late_callbacks();
  /// A stopped panel or a lost network: no figure of its own says why frames were late. Returns
  /// whether the panel was silent for long.
  bool note_silence(std::size_t panel);
  [[nodiscard]] Nanos own_absence();
  void note_no_realtime();

  const ShowParts parts_;
  ShowLifecycle& lifecycle_;
  const TellClients tell_clients_;
  LateWatch late_;
  MotionDetail motion_;
  ClockWatch clocks_;
  LogHistogram clock_bounds_ns_;
  BackgroundWatch background_;
  TurnWatch turns_;
  bool realtime_noted_ = false;
};

}  // namespace tilewall::director
