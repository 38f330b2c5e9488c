#include "player/director/late_log.hpp"

#include <nlohmann/json.hpp>

namespace tilewall::director {
namespace {

constexpr std::size_t max_events = 1000;
constexpr double merged_s = 1;

}  // namespace

bool LateLog::add(const LateEvent& event) {
  last_[event.panel] = event.cause;
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
