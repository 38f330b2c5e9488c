// How long a panel takes for a picture: a mean that follows the newest ones, and their median.
//
// Threads: the decode thread writes, the link reads pace().
#pragma once

#include <algorithm>
#include <array>
#include <mutex>

#include "player/scene/late.hpp"
#include "sync/global_time.hpp"

namespace tilewall {

class PaceMeter {
 public:
  /// The coming pictures have this detail. Where it differs, mean and median begin anew with the
  /// next one; until then they stay as the best that is known.
  void set_detail(int coarser_by) {
    const std::scoped_lock lock(mutex_);
    if (coarser_by != pace_.coarser_by) pace_.pictures = added_ = 0;
    pace_.coarser_by = coarser_by;
  }

  /// A picture. `cpu`: the computing time of this process. `counts`: it goes into the mean, as the
  /// show has started.
  void add(Nanos took, Nanos cpu, bool counts) {
    const std::scoped_lock lock(mutex_);
    newest_[added_++ % newest_.size()] = {took.count(), cpu.count()};
    set_median();
    if (!counts) return;
    ++pace_.pictures;
    const auto weight = static_cast<std::int64_t>(std::min(pace_.pictures, mean_of));
    pace_.mean_ns += (took.count() - pace_.mean_ns) / weight;
  }

  [[nodiscard]] Nanos mean() const { return Nanos(pace().mean_ns); }

  [[nodiscard]] DrawPace pace() const {
    const std::scoped_lock lock(mutex_);
    return pace_;
  }

 private:
  static constexpr std::uint64_t mean_of = 8;  // the mean follows over about so many pictures
  static constexpr std::size_t median_of = 5;

  struct Picture {
    std::int64_t took_ns = 0;
    std::int64_t cpu_ns = 0;
  };

  void set_median() {
    const std::size_t count = std::min<std::size_t>(added_, median_of);
    std::array<std::int64_t, median_of> times{};
    pace_.cpu_ns = newest_[0].cpu_ns;
    for (std::size_t i = 0; i < count; ++i) {
      times[i] = newest_[i].took_ns;
      pace_.cpu_ns = std::min(pace_.cpu_ns, newest_[i].cpu_ns);
    }
    const auto middle = times.begin() + (count - 1) / 2;  // of two the smaller
    std::nth_element(times.begin(), middle, times.begin() + count);
    pace_.median_ns = *middle;
    pace_.median_of = count;
  }

  mutable std::mutex mutex_;
  DrawPace pace_;                            // guarded by mutex_
  std::array<Picture, median_of> newest_{};  // guarded by mutex_; a ring
  std::size_t added_ = 0;                    // guarded by mutex_
};

}  // namespace tilewall
