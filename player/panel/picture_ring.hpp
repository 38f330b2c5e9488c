// Decoded pictures between the decoder and the presenter: a fixed set of buffers, reused.
//
// A buffer goes free -> acquired by the decoder -> ready -> taken by the presenter -> free.
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

/// A picture in the ring; it owns buffer number `buffer` until that is released.
struct DecodedPicture {
  std::uint64_t epoch = 0;  ///< Scene::epoch it was decoded for
  std::int64_t tick = 0;
  std::int64_t frame = 0;
  std::uint64_t hash = 0;  ///< 0 unless hashes are asked for
  int level = 0;           ///< of the movie's pyramid that it was drawn from
  std::size_t buffer = 0;
  scene::FrameDamage damage = scene::FrameDamage::none;  ///< what it shows in place of the frame
  bool is_stale = false;  ///< of an earlier tick: the decoder was behind
  LocalInstant ready_at;  ///< when it was drawn
  bool is_again = false;  ///< better than one of its tick that was shown in time: does not count
  GlobalInstant not_before{Nanos::min()};  ///< when all panels show it, where that is later
};

/// Number of buffers for pictures of this size: as many as fit a fixed budget, at least three (one
/// shown, one ready, one being decoded).
[[nodiscard]] std::size_t ring_buffers(SizePx picture_px) noexcept;

/// One decoder and one presenter thread.
class PictureRing {
 public:
  PictureRing(SizePx picture_px, std::size_t buffers);

  [[nodiscard]] ImageView image(std::size_t buffer) const noexcept;

  /// The buffer freed longest ago; waits for one. Empty when `stop` was requested first.
  [[nodiscard]] std::optional<std::size_t> acquire(const std::stop_token& stop);
  void push(const DecodedPicture& picture);
  /// Frees an acquired buffer that was not drawn into.
  void give_back(std::size_t buffer);

  /// The oldest ready picture; waits up to `limit` for one. It stays in the ring until pop_front().
  [[nodiscard]] std::optional<DecodedPicture> front(std::chrono::milliseconds limit);
  /// The ready picture after the oldest; never waits.
  [[nodiscard]] std::optional<DecodedPicture> second();
  /// Frees the ready pictures of whom `outdated` holds, but the oldest: the presenter may have it.
  void drop_behind_front(const std::function<bool(const DecodedPicture&)>& outdated);
  /// How many pictures are ready.
  [[nodiscard]] std::size_t ready();
  [[nodiscard]] std::size_t buffers() const noexcept { return memory_.size(); }
  /// Frees the oldest ready picture's buffer.
  void pop_front();

 private:
  struct FreeDeleter {
    void operator()(std::uint8_t* memory) const noexcept;
  };
  const SizePx picture_px_;
  std::vector<std::unique_ptr<std::uint8_t[], FreeDeleter>> memory_;
  std::mutex mutex_;
  // Each has one thread that waits on it, so neither wakes the other one in vain.
  std::condition_variable_any has_free_;  // the decoder
  std::condition_variable has_ready_;     // the presenter
  std::deque<std::size_t> free_;          // guarded by mutex_
  std::deque<DecodedPicture> ready_;      // guarded by mutex_
};

/// A copy of the picture that a panel shows while nothing comes after it (a pause, the end), and
/// the hint that lies over it, so that it can be shown again with another hint, or without one.
///
/// Threads: the presenting thread's.
class HeldPicture {
 public:
  /// The picture was shown. Copies it where no tick of the scene follows, else forgets what is
  /// held.
  void note_shown(const DecodedPicture& picture, const ImageView& image, const scene::Scene& scene);

  /// What was shown has that hint over it; "" = none. `until`: when a hint goes.
  void note_hint(std::string hint, std::optional<GlobalInstant> until);

  [[nodiscard]] bool empty() const noexcept { return !picture_; }
  /// @pre not empty
  [[nodiscard]] const DecodedPicture& picture() const { return *picture_; }
  [[nodiscard]] ImageView image() const noexcept;
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }
  /// When the newest hint that was known goes.
  [[nodiscard]] GlobalInstant hint_until() const noexcept { return hint_until_; }

 private:
  std::optional<DecodedPicture> picture_;
  SizePx size_px_;
  mutable std::vector<std::uint8_t> pixels_;  // rows without gaps
  std::string hint_;
  GlobalInstant hint_until_;
};

}  // namespace tilewall::panel
