#include "sync/timeline/shown_ticks.hpp"

#include <algorithm>
#include <utility>

namespace tilewall::sync {
namespace {

// Far above any tick of a show, and a stride more is still a 64-bit number.
constexpr std::int64_t max_tick = std::int64_t{1} << 61;

bool well_formed(const TickStride& stride) {
  return stride.from >= 0 && stride.first >= stride.from && stride.first <= max_tick &&
         stride.every >= 1 && stride.every <= ShownTicks::max_every;
}

/// The next tick of one stride, regardless of other strides. @pre tick >= stride.from
std::int64_t next_of(const TickStride& stride, std::int64_t tick) {
  if (tick <= stride.first) return stride.first;
  return stride.first + (tick - stride.first + stride.every - 1) / stride.every * stride.every;
}

}  // namespace

/// The number of strides that begin at `tick` or before.
std::size_t ShownTicks::stride_end_at(std::int64_t tick) const noexcept {
  std::size_t end = strides_.size();
  while (end > 0 && strides_[end - 1].from > tick) --end;
  return end;
}

void ShownTicks::change(const TickStride& next) {
  std::erase_if(strides_, [&](const TickStride& one) { return one.from >= next.from; });
  strides_.push_back(next);
  if (strides_.size() > max_strides) strides_.erase(strides_.begin());
}

std::int64_t ShownTicks::next(std::int64_t tick) const noexcept {
  for (std::size_t end = stride_end_at(tick);; ++end) {
    const std::int64_t found = end == 0 ? tick : next_of(strides_[end - 1], tick);
    if (end == strides_.size() || found < strides_[end].from) return found;
    tick = strides_[end].from;
  }
}

std::int64_t ShownTicks::count(std::int64_t begin, std::int64_t end) const noexcept {
  std::int64_t sum = 0;
  for (std::int64_t tick = next(begin); tick < end; tick = next(tick + 1)) ++sum;
  return sum;
}

std::int64_t ShownTicks::every_at(std::int64_t tick) const noexcept {
  const std::size_t end = stride_end_at(tick);
  return end == 0 ? 1 : strides_[end - 1].every;
}

bool ShownTicks::assign(std::vector<TickStride> strides) {
  const auto ascends = [](const TickStride& a, const TickStride& b) { return a.from >= b.from; };
  if (strides.size() > max_strides || !std::all_of(strides.begin(), strides.end(), well_formed) ||
      std::adjacent_find(strides.begin(), strides.end(), ascends) != strides.end())
    return false;
  strides_ = std::move(strides);
  return true;
}

}  // namespace tilewall::sync
