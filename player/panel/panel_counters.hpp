// Counters and logs that the panel's threads fill, and the link's thread sends to the director.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "player/scene/late.hpp"
#include "player/scene/messages.hpp"
#include "sync/global_time.hpp"

namespace tilewall::panel {

/// Late frames by cause. Any thread.
class LateCounter {
 public:
  /// Adds late frames of the epoch. @pre `cause` is decode, decoder or swap
  void add(scene::LateCause cause, std::uint64_t frames, std::uint64_t epoch) noexcept {
    // Pictures are drawn ahead, so an older epoch may come after a newer one.
    std::uint64_t newest = newest_epoch_.load(std::memory_order_relaxed);
    while (newest < epoch && !newest_epoch_.compare_exchange_weak(newest, epoch)) continue;
    counts_.at(static_cast<std::size_t>(cause)).fetch_add(frames, std::memory_order_relaxed);
  }

  [[nodiscard]] scene::LateCounts counts() const noexcept {
    const auto of = [&](scene::LateCause cause) {
      return counts_[static_cast<std::size_t>(cause)].load(std::memory_order_relaxed);
    };
    return {of(scene::LateCause::decode), of(scene::LateCause::decoder),
            of(scene::LateCause::swap)};
  }
  /// The newest epoch with a late frame; 0: none.
  [[nodiscard]] std::uint64_t newest_epoch() const noexcept { return newest_epoch_; }

 private:
  std::array<std::atomic<std::uint64_t>, 3> counts_{};
  std::atomic<std::uint64_t> newest_epoch_{0};
};

/// Measures when a changed scene arrived and when its first picture was drawn. The director learns
/// from it how far ahead a change has to be sent.
///
/// Threads: the link's thread calls received(), the decode thread calls drawn().
class ChangeStamp {
 public:
  /// Notes that a scene has arrived. Later scenes of the same epoch have the same pictures, and do
  /// not count.
  void received(std::uint64_t epoch, GlobalInstant at) {
    const std::scoped_lock lock(mutex_);
    if (epoch == newest_.epoch) return;
    newest_ = {epoch, at.since_epoch.count(), 0};
  }

  /// Notes that a picture of the epoch was drawn. Returns the stamps for the newest epoch's first
  /// picture, and nothing for others.
  [[nodiscard]] std::optional<scene::ChangeDrawn> drawn(std::uint64_t epoch, GlobalInstant at) {
    const std::scoped_lock lock(mutex_);
    if (epoch != newest_.epoch || newest_.ready_ns != 0) return std::nullopt;
    newest_.ready_ns = at.since_epoch.count();
    return newest_;
  }

 private:
  std::mutex mutex_;
  scene::ChangeDrawn newest_;  // guarded by mutex_; ready_ns is 0 until its first picture is drawn
};

/// The pictures of one epoch that were swapped since the last report.
struct ShownFrames {
  std::uint64_t epoch = 0;
  std::vector<scene::ShownFrame> frames;
};

/// The swaps since the last report. Bounded: without a director the later ones are dropped. Those
/// of the last 4 s are kept, for a director that was started again.
///
/// Threads: the presenting thread adds, the link's thread takes.
class ShownLog {
 public:
  /// The frames of the last seconds that were taken.
  struct Recent {
    std::vector<ShownFrames> groups;
    std::int64_t after_ns = 0;  ///< all frames with later stamps are there
  };

  void add(std::uint64_t epoch, const scene::ShownFrame& shown) {
    const std::scoped_lock lock(mutex_);
    if (groups_.empty() || groups_.back().epoch != epoch) {
      if (groups_.size() >= max_groups) return;
      groups_.push_back({epoch, {}});
    }
    if (groups_.back().frames.size() < max_frames) groups_.back().frames.push_back(shown);
  }

  [[nodiscard]] std::vector<ShownFrames> take() {
    const std::scoped_lock lock(mutex_);
    recent_.groups.insert(recent_.groups.end(), groups_.begin(), groups_.end());
    forget_old();
    return std::exchange(groups_, {});
  }
  /// The frames that take() has returned in the last 4 s.
  [[nodiscard]] Recent recent() const {
    const std::scoped_lock lock(mutex_);
    return recent_;
  }

 private:
  /// @pre mutex_ is held
  void forget_old() {
    if (recent_.groups.empty()) return;
    const std::int64_t newest_ns = recent_.groups.back().frames.back().stamp_ns;
    std::vector<ShownFrames>& groups = recent_.groups;
    for (ShownFrames& group : groups)
      std::erase_if(group.frames, [&](const scene::ShownFrame& shown) {
        if (shown.stamp_ns + kept_ns >= newest_ns) return false;
        recent_.after_ns = std::max(recent_.after_ns, shown.stamp_ns);
        return true;
      });
    std::erase_if(groups, [](const ShownFrames& group) { return group.frames.empty(); });
  }

  static constexpr std::int64_t kept_ns = 4'000'000'000;
  static constexpr std::size_t max_groups = 1000;
  static constexpr std::size_t max_frames = 100'000;
  mutable std::mutex mutex_;
  std::vector<ShownFrames> groups_;  // guarded by mutex_
  Recent recent_;                    // guarded by mutex_
};

}  // namespace tilewall::panel
