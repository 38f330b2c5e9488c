// The presenting thread's loop: take the next picture, prepare it, wait for its instant, swap,
// stamp.
#pragma once

#include <functional>
#include <vector>

#include "player/panel/back_buffer.hpp"
#include "player/panel/frame_wait.hpp"
#include "player/panel/panel_counters.hpp"
#include "player/panel/picture_ring.hpp"
#include "player/panel/pointer_relay.hpp"
#include "player/panel/present_timing.hpp"
#include "player/panel/scene_slot.hpp"
#include "player/panel/snapshot_orders.hpp"
#include "player/panel/snapshot_taker.hpp"
#include "player/present/presenter.hpp"
#include "player/scene/messages.hpp"
#include "sync/pacing/commit_pacer.hpp"

namespace tilewall::panel {

/// Lives on the presenting thread.
class PresentLoop {
 public:
  /// Called on the presenting thread.
  struct Callbacks {
    std::function<void(std::uint64_t scene_version)> primed;  ///< the first picture is prepared
    std::function<void(present::OperatorKey key)> key;
    std::function<void(const scene::CanvasPointer& pointer)> pointer;
    std::function<void(PanelSnapshot snapshot)> snapshot;
    std::function<std::vector<SnapshotOrder>(const DecodedPicture& shown)> orders;
    std::function<std::string()> clock;  ///< its state and bound, for people
    std::function<void(scene::LateCause cause)> late;
  };

  /// Everything referred to outlives this.
  PresentLoop(const scene::PanelConfig& config, const GlobalClock& clock, SceneSlot& scenes,
              PictureRing& ring, ReleaseGate& gate, ShownLog& log, present::Presenter& presenter,
              Callbacks callbacks);

  /// One turn: shows at most one picture, and waits for 10 ms at most, or 40 ms without a window.
  /// Ends early when the scene changes, but for the last 3 ms before a picture's instant.
  void step();

  /// Whether this thread was granted realtime priority.
  [[nodiscard]] bool realtime() const noexcept { return pacer_.realtime(); }

  /// What pictures took so far, as time passes, from the ring to the end of their swaps, without
  /// the wait for their instants.
  [[nodiscard]] Nanos present_time() const noexcept { return back_buffer_.present_time(); }

 private:
  void take_input();
  [[nodiscard]] bool discard(const DecodedPicture& picture, const scene::Scene& scene);
  void prepare(const DecodedPicture& picture, const ScenePtr& scene);
  [[nodiscard]] PictureMarks marks_of(const DecodedPicture& picture, const scene::Scene& scene);
  /// While the last picture stays: shows it with the hint, or without it again, at the instant that
  /// all panels do.
  void renew_held(const scene::Scene& scene);
  void note_hint(const scene::Scene& scene);
  void show(const DecodedPicture& picture, LocalInstant due);
  void trace_swap(const DecodedPicture& picture, const SwapTime& swap, LocalInstant due) const;
  void leave_out(const DecodedPicture& picture, const scene::Scene& scene);
  /// About until then; ends early when the scene changes.
  void pause(LocalInstant until);

  const scene::PanelPlaces& places_;
  const GlobalClock& clock_;
  SceneSlot& scenes_;
  PictureRing& ring_;
  ShownLog& log_;
  present::Presenter& presenter_;
  const Callbacks callbacks_;
  const std::chrono::milliseconds turn_;  // so often it looks at keys, and counts its turns
  sync::CommitPacer pacer_;
  PointerRelay pointer_;
  PresentTiming timing_;
  BackBuffer back_buffer_;
  SnapshotTaker snapshots_;
  HeldPicture held_;
  std::uint64_t primed_version_ = 0;
  std::uint64_t cleared_version_ = 0;  // of the scene that outdated pictures were dropped for
};

}  // namespace tilewall::panel
