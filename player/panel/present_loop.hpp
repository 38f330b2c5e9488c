// The presenting thread's loop: take the next picture, prepare it, wait for its instant, swap,
// stamp.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "player/panel/frame_wait.hpp"
#include "player/panel/panel_counters.hpp"
#include "player/panel/panel_overlay.hpp"
#include "player/panel/picture_ring.hpp"
#include "player/panel/pointer_relay.hpp"
#include "player/panel/scene_slot.hpp"
#include "player/panel/snapshot_orders.hpp"
#include "player/present/presenter.hpp"
#include "player/scene/messages.hpp"
#include "sync/pacing/commit_pacer.hpp"

namespace tilewall {

/// A copy of what a panel showed, on its way to a wall snapshot.
struct PanelSnapshot {
  std::uint64_t number = 0;  ///< of the order; 0: a frame that the command line asked for
  std::int64_t wanted_frame = 0;
  std::int64_t shown_frame = 0;  ///< another one where the wanted frame was skipped
  std::uint64_t epoch = 0;       ///< of the tick
  std::int64_t tick = 0;         ///< at which it was shown
  SizePx size_px;
  std::vector<std::uint8_t> pixels;  ///< rows of BGRX, viewed orientation
};

/// Lives on the presenting thread.
class PresentLoop {
 public:
  /// Called on the presenting thread.
  struct Callbacks {
    std::function<void(std::uint64_t scene_version)> primed;  ///< the first picture is prepared
    std::function<void(OperatorKey key)> key;
    std::function<void(const CanvasPointer& pointer)> pointer;
    std::function<void(PanelSnapshot snapshot)> snapshot;
    std::function<std::vector<SnapshotOrder>(const DecodedPicture& shown)> orders;
    std::function<std::string()> clock;  ///< its state and bound, for people
    std::function<void(LateCause cause)> late;
  };

  /// Everything referred to outlives this.
  PresentLoop(const PanelConfig& config, const GlobalClock& clock, SceneSlot& scenes,
              PictureRing& ring, ReleaseGate& gate, ShownLog& log, Presenter& presenter,
              Callbacks callbacks);

  /// One turn: shows at most one picture, and waits for 10 ms at most, or 40 ms without a window.
  /// Ends early when the scene changes, but for the last 3 ms before a picture's instant.
  void step();

  /// Whether this thread was granted realtime priority.
  [[nodiscard]] bool realtime() const noexcept { return pacer_.realtime(); }

  /// What pictures took so far, as time passes, from the ring to the end of their swaps, without
  /// the wait for their instants.
  [[nodiscard]] Nanos present_time() const noexcept { return present_time_; }

 private:
  /// Whether another scene is shown when the picture would be due.
  [[nodiscard]] bool outdated(const DecodedPicture& picture, const Scene& scene);
  void take_input();
  [[nodiscard]] bool discard(const DecodedPicture& picture, const Scene& scene);
  [[nodiscard]] std::optional<GlobalInstant> due_of(const DecodedPicture& picture,
                                                    const Scene& scene);
  void prepare(const DecodedPicture& picture, const ScenePtr& scene);
  /// What lies over a picture.
  struct Marks {
    bool figures = false;
    std::string hint;  // "" = none
    [[nodiscard]] bool operator==(const Marks&) const = default;
  };
  [[nodiscard]] Marks marks_of(const DecodedPicture& picture, const Scene& scene);
  [[nodiscard]] Inset inset_for(const DecodedPicture& picture, const Marks& marks,
                                const Scene& scene);
  /// While the last picture stays: shows it with the hint, or without it again, at the instant that
  /// all panels do.
  void renew_held(const Scene& scene);
  void note_hint(const Scene& scene);
  void show(const DecodedPicture& picture, LocalInstant due);
  void trace_swap(const DecodedPicture& picture, LocalInstant began, LocalInstant swapped,
                  LocalInstant due) const;
  void take_snapshots(const DecodedPicture& picture);
  void take_snapshot(const DecodedPicture& picture, std::uint64_t number,
                     std::int64_t wanted_frame);
  [[nodiscard]] bool is_late(std::int64_t tick, Nanos lateness) const;
  [[nodiscard]] Nanos most_awake() const;
  /// Of a picture that was swapped late, or not at all for that.
  [[nodiscard]] static LateCause cause_of(const DecodedPicture& picture, LocalInstant due);
  void leave_out(const DecodedPicture& picture, const Scene& scene);
  /// Whether `frame` was due between the picture shown last and this one.
  [[nodiscard]] bool skipped(std::int64_t frame, const DecodedPicture& picture) const;
  /// About until then; ends early when the scene changes.
  void pause(LocalInstant until);

  const PanelConfig& config_;
  const GlobalClock& clock_;
  SceneSlot& scenes_;
  PictureRing& ring_;
  ReleaseGate& gate_;
  ShownLog& log_;
  Presenter& presenter_;
  const Callbacks callbacks_;
  const std::chrono::milliseconds turn_;  // so often it looks at keys, and counts its turns
  CommitPacer pacer_;
  PointerRelay pointer_;
  ScenePtr shown_scene_;                    // of the newest picture that was shown
  std::optional<DecodedPicture> prepared_;  // the front picture, once it is in the back buffer
  LocalInstant prepared_at_;
  Nanos present_time_{0};
  Inset prepared_inset_;  // what lies over it
  Marks prepared_marks_;  // what that says
  HeldPicture held_;
  std::string shown_hint_;  // "" = none
  GlobalInstant shown_hint_until_;
  PanelOverlay overlay_;
  std::uint64_t primed_version_ = 0;
  std::uint64_t cleared_version_ = 0;  // of the scene that outdated pictures were dropped for
  std::vector<std::int64_t> snapshots_left_;  // frame numbers
  std::uint64_t shown_epoch_ = 0;             // of the picture shown last; 0 before the first
  std::int64_t shown_tick_ = 0;
};

}  // namespace tilewall
