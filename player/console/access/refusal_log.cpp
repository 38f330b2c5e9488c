#include "player/console/access/refusal_log.hpp"

#include <fmt/format.h>

namespace tilewall::console {
namespace {

const Refusal further_ones{"others", "further requests", "various reasons"};

}  // namespace

std::optional<RefusalLog::Line> RefusalLog::add(const Refusal& refusal, Time now) {
  const bool has_room = kinds_.contains(refusal) || kinds_.size() < most_kinds;
  const Refusal& counted = has_room ? refusal : further_ones;
  const auto [kind, is_first] = kinds_.try_emplace(counted, Kind{now});
  if (is_first) return Line{counted};
  ++kind->second.further;
  return std::nullopt;
}

std::vector<RefusalLog::Line> RefusalLog::finished(Time now) {
  std::vector<Line> lines;
  std::erase_if(kinds_, [&](const auto& entry) {
    const auto& [refusal, kind] = entry;
    if (kind.since + counted_time > now) return false;
    if (kind.further > 0) lines.push_back({refusal, kind.further});
    return true;
  });
  return lines;
}

std::string result_of(const RefusalLog::Line& line) {
  return line.count == 1 ? fmt::format("refused: {}", line.refusal.why)
                         : fmt::format("refused {} times: {}", line.count, line.refusal.why);
}

}  // namespace tilewall::console
