#include "player/console/state/merge_patch.hpp"

namespace tilewall::console {

using Json = nlohmann::json;

Json merge_patch(const Json& before, const Json& after) {
  static const Json nothing;
  Json patch = Json::object();
  for (const auto& [name, value] : before.items())
    if (!after.contains(name)) add_member_patch(patch, name, value, nothing);
  for (const auto& [name, value] : after.items()) {
    const auto old = before.find(name);
    add_member_patch(patch, name, old == before.end() ? nothing : *old, value);
  }
  return patch;
}

void add_member_patch(Json& patch, const std::string& name, const Json& before, const Json& after) {
  if (before.is_object() && after.is_object()) {
    Json part = merge_patch(before, after);
    if (!part.empty()) patch[name] = std::move(part);
  } else if (before != after) {
    patch[name] = after;
  }
}

}  // namespace tilewall::console
