// Decodes the pictures of the current scene ahead of their due instants into the ring: the thread,
// and the order of what its parts do. TickScheduler chooses the ticks, FrameWait waits for the
// host's decoder, TickDrawer draws, DetailRefinement has volumes drawn finer.
//
// Threads: owns one, "decode": waits on the scene slot and on free buffers; stopped by its
// destructor.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "player/panel/composer.hpp"
#include "player/panel/detail_refinement.hpp"
#include "player/panel/draw_cancellation.hpp"
#include "player/panel/draw_stopwatch.hpp"
#include "player/panel/frame_wait.hpp"
#include "player/panel/pace_meter.hpp"
#include "player/panel/picture_ring.hpp"
#include "player/panel/scene_slot.hpp"
#include "player/panel/tick_drawer.hpp"
#include "player/panel/tick_scheduler.hpp"
#include "player/scene/messages.hpp"
#include "sync/base/thread_place.hpp"
#include "sync/trace/trace_recorder.hpp"

namespace tilewall {

class DecodeAhead {
 public:
  /// Called on the decode thread: after each picture; once when the show's first pictures cannot be
  /// drawn; with a line for people when a source that came later cannot be opened; for ticks
  /// that are left out; and when detail() has become ready, or has come.
  struct Callbacks {
    std::function<void(std::uint64_t epoch, std::int64_t tick)> ready;
    std::function<void(const std::exception& error)> failed;
    std::function<void(const std::string& line)> problem;
    std::function<void(LateCause cause, std::int64_t frames)> late;
    std::function<void()> detail_news;
  };

  /// Where its threads run, and so where their memory lies.
  struct Places {
    ThreadPlace decode;
    ThreadPlace receive;
  };

  /// Everything referred to outlives this. `movies`: the host service's socket; `trace` may be
  /// null.
  DecodeAhead(const PanelConfig& config, const std::filesystem::path& movies,
              const GlobalClock& clock, const SceneSlot& scenes, PictureRing& ring,
              TraceRecorder* trace, const Places& places, Callbacks callbacks);

  /// Begins to decode.
  void start();

  // Any thread.
  [[nodiscard]] DecodeTotals totals() const { return composer_.totals(); }
  [[nodiscard]] DrawPace pace() const { return pace_.pace(); }
  [[nodiscard]] DetailReport detail() const { return refinement_.report(); }

 private:
  [[nodiscard]] SourceCache::Open source_opener(const std::filesystem::path& movies,
                                                const ThreadPlace& receiver);
  void run(const std::stop_token& stop);
  void begin(const Scene& scene);
  void play(const Scene& scene, const std::stop_token& stop);
  /// Tells sources what comes after the tick before `following`.
  void look_ahead(const Scene& scene, std::int64_t following);
  /// Draws the last picture again once a decoder gives what it did not give in time, or once finer
  /// volumes are there.
  void improve_last(const Scene& scene, const std::stop_token& stop);
  [[nodiscard]] bool is_better_soon(const Scene& scene, const RegionFrames& frames);
  [[nodiscard]] std::optional<std::size_t> wait_for_buffer(const std::stop_token& stop);
  /// Waits until the tick is no longer far, or a newer scene comes.
  void wait_while_far(const Scene& scene, std::int64_t tick, const std::stop_token& stop) const;
  // Unless these are available, the buffer is still the caller's.
  [[nodiscard]] TickPicture play_tick(const Scene& scene, std::int64_t tick, std::size_t buffer);
  [[nodiscard]] TickPicture draw(const Scene& scene, std::int64_t tick, const RegionFrames& frames,
                                 std::size_t buffer, DrawPurpose purpose);
  [[nodiscard]] bool is_far(const TickGrid& tick_grid, std::int64_t tick) const;
  [[nodiscard]] GlobalInstant global_now() const;
  /// When a picture that is begun now will be drawn.
  [[nodiscard]] GlobalInstant drawn_at() const { return global_now() + pace_.mean(); }

  const PanelConfig& config_;
  const GlobalClock& clock_;
  const SceneSlot& scenes_;
  PictureRing& ring_;
  TraceRecorder* const trace_;
  const ThreadPlace place_;
  const Callbacks callbacks_;

  DrawCancellation cancellation_;
  PaceMeter pace_;
  DetailRefinement refinement_;

  // The decode thread only.
  Composer composer_;
  FrameWait frame_wait_;
  TickDrawer drawer_;
  TickScheduler scheduler_;
  std::optional<DrawStopwatch> stopwatch_;  // made by that thread

  std::jthread thread_;  // last: stopped and joined before anything it uses
};

}  // namespace tilewall
