// Measures how long a panel takes for a picture: an exponential mean, and the median of the newest
// pictures.
//
// Threads: the decode thread adds pictures, the link's thread reads pace().
#pragma once

#include <algorithm>
#include <array>
#include <mutex>

#include "player/scene/late.hpp"
#include "sync/global_time.hpp"

namespace tilewall::panel {

class PaceMeter {
 public:
  /// Sets the detail of the coming pictures (Scene::coarser_by). Where it changes, mean and median
  /// begin anew with the next picture; until then the old values stay as an estimate.
  void set_detail(int coarser_by) {
    const std::scoped_lock lock(mutex_);
    if (coarser_by != pace_.coarser_by) pace_.pictures = added_ = 0;
    pace_.coarser_by = coarser_by;
  }

  /// The cost of one picture.
  struct Cost {
    Nanos took{0};           ///< wall-clock time of the drawing
    Nanos process_cpu{0};    ///< CPU time of this process
    Nanos thread_cpu{0};     ///< CPU time of the drawing thread
    Nanos waited{0};         ///< the drawing thread's wait for a CPU during the drawing
    Nanos waited_before{0};  ///< Wait for a CPU between the last picture and this one
  };

  /// Adds a picture. `counts`: it goes into the mean, because the show has started.
  void add(const Cost& cost, bool counts) {
    const std::scoped_lock lock(mutex_);
    newest_[added_++ % newest_.size()] = cost;
    set_median();
    if (!counts) return;
    ++pace_.pictures;
    const auto weight = static_cast<std::int64_t>(std::min(pace_.pictures, mean_of));
    pace_.mean_ns += (cost.took.count() - pace_.mean_ns) / weight;
  }

  [[nodiscard]] Nanos mean() const { return Nanos(pace().mean_ns); }

  [[nodiscard]] scene::DrawPace pace() const {
    const std::scoped_lock lock(mutex_);
    return pace_;
  }

 private:
  static constexpr std::uint64_t mean_of = 8;  // pictures; the newest has a weight of 1/8
  static constexpr std::size_t median_of = 5;

  void set_median() {
    const std::size_t count = std::min<std::size_t>(added_, median_of);
    std::array<std::int64_t, median_of> times{};
    pace_.cpu_ns = newest_[0].process_cpu.count();
    pace_.ran_ns = pace_.waited_ns = 0;
    for (std::size_t i = 0; i < count; ++i) {
      times[i] = (newest_[i].took + newest_[i].waited_before).count();
      pace_.cpu_ns = std::min<std::int64_t>(pace_.cpu_ns, newest_[i].process_cpu.count());
      pace_.ran_ns += newest_[i].thread_cpu.count();
      pace_.waited_ns += newest_[i].waited.count();
    }
    const auto middle = times.begin() + (count - 1) / 2;  // the lower median of an even count
    std::nth_element(times.begin(), middle, times.begin() + count);
    pace_.median_ns = *middle;
    pace_.median_of = count;
  }

  mutable std::mutex mutex_;
  scene::DrawPace pace_;                  // guarded by mutex_
  std::array<Cost, median_of> newest_{};  // guarded by mutex_; a ring
  std::size_t added_ = 0;                 // guarded by mutex_
};

}  // namespace tilewall::panel
