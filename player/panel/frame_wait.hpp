// Waiting for other processes before a picture is drawn or shown: FrameWait waits for frames of the
// host's decoder, ReleaseGate keeps the ticks that the director has released (late policy slow).
//
// Threads: FrameWait has one owner, the decode thread. ReleaseGate locks for any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <vector>

#include "player/panel/composer.hpp"
#include "player/panel/draw_cancellation.hpp"
#include "player/panel/tick_scheduler.hpp"
#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"
#include "sync/global_time.hpp"

namespace tilewall::panel {

class FrameWait {
 public:
  /// The references outlive this object. `buffers` is the size of a panel's ring in pictures.
  FrameWait(Composer& composer, DrawCancellation& cancellation, const GlobalClock& clock,
            std::size_t buffers);

  /// Waits until the frames that the tick shows are decided; for the late policies drop and lower.
  /// `frames` has the tick's own frames; where the decoder is behind, earlier ones replace them.
  /// `before` has the frames of the last picture, and is empty where there is none.
  [[nodiscard]] TickPicture await(const scene::Scene& scene, std::int64_t tick,
                                  const RegionFrames& before, RegionFrames& frames);

  /// Notes that the tick's own frames are shown without await().
  void note_shown(const scene::Scene& scene, std::int64_t tick);

  /// Returns the first tick at `wanted` or later that can still be drawn in time.
  using NextTick = std::function<std::int64_t(std::int64_t wanted)>;

  /// The tick at which a panel that is behind the others goes on, `tick` or later. The decoder has
  /// passed earlier frames already, and need not go back for this one.
  [[nodiscard]] std::int64_t joined_tick(const scene::Scene& scene, std::int64_t tick,
                                         const NextTick& next_tick);

 private:
  /// await() for one region, whose frame of `of_tick` is on the panel. An earlier frame replaces
  /// `frame` where that is not there in time.
  [[nodiscard]] TickPicture await_frame(const scene::Scene& scene, const scene::Region& region,
                                        std::int64_t tick, std::int64_t& of_tick,
                                        std::int64_t& frame);
  [[nodiscard]] std::int64_t joined_tick(const scene::Scene& scene, std::int64_t tick,
                                         const RegionPart& part, const NextTick& next_tick);

  Composer& composer_;
  DrawCancellation& cancellation_;
  const GlobalClock& clock_;
  const std::size_t buffers_;
  // For each region of the scene, the tick whose frame is on the panel; -1: none of this epoch.
  std::vector<std::int64_t> of_ticks_;
  std::uint64_t of_epoch_ = 0;  // the scene's
};

/// The ticks that may be shown under late policy slow. A tick is shown only once the director has
/// released it, and later than its due instant by the delay of the whole wall.
///
/// It keeps two epochs, the newest and the one before, because the old one is shown until the
/// newest takes effect. Any thread: the link adds, the presenting thread asks.
class ReleaseGate {
 public:
  void add(const scene::Release& release);

  /// The delay of `tick` after its due instant; empty while the tick is not released.
  [[nodiscard]] std::optional<Nanos> delay_of(std::uint64_t epoch, std::int64_t tick);
  /// The newest released tick of the epoch; empty where there is none.
  [[nodiscard]] std::optional<scene::ReleasedTick> newest(std::uint64_t epoch);

 private:
  struct Released {
    std::uint64_t epoch = 0;
    std::deque<scene::ReleasedTick> ticks;  // ascending
  };
  std::mutex mutex_;
  Released newest_;  // guarded by mutex_
  Released before_;  // guarded by mutex_
};

}  // namespace tilewall::panel
