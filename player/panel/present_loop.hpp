// The loop of the presenting thread: take the next picture, prepare it, wait for its instant, swap,
// stamp.
//
// Threads: one owner, the presenting thread, which the callbacks run on too.
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
#include "player/panel/watched_picture.hpp"
#include "player/present/presenter.hpp"
#include "player/scene/messages.hpp"
#include "sync/pacing/commit_pacer.hpp"

namespace tilewall::panel {

class PresentLoop {
 public:
  struct Callbacks {
    /// The first picture of a scene's version is prepared.
    std::function<void(std::uint64_t scene_version)> primed;
    std::function<void(present::OperatorKey key)> key;
    std::function<void(const scene::CanvasPointer& pointer)> pointer;
    std::function<void(PanelSnapshot snapshot)> snapshot;
    /// Takes the snapshot orders that the shown picture answers.
    std::function<std::vector<SnapshotOrder>(const DecodedPicture& shown)> orders;
    std::function<std::string()> clock;  ///< returns the clock's state and bound as text
    /// A frame of the epoch was late, or left out as late.
    std::function<void(scene::LateCause cause, std::uint64_t epoch)> late;
    /// The panel shows the scene of this version. Versions that were never shown are left out.
    std::function<void(std::uint64_t scene_version)> swapped;
    /// A picture is shown after which the scene has none, so that the director waits for no more.
    std::function<void()> last_shown;
  };

  /// Everything referred to outlives this object.
  PresentLoop(const scene::PanelConfig& config, const GlobalClock& clock, SceneSlot& scenes,
              PictureRing& ring, ReleaseGate& gate, ShownLog& log, present::Presenter& presenter,
              PanelPictures& pictures, Callbacks callbacks);

  /// Runs one turn: shows one picture at most, and waits for 10 ms at most, without a window 40 ms.
  /// A change of the scene ends the wait, except in the last 3 ms before a picture's instant.
  void step();

  /// Whether this thread was granted realtime priority.
  [[nodiscard]] bool realtime() const noexcept { return pacer_.realtime(); }

  /// Wall-clock time spent on preparing and swapping pictures so far, without the waits for their
  /// instants.
  [[nodiscard]] Nanos present_time() const noexcept { return back_buffer_.present_time(); }

 private:
  void take_input();
  [[nodiscard]] bool discard(const DecodedPicture& picture, const scene::Scene& scene);
  void prepare(const DecodedPicture& picture, const ScenePtr& scene);
  [[nodiscard]] PictureMarks marks_of(const DecodedPicture& picture, const scene::Scene& scene);
  /// While the last picture stays, shows it again when the hint comes or goes, at the same instant
  /// as all panels.
  void renew_held(const scene::Scene& scene);
  void note_hint(const scene::Scene& scene);
  /// Tells that the scene of the picture, which was due at `due`, is shown, and where it was the
  /// last one.
  void tell_swapped(const DecodedPicture& picture, GlobalInstant due);
  /// Tells that a scene without new pictures has taken effect.
  void tell_unchanged(const scene::Scene& scene);
  void show(const DecodedPicture& picture, LocalInstant due);
  void trace_swap(const DecodedPicture& picture, const SwapTime& swap, LocalInstant due) const;
  void leave_out(const DecodedPicture& picture, const scene::Scene& scene);
  /// Waits until about `until`, or until the scene changes.
  void pause(LocalInstant until);

  const std::string name_;  // the panel's
  const scene::PanelPlaces& places_;
  const GlobalClock& clock_;
  SceneSlot& scenes_;
  PictureRing& ring_;
  ShownLog& log_;
  present::Presenter& presenter_;
  const Callbacks callbacks_;
  const std::chrono::milliseconds turn_;  // the longest turn
  sync::CommitPacer pacer_;
  PointerRelay pointer_;
  PresentTiming timing_;
  BackBuffer back_buffer_;
  SnapshotTaker snapshots_;
  HeldPicture held_;
  WatchedPicture watched_;
  std::uint64_t primed_version_ = 0;
  std::uint64_t cleared_version_ = 0;  // the scene that outdated pictures were last dropped for
  /// What is on the panel.
  struct Swapped {
    std::uint64_t version = 0;  // argument of the last Callbacks::swapped
    std::uint64_t epoch = 0;    // the picture's epoch
    std::int64_t tick = -1;     // the picture's tick
  };
  Swapped swapped_;
};

}  // namespace tilewall::panel
