#include "player/console/state/history.hpp"

#include <cstdlib>

namespace tilewall::console {

using Json = nlohmann::json;
using namespace nlohmann::literals;

void History::add(const Json& answer, std::int64_t at_utc_ms) {
  // The system's clock may be set while the show runs.
  if (std::abs(at_utc_ms - last_utc_ms_) < every_ms) return;
  last_utc_ms_ = at_utc_ms;
  static const Json nothing = Json::object();
  const Json& status = answer.is_object() ? answer : nothing;
  const Json late = status.value("frames_late", Json());
  const auto before = frames_late_;
  if (late.is_number_integer()) frames_late_ = late.get<std::int64_t>();
  samples_.push_back({{"at_utc_ms", at_utc_ms},
                      {"fps", status.value("fps", Json())},
                      {"due_fps", status.value("due_fps", Json())},
                      {"late", before && frames_late_ > before ? *frames_late_ - *before : 0},
                      {"skew_p99_us", status.value("/skew_us/p99"_json_pointer, Json())}});
  if (samples_.size() > most) samples_.pop_front();
}

Json History::json() const {
  Json samples = Json::array();
  for (const Json& sample : samples_) samples.push_back(sample);
  return {{"every_s", static_cast<double>(every_ms) / 1000}, {"samples", std::move(samples)}};
}

}  // namespace tilewall::console
