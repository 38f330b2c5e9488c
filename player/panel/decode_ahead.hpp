// Draws the pictures of the current scene into the ring, ahead of their due instants. This class
// owns the thread and calls its parts in order: TickScheduler chooses ticks, FrameWait waits for
// the host's decoder, TickDrawer draws, DetailRefinement has volumes drawn finer, LiveAhead keeps
// the next timesteps of live sources until their instants, ArmedScene draws the first pictures of
// the scene that may be shown next while the running one leaves the time.
//
// Threads: owns one, "decode". It waits on the scene slot and on free buffers; the destructor stops
// it.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>

#include "player/panel/armed_scene.hpp"
#include "player/panel/composer.hpp"
#include "player/panel/detail_refinement.hpp"
#include "player/panel/draw_cancellation.hpp"
#include "player/panel/draw_stopwatch.hpp"
#include "player/panel/frame_wait.hpp"
#include "player/panel/live_ahead.hpp"
#include "player/panel/pace_meter.hpp"
#include "player/panel/picture_ring.hpp"
#include "player/panel/scene_slot.hpp"
#include "player/panel/tick_drawer.hpp"
#include "player/panel/tick_scheduler.hpp"
#include "player/scene/messages.hpp"
#include "sync/base/thread_place.hpp"
#include "sync/trace/trace_recorder.hpp"

namespace tilewall::panel {

/// When a picture was drawn: one that was armed tells nothing about the time that a change takes.
enum class DrawnWhen { now, before_the_scene };

class DecodeAhead {
 public:
  /// Called on the decode thread.
  struct Callbacks {
    /// A picture of the tick is ready.
    std::function<void(std::uint64_t epoch, std::int64_t tick, DrawnWhen when)> ready;
    /// The scene's pictures cannot be drawn, because a source of the show's first scene does not
    /// open.
    std::function<void(const std::exception& error)> failed;
    /// A later scene's source cannot be opened; `line` is for people.
    std::function<void(const std::string& line)> problem;
    /// So many frames of the epoch were left out, or not new.
    std::function<void(scene::LateCause cause, std::int64_t frames, std::uint64_t epoch)> late;
    /// detail() has changed in a way that the director waits for.
    std::function<void()> detail_news;
    /// The next timestep of a live source is drawn, and waits for its instant.
    std::function<void(const scene::LiveDrawn& drawn)> live_drawn;
    /// How far the scene has got that may be shown next.
    std::function<void(const scene::ArmedReport& report)> armed;
  };

  /// CPUs and memory of the threads that decode, and of those that receive from servers.
  struct Places {
    ThreadPlace decode;
    ThreadPlace receive;
  };

  /// Everything referred to outlives this object. `movies` is the host service's socket; `trace`
  /// may be null.
  DecodeAhead(const scene::PanelConfig& config, const std::filesystem::path& movies,
              const GlobalClock& clock, const SceneSlot& scenes, PictureRing& ring,
              sync::TraceRecorder* trace, const Places& places, Callbacks callbacks);

  /// Starts the thread. To be called once.
  void start();

  // Any thread.
  [[nodiscard]] DecodeTotals totals() const { return composer_.totals(); }
  [[nodiscard]] scene::DrawPace pace() const { return pace_.pace(); }
  [[nodiscard]] std::vector<scene::RegionStay> regions() const { return drawer_.stays().report(); }
  [[nodiscard]] scene::DetailReport detail() const { return refinement_.report(); }

 private:
  /// Sources are opened for the modes of the wall of the scene that `shown_by` returns.
  [[nodiscard]] SourceCache::Open source_opener(const std::filesystem::path& movies,
                                                const ThreadPlace& receiver,
                                                std::function<ScenePtr()> shown_by);
  /// Waits for a scene or timestep that is not drawn yet; null where the thread has to stop.
  [[nodiscard]] ScenePtr next_scene(const std::stop_token& stop);
  void run(const std::stop_token& stop);
  void begin(const scene::Scene& scene);
  void play(const scene::Scene& scene, const std::stop_token& stop);
  /// Announces to sources the ticks from `following` on.
  void look_ahead(const scene::Scene& scene, std::int64_t following);
  /// Goes on with the picture that stays in a pause: live timesteps and better pictures follow it.
  void stay(const scene::Scene& scene, const std::stop_token& stop);
  /// Draws the last picture again once the decoder has a missing frame, or finer volumes are
  /// loaded. Returns when nothing better is to be expected, another scene is needed, or it is
  /// `until`.
  void improve_last(const scene::Scene& scene, LocalInstant until, const std::stop_token& stop);
  /// Whether the last picture was drawn without a source that is late or cannot be opened.
  [[nodiscard]] bool last_lacks_any() const noexcept;
  [[nodiscard]] bool is_better_soon(const scene::Scene& scene, const RegionFrames& frames);
  /// Draws the next timesteps of live sources over the picture that stays, and shows those whose
  /// instant is known. False: one could not be drawn, because the host's caster does not have it or
  /// is gone. It is to be tried again.
  [[nodiscard]] bool step_live(const scene::Scene& scene, std::int64_t tick,
                               const std::stop_token& stop);
  /// Takes the newest timesteps of live sources.
  void take_live();
  /// Notes that a timestep was passed to the ring which replaces a deferred finer picture.
  void note_live_shown(const scene::Scene& scene, std::int64_t tick);
  /// The regions' frames at a tick; where its picture stays, those of the present once it is due.
  [[nodiscard]] RegionFrames frames_of(const scene::Scene& scene, std::int64_t tick) const;
  /// Waits for a free buffer, and works on the armed scene meanwhile.
  [[nodiscard]] std::optional<std::size_t> wait_for_buffer(const scene::Scene& scene,
                                                           const std::stop_token& stop);
  /// Waits until the tick is no longer far, or a newer scene or timestep comes.
  void wait_while_far(const scene::Scene& scene, std::int64_t tick, const std::stop_token& stop);
  /// Waits for a version above `version` or other timesteps until `end` at most, and works on the
  /// armed scene meanwhile.
  void wait_for_news(std::uint64_t version, LocalInstant end, const std::stop_token& stop);
  /// Whether nothing that the running show needs is waiting to be drawn.
  [[nodiscard]] bool may_arm() const;
  /// Works on the armed scene if it has something to do now, and the running show does not need
  /// the thread before `end`. Returns whether it has.
  bool arm(LocalInstant end);
  /// When the thread has to go on with the scene's next tick.
  [[nodiscard]] LocalInstant free_until(const scene::Scene& scene) const;
  /// Takes over what is armed, if the scene that begins is the armed one.
  void take_armed(const scene::Scene& scene);
  /// The armed picture that the tick shows; null where it has to be drawn.
  [[nodiscard]] const ArmedPicture* armed_picture(const scene::Scene& scene, std::int64_t tick,
                                                  const RegionFrames& frames);
  // On any return value but `available` the caller still owns the buffer.
  [[nodiscard]] TickPicture play_tick(const scene::Scene& scene, std::int64_t tick,
                                      std::size_t buffer);
  [[nodiscard]] TickPicture draw(const scene::Scene& scene, std::int64_t tick,
                                 const RegionFrames& frames, std::size_t buffer,
                                 DrawPurpose purpose, const ArmedPicture* armed = nullptr);
  [[nodiscard]] bool is_far(const sync::TickGrid& tick_grid, std::int64_t tick) const;
  [[nodiscard]] GlobalInstant global_now() const;
  /// When a picture that is begun now will be drawn.
  [[nodiscard]] GlobalInstant drawn_at() const { return global_now() + pace_.mean(); }

  const scene::PanelConfig& config_;
  const GlobalClock& clock_;
  const SceneSlot& scenes_;
  PictureRing& ring_;
  sync::TraceRecorder* const trace_;
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
  LiveAhead live_;
  ArmedScene armed_;
  std::size_t armed_ticks_ = 0;             // so many next ticks may show an armed picture
  std::optional<DrawStopwatch> stopwatch_;  // made by that thread

  std::jthread thread_;  // last: stopped and joined before anything it uses
};

}  // namespace tilewall::panel
