#include "player/director/lateness/late_log.hpp"

#include <nlohmann/json.hpp>

#include "sync/base/json_fields.hpp"

namespace tilewall::director {
namespace {

constexpr std::size_t max_events = 1000;
constexpr double merged_s = 1;

/// Throws InputError where there is none of that name.
scene::LateCause cause_named(const std::string& name) {
  const auto cause = scene::parse_late_cause(name);
  expect_field(cause.has_value(), "cause", "a cause of late frames");
  return *cause;
}

}  // namespace

bool LateLog::add(const LateEvent& event) {
  last_[event.panel] = event.cause;
  if (event.frames > 0) frames_[event.panel][event.cause] += event.frames;
  const auto [found, is_first] = open_.try_emplace({event.panel, event.cause});
  Open& open = found->second;
  if (!is_first && event.at_s < open.at_s + merged_s) {
    if (open.index) events_[*open.index].frames += event.frames;
    return false;
  }
  open = {event.at_s, std::nullopt};
  if (events_.size() >= max_events) {
    ++left_out_;
    return true;
  }
  open.index = events_.size();
  events_.push_back(event);
  return true;
}

std::optional<scene::LateCause> LateLog::last_cause(const std::string& panel) const {
  const auto found = last_.find(panel);
  return found != last_.end() ? std::optional(found->second) : std::nullopt;
}

LateByCause LateLog::frames_of(const std::string& panel) const {
  const auto found = frames_.find(panel);
  return found != frames_.end() ? found->second : LateByCause{};
}

nlohmann::json LateLog::checkpoint() const {
  nlohmann::json events = nlohmann::json::array();
  for (const LateEvent& event : events_)
    events.push_back({{"at_s", event.at_s},
                      {"panel", event.panel},
                      {"cause", std::string(scene::to_string(event.cause))},
                      {"frames", event.frames},
                      {"level", event.level},
                      {"every", event.every_nth_tick}});
  nlohmann::json frames = nlohmann::json::object();
  for (const auto& [panel, by_cause] : frames_) frames[panel] = to_json(by_cause);
  return {{"events", std::move(events)}, {"left_out", left_out_}, {"frames", std::move(frames)}};
}

void LateLog::restore(const nlohmann::json& checkpoint) {
  events_.clear();
  for (const auto& one : json_field<std::vector<nlohmann::json>>(checkpoint, "events")) {
    const scene::LateCause cause = cause_named(json_field<std::string>(one, "cause"));
    events_.push_back({json_field<double>(one, "at_s"), json_field<std::string>(one, "panel"),
                       cause, json_field<std::uint64_t>(one, "frames"),
                       json_field<int>(one, "level"), json_field<std::int64_t>(one, "every")});
    last_[events_.back().panel] = cause;
  }
  frames_.clear();
  const auto frames = json_field<nlohmann::json>(checkpoint, "frames");
  for (const auto& [panel, by_cause] : frames.items())
    for (const auto& [cause, count] : by_cause.items())
      frames_[panel][cause_named(cause)] = json_field<std::uint64_t>(by_cause, cause.c_str());
  left_out_ = json_field<std::uint64_t>(checkpoint, "left_out");
}

nlohmann::json to_json(const LateByCause& frames) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [cause, count] : frames) json[std::string(scene::to_string(cause))] = count;
  return json;
}

nlohmann::json to_json(const LateEvent& event, const std::string& policy) {
  return {{"at_s", event.at_s},
          {"panel", event.panel.empty() ? nlohmann::json(nullptr) : nlohmann::json(event.panel)},
          {"policy", policy},
          {"cause", std::string(scene::to_string(event.cause))},
          {"frames", event.frames},
          {"level", event.level},
          {"every_nth_tick", event.every_nth_tick}};
}

}  // namespace tilewall::director
