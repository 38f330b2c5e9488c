// What a panel counts and notes between two messages to the director.
#pragma once

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

class LateCounter {
 public:
  /// `cause`: decode, decoder or swap.
  void add(scene::LateCause cause, std::uint64_t frames) noexcept {
    counts_.at(static_cast<std::size_t>(cause)).fetch_add(frames, std::memory_order_relaxed);
  }

  [[nodiscard]] scene::LateCounts counts() const noexcept {
    const auto of = [&](scene::LateCause cause) {
      return counts_[static_cast<std::size_t>(cause)].load(std::memory_order_relaxed);
    };
    return {of(scene::LateCause::decode), of(scene::LateCause::decoder),
            of(scene::LateCause::swap)};
  }

 private:
  std::array<std::atomic<std::uint64_t>, 3> counts_{};
};

/// When a changed scene arrived and when its first picture was drawn, for the director.
///
/// Threads: the link calls received(), the decode thread calls drawn().
class ChangeStamp {
 public:
  /// A scene has arrived. Later scenes of the same epoch do not count: their pictures are the
  /// same.
  void received(std::uint64_t epoch, GlobalInstant at) {
    const std::scoped_lock lock(mutex_);
    if (epoch == newest_.epoch) return;
    newest_ = {epoch, at.since_epoch.count(), 0};
  }

  /// A picture of that epoch has been drawn. Empty unless it is the newest epoch's first one.
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

// What the presenter showed since the link last told the director.

/// The swaps of one epoch.
struct ShownFrames {
  std::uint64_t epoch = 0;
  std::vector<scene::ShownFrame> frames;
};

/// The presenter adds, the link takes. Bounded: while no director is there, later ones are dropped.
class ShownLog {
 public:
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
    return std::exchange(groups_, {});
  }

 private:
  static constexpr std::size_t max_groups = 1000;
  static constexpr std::size_t max_frames = 100'000;
  std::mutex mutex_;
  std::vector<ShownFrames> groups_;  // guarded by mutex_
};

}  // namespace tilewall::panel
