#include "player/director/statistics/played_time.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "sync/base/json_fields.hpp"

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

nlohmann::json PlayedTime::checkpoint() const {
  nlohmann::json intervals = nlohmann::json::array();
  for (const Interval& one : intervals_) intervals.push_back({one.begin_ns, one.end_ns});
  return {{"intervals", std::move(intervals)},
          {"forgotten_ns", forgotten_ns_},
          {"forgotten_end_ns", forgotten_end_ns_}};
}

void PlayedTime::restore(const nlohmann::json& checkpoint) {
  intervals_.clear();
  using Pairs = std::vector<std::vector<std::int64_t>>;
  for (const auto& pair : json_field<Pairs>(checkpoint, "intervals")) {
    expect_field(pair.size() == 2, "intervals", "[begin, end]");
    intervals_.push_back({pair[0], pair[1]});
  }
  forgotten_ns_ = json_field<std::int64_t>(checkpoint, "forgotten_ns");
  forgotten_end_ns_ = json_field<std::int64_t>(checkpoint, "forgotten_end_ns");
}

}  // namespace tilewall::director
