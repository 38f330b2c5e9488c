// What the presenter showed since the link last told the director.
#pragma once

#include <mutex>
#include <utility>
#include <vector>

#include "player/scene/messages.hpp"

namespace tilewall {

/// The swaps of one schedule.
struct ShownFrames {
  std::uint64_t schedule = 0;
  std::vector<ShownFrame> frames;
};

/// The presenter adds, the link takes. Bounded: while no director is there, later ones are dropped.
class ShownLog {
 public:
  void add(std::uint64_t schedule, const ShownFrame& shown) {
    const std::scoped_lock lock(mutex_);
    if (groups_.empty() || groups_.back().schedule != schedule) {
      if (groups_.size() >= max_groups) return;
      groups_.push_back({schedule, {}});
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

}  // namespace tilewall
