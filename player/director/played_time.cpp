#include "player/director/played_time.hpp"

#include <algorithm>

namespace tilewall::director {
namespace {

constexpr std::size_t max_intervals = 256;

}  // namespace

void PlayedTime::end_at(std::int64_t at_ns) {
  while (!intervals_.empty() && intervals_.back().begin_ns >= at_ns) intervals_.pop_back();
  if (!intervals_.empty()) intervals_.back().end_ns = std::min(intervals_.back().end_ns, at_ns);
}

void PlayedTime::play(std::int64_t at_ns) {
  end_at(at_ns);
  if (!intervals_.empty() && intervals_.back().end_ns == at_ns)
    intervals_.back().end_ns = Interval{}.end_ns;  // without a pause the last interval goes on
  else
    intervals_.push_back({at_ns});
  if (intervals_.size() <= max_intervals) return;
  const Interval oldest = intervals_.front();
  intervals_.pop_front();
  forgotten_end_ns_ = oldest.end_ns;
  forgotten_ns_ += oldest.end_ns - oldest.begin_ns;
}

void PlayedTime::stand(std::int64_t at_ns) { end_at(at_ns); }

std::int64_t PlayedTime::played_ns(std::int64_t from_ns, std::int64_t until_ns) const noexcept {
  // Only the rate of the whole show reaches back to forgotten intervals, and it needs their sum.
  std::int64_t sum = from_ns < forgotten_end_ns_ ? forgotten_ns_ : 0;
  for (const Interval& one : intervals_)
    sum +=
        std::max<std::int64_t>(0, std::min(one.end_ns, until_ns) - std::max(one.begin_ns, from_ns));
  return sum;
}

}  // namespace tilewall::director
