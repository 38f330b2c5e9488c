#include "player/console/state/merge_patch.hpp"

namespace tilewall::console {

nlohmann::json merge_patch(const nlohmann::json& before, const nlohmann::json& after) {
  nlohmann::json patch = nlohmann::json::object();
  for (const auto& [name, value] : before.items())
    if (!after.contains(name) && !value.is_null()) patch[name] = nullptr;
  for (const auto& [name, value] : after.items()) {
    const auto old = before.find(name);
    if (old == before.end()) {
      if (!value.is_null()) patch[name] = value;
    } else if (old->is_object() && value.is_object()) {
      nlohmann::json part = merge_patch(*old, value);
      if (!part.empty()) patch[name] = std::move(part);
    } else if (*old != value) {
      patch[name] = value;
    }
  }
  return patch;
}

}  // namespace tilewall::console
