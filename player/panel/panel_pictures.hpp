// Small pictures of what the panel last swapped, as JPEG, for clients that watch the wall. Without
// a watcher nothing is copied.
//
// Threads: the link's thread sets orders; the presenting thread hands over pictures, and neither
// waits nor allocates for that. PanelPictures owns "pictures", a thread of least priority that
// makes them smaller and encodes them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stop_token>
#include <string>
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
  /// Empty while set() has the lock: the presenting thread does not wait for it.
  [[nodiscard]] std::optional<Order> try_newest() const {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    return lock ? std::optional(newest_) : std::nullopt;
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

  /// For a panel that shows pictures of `picture_px`. `watched` outlives this object. `send` is
  /// called on the thread "pictures".
  PanelPictures(const WatchedBy& watched, SizePx picture_px, Send send);

  // The presenting thread's.

  /// Notes that another picture was swapped; `is_changed`: it is the first one of its scene.
  void note_swapped(bool is_changed) noexcept {
    is_new_ = true;
    is_changed_ |= is_changed;
  }
  /// Whether the picture that was swapped last is to be handed over now. False while the thread
  /// "pictures" makes room for it, or is busy with the picture before it.
  [[nodiscard]] bool wants(LocalInstant now) noexcept;
  /// Copies what is needed of the picture that was swapped last, if wants().
  /// @pre `picture` has the size of the panel's pictures
  void take(const ImageView& picture, const present::Inset& inset, scene::SwappedPicture shown,
            LocalInstant now) noexcept;

 private:
  /// What the thread "pictures" does next.
  enum class Task {
    make_room,  // for rows of the job's size
    encode,     // the job's rows, and send them
    give_back,  // the memory, as nobody watches
  };
  struct Job {
    Task task = Task::make_room;
    SampledRows rows;
    scene::SwappedPicture shown;
    scene::WatchOrder order;
    LocalInstant used_at;  // when rows were last taken, or an order began
  };
  /// Who may touch the job.
  enum class Holder : int { presenting_thread, pictures_thread, nobody };

  [[nodiscard]] bool has_started_newest(LocalInstant now) noexcept;
  void hand_over(Task task) noexcept;
  void run(const std::stop_token& stop);
  void do_task();
  void encode();

  const WatchedBy& watched_;
  const SizePx picture_px_;
  const Send send_;
  // Presenting thread only.
  bool is_new_ = false;                // since the last picture that was taken
  bool is_changed_ = false;            // a new scene was shown since then
  std::uint64_t answered_number_ = 0;  // number of the order that got its first picture
  std::uint64_t started_number_ = 0;   // number of the order that the job is for
  // The holder's.
  Job job_;
  PicturePace pace_;
  // Storing it publishes job_ and pace_ to the other thread, whose load acquires them. Nobody holds
  // them once the thread is to end.
  std::atomic<Holder> holder_{Holder::presenting_thread};
  std::string trouble_;  // the pictures thread's: the last one that was logged
  std::jthread thread_;  // last: stopped and joined before anything it uses
};

}  // namespace tilewall::panel
