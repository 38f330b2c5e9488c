// Passes decoded pictures from the decode thread to the presenting thread in a fixed set of
// buffers.
//
// A buffer goes free -> acquired by the decode thread -> ready -> shown -> free.
//
// Threads: PictureRing locks for one decode thread and one presenting thread. HeldPicture has one
// owner, the presenting thread.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "player/scene/scene.hpp"
#include "player/scene/source_status.hpp"
#include "sync/global_time.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::panel {

/// A picture in the ring. It owns buffer number `buffer` until that is freed.
struct DecodedPicture {
  std::uint64_t epoch = 0;  ///< Scene::epoch it was decoded for
  std::int64_t tick = 0;
  std::int64_t frame = 0;  ///< frame of the scene's first region
  std::uint64_t hash = 0;  ///< XXH3-64 of the pixels; 0 unless hashes are asked for
  int level = 0;           ///< pyramid level that it was drawn from; 0: full size
  std::size_t buffer = 0;
  scene::FrameDamage damage = scene::FrameDamage::none;  ///< what it shows in place of the frame
  bool is_stale = false;  ///< an earlier tick's frame: the decoder was behind
  LocalInstant ready_at;  ///< when it was drawn
  bool is_again = false;  ///< better picture of a tick that was shown in time; not counted again
  GlobalInstant not_before{Nanos::min()};  ///< earliest instant to show it, where after its due
};

/// Whether the tick's picture stays until another scene takes effect.
[[nodiscard]] bool nothing_follows(const sync::TickGrid& tick_grid, std::int64_t tick) noexcept;

/// Number of buffers for pictures of this size: as many as fit into 64 MiB, within 3 (one shown,
/// one ready, one being decoded) and 8.
[[nodiscard]] std::size_t ring_buffers(SizePx picture_px) noexcept;

class PictureRing {
 public:
  /// Allocates all buffers. `picture_px` is the size in viewed orientation.
  PictureRing(SizePx picture_px, std::size_t buffers);

  /// A buffer's pixels: rows of BGRX without padding.
  [[nodiscard]] ImageView image(std::size_t buffer) const noexcept;

  /// The buffer freed longest ago, or given back. Blocks until there is one; empty when `stop` was
  /// requested first.
  [[nodiscard]] std::optional<std::size_t> acquire(const std::stop_token& stop);
  /// The same; empty also where there is none until `end`.
  [[nodiscard]] std::optional<std::size_t> acquire_until(LocalInstant end,
                                                         const std::stop_token& stop);
  /// Makes an acquired buffer's picture ready.
  void push(const DecodedPicture& picture);
  /// Frees an acquired buffer without a picture. It is acquired next, so that the picture that was
  /// drawn last, which repeats what is missing in the next one, is overwritten last.
  void give_back(std::size_t buffer);
  /// Frees an acquired buffer whose picture is not shown after all. It is acquired last, because it
  /// may be the picture that was drawn last.
  void drop(std::size_t buffer);

  /// The oldest ready picture; waits up to `limit` for one. It stays in the ring until pop_front().
  [[nodiscard]] std::optional<DecodedPicture> front(std::chrono::milliseconds limit);
  /// The ready picture after the oldest; never waits.
  [[nodiscard]] std::optional<DecodedPicture> second();
  /// Frees the ready pictures for which `outdated` is true, except the oldest one: the presenting
  /// thread may be using it.
  void drop_behind_front(const std::function<bool(const DecodedPicture&)>& outdated);
  /// How many pictures are ready.
  [[nodiscard]] std::size_t ready();
  [[nodiscard]] std::size_t buffers() const noexcept { return memory_.size(); }
  /// Frees the oldest ready picture's buffer.
  void pop_front();
  /// The same for a picture that was shown. Its buffer can be taken again until it is acquired.
  void pop_shown();
  /// Takes the free buffer that still holds the picture that was shown last; empty where the decode
  /// thread has acquired it since. To be given back by drop().
  [[nodiscard]] std::optional<std::size_t> take_shown();

 private:
  /// The buffer freed longest ago. @pre mutex_ is held, and there is one
  [[nodiscard]] std::size_t take_free();

  struct FreeDeleter {
    void operator()(std::uint8_t* memory) const noexcept;
  };
  const SizePx picture_px_;
  std::vector<std::unique_ptr<std::uint8_t[], FreeDeleter>> memory_;
  std::mutex mutex_;
  // Two variables with one waiting thread each, so that no thread is woken in vain.
  std::condition_variable_any has_free_;  // the decode thread waits
  std::condition_variable has_ready_;     // the presenting thread waits
  std::deque<std::size_t> free_;          // guarded by mutex_
  std::deque<DecodedPicture> ready_;      // guarded by mutex_
  std::optional<std::size_t> shown_;      // guarded by mutex_; holds the last picture shown
};

/// A copy of the picture that stays on a panel (a pause, the end), and the hint over it. With the
/// copy the picture can be shown again when the hint comes or goes.
///
/// Threads: one owner, the presenting thread.
class HeldPicture {
 public:
  /// Notes that the picture was shown. Copies it where no tick of the scene follows, and forgets
  /// the held one otherwise.
  void note_shown(const DecodedPicture& picture, const ImageView& image, const scene::Scene& scene);

  /// Notes the hint over the shown picture; "" = none. `until` is when the scene's hint ends.
  void note_hint(std::string hint, std::optional<GlobalInstant> until);

  [[nodiscard]] bool empty() const noexcept { return !picture_; }
  /// @pre not empty
  [[nodiscard]] const DecodedPicture& picture() const { return *picture_; }
  [[nodiscard]] ImageView image() const noexcept;
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }
  /// When the newest known hint ends.
  [[nodiscard]] GlobalInstant hint_until() const noexcept { return hint_until_; }

 private:
  std::optional<DecodedPicture> picture_;
  SizePx size_px_;
  mutable std::vector<std::uint8_t> pixels_;  // rows without gaps
  std::string hint_;
  GlobalInstant hint_until_;
};

}  // namespace tilewall::panel
