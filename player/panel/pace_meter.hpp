// How long a panel takes for a picture: a mean that follows the newest ones.
//
// Threads: the decode thread writes, the link reads pace().
#pragma once

#include <algorithm>
#include <mutex>

#include "player/scene/late.hpp"
#include "sync/global_time.hpp"

namespace tilewall {

class PaceMeter {
 public:
  /// The coming pictures have this detail. Where it differs, the mean begins anew with the next
  /// one; until then it stays as the best that is known.
  void set_detail(int coarser_by) {
    const std::scoped_lock lock(mutex_);
    if (coarser_by != pace_.coarser_by) pace_.pictures = 0;
    pace_.coarser_by = coarser_by;
  }

  void add(Nanos took) {
    const std::scoped_lock lock(mutex_);
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

  mutable std::mutex mutex_;
  DrawPace pace_;  // guarded by mutex_
};

}  // namespace tilewall
