// Small pictures of what the panel last swapped, as JPEG, for clients that watch the wall. Without
// a watcher nothing is copied.
//
// Threads: the link's thread sets orders; the presenting thread hands over pictures. PanelPictures
// owns "pictures", a thread of least priority that makes them smaller and encodes them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stop_token>
#include <thread>
#include <vector>

#include "player/panel/sampled_rows.hpp"
#include "player/scene/watch_messages.hpp"
#include "sync/global_time.hpp"

namespace tilewall::panel {

/// The director's newest order for pictures. Any thread.
class WatchedBy {
 public:
  struct Order {
    scene::WatchOrder order;
    std::uint64_t number = 0;  ///< grows with each order
  };

  void set(const scene::WatchOrder& order) {
    const std::scoped_lock lock(mutex_);
    newest_ = {order, newest_.number + 1};
    number_ = order.pictures ? newest_.number : 0;
  }
  [[nodiscard]] Order newest() const {
    const std::scoped_lock lock(mutex_);
    return newest_;
  }
  /// Number of the newest order; 0 while nobody watches.
  [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

 private:
  mutable std::mutex mutex_;
  Order newest_;  // guarded by mutex_
  std::atomic<std::uint64_t> number_{0};
};

/// When the next picture is due. Pure.
class PicturePace {
 public:
  /// A new order: its first picture is due after its delay, but not earlier than the last picture's
  /// pause allows.
  void start(const scene::WatchOrder& order, LocalInstant now);
  /// A picture of that many bytes was taken at `at`.
  void add(const scene::WatchOrder& order, LocalInstant at, std::size_t bytes);
  [[nodiscard]] LocalInstant next() const noexcept { return next_; }
  /// When a picture may be taken that somebody waits for, as the scene has changed.
  [[nodiscard]] LocalInstant soonest() const noexcept { return soonest_; }

 private:
  LocalInstant next_;
  LocalInstant soonest_;
};

class PanelPictures {
 public:
  using Send = std::function<void(const nlohmann::json& json, std::vector<std::uint8_t> jpeg)>;

  /// `watched` outlives this object. `send` is called on the thread "pictures".
  PanelPictures(const WatchedBy& watched, Send send);

  // The presenting thread's.

  /// Notes that another picture was swapped; `is_changed`: it is the first one of its scene.
  void note_swapped(bool is_changed) noexcept {
    is_new_ = true;
    is_changed_ |= is_changed;
  }
  /// Whether the picture that was swapped last is to be handed over now.
  [[nodiscard]] bool wants(LocalInstant now) noexcept;
  /// Copies what is needed of the picture that was swapped last. Never waits: while another thread
  /// holds the lock nothing is taken, and wants() stays true. @pre wants(now)
  void take(const ImageView& picture, const present::Inset& inset, scene::SwappedPicture shown,
            LocalInstant now);

 private:
  struct Job {
    SampledRows rows;
    scene::SwappedPicture shown;
    scene::WatchOrder order;
    LocalInstant taken_at;
  };
  void run(const std::stop_token& stop);
  [[nodiscard]] std::optional<Job> next_job(const std::stop_token& stop);
  void finish(Job job, std::size_t bytes);
  void publish_pace();

  const WatchedBy& watched_;
  const Send send_;
  // Presenting thread only.
  bool is_new_ = false;                // since the last picture that was taken
  bool is_changed_ = false;            // a new scene was shown since then
  std::uint64_t answered_number_ = 0;  // number of the order that got its first picture
  std::uint64_t started_number_ = 0;   // number of the order that pace_ knows
  // Local instant in ns of the next picture, for a quick answer of wants(). It publishes nothing:
  // take() reads the rest under the lock.
  std::atomic<std::int64_t> next_ns_{0};
  std::atomic<std::int64_t> soonest_ns_{0};  // the same for the first picture of a scene
  std::mutex mutex_;
  std::condition_variable_any job_came_;
  PicturePace pace_;        // guarded by mutex_
  bool is_busy_ = false;    // guarded by mutex_; a picture is with the thread
  std::optional<Job> job_;  // guarded by mutex_
  SampledRows spare_;       // guarded by mutex_; memory for the next picture
  std::jthread thread_;     // last: stopped and joined before anything it uses
};

}  // namespace tilewall::panel
