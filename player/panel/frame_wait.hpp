// Waits for the frames that the host's decoder process makes, and chooses by what it has ready.
//
// Threads: one owner, the decode thread.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>

#include "player/panel/composer.hpp"
#include "player/panel/draw_cancellation.hpp"
#include "player/panel/tick_scheduler.hpp"
#include "player/scene/messages.hpp"
#include "player/scene/scene.hpp"
#include "sync/global_time.hpp"

namespace tilewall::panel {

class FrameWait {
 public:
  /// All outlive this. `buffers`: pictures that each panel of the host can be ahead by.
  FrameWait(Composer& composer, DrawCancellation& cancellation, const GlobalClock& clock,
            std::size_t buffers);

  /// Late policies drop and lower: waits until it is decided which frames the tick shows.
  /// `frames`: the tick's own; where the decoder is behind they become earlier ones. `before`:
  /// those of the picture before; empty where there is none.
  [[nodiscard]] TickPicture await(const scene::Scene& scene, std::int64_t tick,
                                  const RegionFrames& before, RegionFrames& frames);

  /// The first tick at `wanted` or later that can still be drawn in time.
  using NextTick = std::function<std::int64_t(std::int64_t wanted)>;

  /// The tick, `tick` or later, at which a panel that is behind the others goes on: the decoder,
  /// which has passed what was due before, need not go back for it.
  [[nodiscard]] std::int64_t joined_tick(const scene::Scene& scene, std::int64_t tick,
                                         const NextTick& next_tick);

 private:
  /// The same of one region; `frame` becomes an earlier one where its own is not there in time.
  [[nodiscard]] TickPicture await_frame(const scene::Scene& scene, const scene::Region& region,
                                        std::int64_t tick, std::int64_t& frame);
  [[nodiscard]] std::int64_t joined_tick(const scene::Scene& scene, std::int64_t tick,
                                         const RegionPart& part, const NextTick& next_tick);

  Composer& composer_;
  DrawCancellation& cancellation_;
  const GlobalClock& clock_;
  const std::size_t buffers_;
};

// Late policy "slow": a tick may be shown only once the director has released it, and as much later
// than the timeline says as the whole wall has fallen behind by then.
//
// Ticks of two epochs are known: the newest one's, and of the one before, which is shown until
// the newest takes effect.

/// The link adds, the presenter asks; any thread.
class ReleaseGate {
 public:
  void add(const scene::Release& release);

  /// How much later than its timeline says `tick` is shown; empty while it is not released.
  [[nodiscard]] std::optional<Nanos> delay_of(std::uint64_t epoch, std::int64_t tick);

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
