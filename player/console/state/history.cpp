#include "player/console/state/history.hpp"

#include <cstdlib>

namespace tilewall::console {
namespace {

using Json = nlohmann::json;

/// The field's value; null where there is none.
Json value_of(const Json& object, const char* field) {
  const auto found = object.is_object() ? object.find(field) : object.end();
  return object.is_object() && found != object.end() ? *found : Json(nullptr);
}

}  // namespace

void History::add(const Json& status, std::int64_t at_utc_ms) {
  // The system's clock may be set while the show runs.
  if (std::abs(at_utc_ms - last_ms_) < every_ms) return;
  last_ms_ = at_utc_ms;
  const Json late = value_of(status, "frames_late");
  const auto before = frames_late_;
  if (late.is_number_integer()) frames_late_ = late.get<std::int64_t>();
  samples_.push_back({{"at_utc_ms", at_utc_ms},
                      {"fps", value_of(status, "fps")},
                      {"due_fps", value_of(status, "due_fps")},
                      {"late", before && frames_late_ > before ? *frames_late_ - *before : 0},
                      {"skew_p99_us", value_of(value_of(status, "skew_us"), "p99")},
                      {"light", value_of(status, "light")},
                      {"restarts", value_of(status, "restarts")}});
  if (samples_.size() > most) samples_.pop_front();
}

Json History::json() const {
  Json samples = Json::array();
  for (const Json& sample : samples_) samples.push_back(sample);
  return {{"every_s", static_cast<double>(every_ms) / 1000}, {"samples", std::move(samples)}};
}

}  // namespace tilewall::console
