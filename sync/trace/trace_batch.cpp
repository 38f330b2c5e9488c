#include "sync/trace/trace_batch.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tilewall::sync {
namespace {

// Clocks are steered by less than this; a steeper line crosses a step of the axis.
constexpr double max_rate_ppb = 2e6;

/// Numbers the names that a batch uses, by their address. The same literal of two files may be
/// listed twice, which does no harm.
class NameTable {
 public:
  explicit NameTable(std::vector<std::string>& names) : names_(names) {}

  std::uint16_t index_of(const char* name) {
    const auto [found, is_new] =
        indexes_.try_emplace(name, static_cast<std::uint16_t>(names_.size()));
    if (is_new) names_.emplace_back(name);
    return found->second;
  }

 private:
  std::vector<std::string>& names_;
  std::map<const char*, std::uint16_t> indexes_;
};

}  // namespace

void TraceTimeMap::add(LocalInstant now, const ClockMapping& mapping) {
  points_.push_back({now, mapping});
  if (points_.size() > max_points) points_.pop_front();
}

GlobalInstant TraceTimeMap::to_global(LocalInstant local) const noexcept {
  const auto after =
      std::lower_bound(points_.begin(), points_.end(), local,
                       [](const Point& point, LocalInstant at) { return point.local < at; });
  if (after == points_.begin()) return after->mapping.to_global(local);
  const Point& from = *(after - 1);
  if (after == points_.end()) return from.mapping.to_global(local);
  const GlobalInstant from_global = from.mapping.to_global(from.local);
  const GlobalInstant to_global = after->mapping.to_global(after->local);
  const auto span_ns = static_cast<double>((after->local - from.local).count());
  const auto gained_ns =
      static_cast<double>(((to_global - from_global) - (after->local - from.local)).count());
  if (std::abs(gained_ns) * 1e9 > max_rate_ppb * span_ns) return after->mapping.to_global(local);
  const Nanos passed = local - from.local;
  const double share = static_cast<double>(passed.count()) / span_ns;
  return from_global + passed + Nanos(std::llround(gained_ns * share));
}

TraceBatch TraceCollector::collect(LocalInstant now, const ClockMapping& mapping,
                                   std::size_t max_events) {
  time_.add(now, mapping);
  TraceBatch batch;
  NameTable names(batch.names);
  for (TraceTrack* track : recorder_.tracks()) {
    taken_.clear();
    track->take(taken_, max_events - batch.events.size());
    for (const TraceEvent& event : taken_) {
      // Both ends are mapped in the same way, so spans that follow without a gap here do so there,
      // too.
      const GlobalInstant start = time_.to_global(event.start);
      const Nanos duration = time_.to_global(event.start + event.duration) - start;
      batch.events.push_back({start, duration, event.value, event.labels,
                              names.index_of(event.name), track->id(), event.kind});
    }
    batch.tracks.push_back({track->id(), track->name()});
    batch.dropped += track->dropped();
  }
  return batch;
}

}  // namespace tilewall::sync
