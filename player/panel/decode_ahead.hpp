// Decodes the pictures of the current scene ahead of their due instants into the ring.
//
// Threads: owns one, "decode": waits on the scene slot and on free buffers; stopped by its
// destructor.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <thread>

#include "player/movie/frames/picture_source.hpp"
#include "player/panel/picture_ring.hpp"
#include "player/panel/scene_slot.hpp"
#include "player/scene/messages.hpp"
#include "sync/trace/trace_recorder.hpp"

namespace tilewall {

/// What the decoder has done so far, over all sources it had open.
struct DecodeTotals {
  std::uint64_t read_bytes = 0;
  std::uint64_t decoded_px = 0;
  std::uint64_t decode_ns = 0;
  std::uint64_t damaged_blocks = 0;
  std::uint64_t damaged_frames = 0;
  int level = 0;                         ///< of the pyramid, drawn from last
  std::optional<DecoderStatus> decoder;  ///< of the source that is open, where it has one
};

class DecodeAhead {
 public:
  /// Called on the decode thread: after each picture, and once when a source cannot be opened.
  struct Callbacks {
    std::function<void(std::uint64_t schedule, std::int64_t tick)> ready;
    std::function<void(const std::string& line)> failed;
  };

  /// Everything referred to outlives this. `movies`: the host service's socket; `trace` may be
  /// null.
  DecodeAhead(const PanelConfig& config, std::filesystem::path movies, const GlobalClock& clock,
              const SceneSlot& scenes, PictureRing& ring, TraceRecorder* trace,
              Callbacks callbacks);

  /// Late policy slow: the first tick of `schedule` that this panel takes part in. Any thread; call
  /// it before the scene is set.
  void join_at(std::uint64_t schedule, std::int64_t tick);

  [[nodiscard]] DecodeTotals totals() const;

 private:
  void run(const std::stop_token& stop);
  void play(const Scene& scene, const std::stop_token& stop);
  void open(const Scene& scene, const std::stop_token& stop);
  [[nodiscard]] std::optional<std::size_t> wait_for_buffer(const std::stop_token& stop);
  /// What became of a tick. passed: nothing new is shown at it. interrupted: the scene changed, or
  /// nobody waits for that tick any more. But for shown, the buffer is as it was.
  enum class TickEnd { shown, passed, interrupted };
  [[nodiscard]] TickEnd play_tick(const Scene& scene, std::int64_t tick, std::size_t buffer,
                                  const std::stop_token& stop);
  /// Late policy drop, of a source that another process decodes.
  [[nodiscard]] TickEnd play_newest(const Scene& scene, std::int64_t tick, std::size_t buffer,
                                    const std::stop_token& stop);
  [[nodiscard]] TickEnd decode(const Scene& scene, std::int64_t tick, std::int64_t frame,
                               std::size_t buffer);
  [[nodiscard]] bool drops(const Timeline& timeline) const noexcept;
  [[nodiscard]] bool scene_ended(const std::stop_token& stop) const;
  [[nodiscard]] bool is_abandoned(const std::stop_token& stop) const;
  [[nodiscard]] std::int64_t next_tick(const Timeline& timeline, std::int64_t wanted) const;

  const PanelConfig& config_;
  const std::filesystem::path movies_;
  const GlobalClock& clock_;
  const SceneSlot& scenes_;
  PictureRing& ring_;
  TraceRecorder* const trace_;
  const Callbacks callbacks_;

  // decode thread only
  SourceSpec open_spec_;
  BezelMode open_bezels_ = BezelMode::show;
  std::uint64_t version_ = 0;  // of the scene that is decoded
  LocalInstant abandon_at_;    // until when the picture that is drawn may be waited for
  std::uint64_t schedule_ = 0;
  std::int64_t next_ = 0;
  std::optional<std::size_t> last_buffer_;
  Nanos mean_decode_{0};

  mutable std::mutex source_mutex_;
  std::unique_ptr<PictureSource>
      source_;                  // replaced under source_mutex_; drawn by the decode thread
  DecodeTotals closed_totals_;  // guarded by source_mutex_: of sources closed since
  std::atomic<std::uint64_t> join_schedule_{0};  // published before the scene that it belongs to
  std::atomic<std::int64_t> join_tick_{0};

  std::jthread thread_;  // last: stopped and joined before anything it uses
};

}  // namespace tilewall
