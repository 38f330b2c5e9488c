// Decodes the pictures of the current scene ahead of their due instants into the ring.
//
// Threads: owns one, "decode": waits on the scene slot and on free buffers; stopped by its
// destructor.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>

#include "player/movie/frames/draw_memory.hpp"
#include "player/movie/staging/stage_budget.hpp"
#include "player/panel/composer.hpp"
#include "player/panel/pace_meter.hpp"
#include "player/panel/picture_ring.hpp"
#include "player/panel/scene_slot.hpp"
#include "player/scene/messages.hpp"
#include "sync/base/run_queue.hpp"
#include "sync/base/thread_place.hpp"
#include "sync/trace/trace_recorder.hpp"

namespace tilewall {

class DecodeAhead {
 public:
  /// Called on the decode thread: after each picture; once when the show's first pictures cannot be
  /// drawn; with a line for people when a source that came later cannot be opened; for ticks
  /// that are left out; and when detail() has become ready, or has come.
  struct Callbacks {
    std::function<void(std::uint64_t schedule, std::int64_t tick)> ready;
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
  DecodeAhead(const PanelConfig& config, std::filesystem::path movies, const GlobalClock& clock,
              const SceneSlot& scenes, PictureRing& ring, TraceRecorder* trace, Places places,
              Callbacks callbacks);

  /// Begins to decode, once it is known where to join a scene that is there already.
  void start();

  /// Late policy slow: the first tick of `schedule` that this panel takes part in. Any thread; call
  /// it before the scene is set, or before start().
  void join_at(std::uint64_t schedule, std::int64_t tick);

  [[nodiscard]] DecodeTotals totals() const { return composer_.totals(); }
  [[nodiscard]] DrawPace pace() const { return pace_.pace(); }
  [[nodiscard]] DetailReport detail() const {
    const std::scoped_lock lock(detail_mutex_);
    return detail_;
  }

 private:
  using Frames = std::vector<std::int64_t>;  // of each region of the scene

  void run(const std::stop_token& stop);
  void begin(const Scene& scene);
  void play(const Scene& scene, const std::stop_token& stop);
  void look_ahead(const Scene& scene, std::int64_t following);
  /// The tick, `tick` or later, at which a panel that is behind the others goes on: the host's
  /// decoder, which has passed what was due before, need not go back for it.
  [[nodiscard]] std::int64_t joined_tick(const Scene& scene, std::int64_t tick);
  /// The same for one region's part of the picture.
  [[nodiscard]] std::int64_t joined_tick(const Scene& scene, std::int64_t tick,
                                         const RegionPart& part);
  /// A picture that stays is drawn again once a decoder gives what it did not give in time, or once
  /// what was provisional of it is there. Where several hosts show that together, it is held until
  /// the scene says from when on.
  void mend(const Scene& scene, const std::stop_token& stop);
  [[nodiscard]] bool is_better_soon(const Scene& scene, const Frames& frames);
  void show_held(const Scene& scene);
  void drop_held();
  [[nodiscard]] bool can_mend(const Scene& scene, const Frames& frames);
  [[nodiscard]] std::unique_ptr<PictureSource> open(const SourceSpec& spec) const;
  [[nodiscard]] std::optional<std::size_t> wait_for_buffer(const std::stop_token& stop);
  /// Whether the tick is due too far ahead to be drawn yet.
  [[nodiscard]] bool is_far(const Scene& scene, std::int64_t tick) const;
  /// Waits until that is over, or a newer scene comes.
  void wait_while_far(const Scene& scene, std::int64_t tick, const std::stop_token& stop) const;
  /// What became of a tick. passed: nothing new is shown at it. interrupted: the scene changed, or
  /// nobody waits for that tick any more. But for shown, the buffer is as it was.
  enum class TickEnd { shown, passed, interrupted };
  [[nodiscard]] TickEnd play_tick(const Scene& scene, std::int64_t tick, std::size_t buffer,
                                  const std::stop_token& stop);
  /// Late policy drop: of sources that another process decodes, waits for what the tick shows.
  /// shown: `frames` are what is to be drawn.
  [[nodiscard]] TickEnd await_frames(const Scene& scene, std::int64_t tick, Frames& frames,
                                     const std::stop_token& stop);
  /// Of one region. passed: what is shown stays.
  [[nodiscard]] TickEnd await_frame(const Scene& scene, const Region& region, std::int64_t tick,
                                    std::int64_t& frame, const std::stop_token& stop);
  /// mended: the tick's picture was shown damaged, and a better one takes its place; refined: with
  /// coarser volumes than there are now.
  enum class Purpose { next, mended, refined };
  [[nodiscard]] TickEnd decode(const Scene& scene, std::int64_t tick, const Frames& frames,
                               std::size_t buffer, Purpose purpose = Purpose::next);
  /// Whether that is what was drawn last, and needs no drawing.
  [[nodiscard]] bool is_drawn(const Composition& composition, TickDetail detail) const;
  [[nodiscard]] TickDetail detail_of(const Scene& scene, std::int64_t tick, Purpose purpose) const;
  void note_detail(const Scene& scene, std::int64_t tick, Purpose purpose);
  [[nodiscard]] DrawStatus draw(const Composition& composition, std::size_t buffer,
                                TickDetail detail);
  [[nodiscard]] bool drops(const TickGrid& beat) const noexcept;
  /// Whether a newer scene is shown when the tick that is decoded is due.
  [[nodiscard]] bool superseded() const;
  [[nodiscard]] bool scene_ended(const std::stop_token& stop) const;
  [[nodiscard]] bool is_abandoned() const;
  [[nodiscard]] std::int64_t next_tick(const Scene& scene, std::int64_t wanted) const;

  const PanelConfig& config_;
  const std::filesystem::path movies_;
  const GlobalClock& clock_;
  const SceneSlot& scenes_;
  PictureRing& ring_;
  TraceRecorder* const trace_;
  const Places places_;
  const Callbacks callbacks_;
  const std::shared_ptr<StageBudget> stage_budget_;

  // Of the picture that is drawn; asked by sources that are opened ahead, too.
  std::atomic<std::uint64_t> version_{0};
  std::atomic<std::uint64_t> schedule_{0};
  std::atomic<std::int64_t> due_ns_{0};         // global: of the tick
  std::atomic<std::int64_t> abandon_at_ns_{0};  // local: until when it may be waited for
  std::atomic<bool> stopping_{false};

  PaceMeter pace_;
  mutable std::mutex detail_mutex_;
  DetailReport detail_;  // guarded by detail_mutex_

  // decode thread only
  std::optional<ThreadRunQueue> run_queue_;  // of that thread
  Nanos waited_at_end_{0};                   // its run-queue wait when it ended the last picture
  const DrawMemoryPtr draw_memory_ = std::make_shared<DrawMemory>();
  Composer composer_;
  std::int64_t next_ = 0;
  bool is_behind_ = false;  // it joined a show that goes on, or left ticks out, and drew none since
  Frames last_frames_;      // of the scene's newest picture; empty before the first
  Composition last_drawn_;  // what last_buffer_ holds; empty where that is not of this scene
  DrawStatus last_status_ = DrawStatus::whole;
  bool better_comes_ = false;                    // of it, as the composer says
  FrameDamage last_damage_ = FrameDamage::none;  // likewise
  TickDetail last_detail_;
  std::optional<DecodedPicture> held_;  // its buffer is in no queue; of schedule_
  bool joined_shown_ = false;  // the schedule's details were shown when this panel joined it
  LocalInstant decoded_at_;    // when that began
  std::uint64_t last_hash_ = 0;
  std::optional<std::size_t> last_buffer_;

  std::atomic<std::uint64_t> join_schedule_{0};  // published before the scene that it belongs to
  std::atomic<std::int64_t> join_tick_{0};

  std::jthread thread_;  // last: stopped and joined before anything it uses
};

}  // namespace tilewall
