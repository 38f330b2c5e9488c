#include "sync/trace/trace_track.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace tilewall {

TraceTrack::TraceTrack(std::uint16_t id, std::string name, std::size_t capacity)
    : id_(id),
      name_(std::move(name)),
      events_(std::bit_ceil(std::max<std::size_t>(capacity, 1))),
      mask_(events_.size() - 1) {}

void TraceTrack::put(const TraceEvent& event) noexcept {
  const std::uint64_t written = written_.load(std::memory_order_relaxed);
  if (written - taken_.load(std::memory_order_acquire) == events_.size()) {
    dropped_.store(dropped_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    return;
  }
  events_[written & mask_] = event;
  written_.store(written + 1, std::memory_order_release);
}

void TraceTrack::take(std::vector<TraceEvent>& to, std::size_t limit) {
  const std::uint64_t taken = taken_.load(std::memory_order_relaxed);
  const std::uint64_t written = written_.load(std::memory_order_acquire);
  const std::uint64_t end = taken + std::min<std::uint64_t>(written - taken, limit);
  for (std::uint64_t i = taken; i < end; ++i) to.push_back(events_[i & mask_]);
  taken_.store(end, std::memory_order_release);
}

}  // namespace tilewall
