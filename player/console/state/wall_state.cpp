#include "player/console/state/wall_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "player/console/state/merge_patch.hpp"

namespace tilewall::console {
using Json = nlohmann::json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

WallState::WallState() { revisions_.push_back({}); }

void WallState::set(const std::string& name, Json value) {
  // A part that is as it was stays the same object, so that commit() only compares addresses.
  const Parts& committed = revisions_.back().parts;
  const auto found = committed.find(name);
  next_[name] = found != committed.end() && *found->second == value
                    ? found->second
                    : std::make_shared<const Json>(std::move(value));
}

const Json& WallState::part(const std::string& name) const {
  static const Json nothing;
  const auto found = next_.find(name);
  return found == next_.end() ? nothing : *found->second;
}

bool WallState::commit() {
  if (next_ == revisions_.back().parts) return false;
  revisions_.push_back({revision() + 1, next_, nullptr});
  if (revisions_.size() > kept_revisions) revisions_.pop_front();
  for (Revision& one : revisions_) one.patch = nullptr;
  whole_ = nullptr;
  return true;
}

SharedText WallState::message_from(std::optional<std::uint64_t> from) {
  const auto found =
      from ? std::ranges::find(revisions_, *from, &Revision::number) : revisions_.end();
  if (found == revisions_.end()) return whole();
  if (!found->patch)
    found->patch =
        std::make_shared<const std::string>(text_of({{"type", "patch"},
                                                     {"revision", revision()},
                                                     {"from", found->number},
                                                     {"patch", patch_from(found->parts)}}));
  return found->patch;
}

/// The merge patch from these parts to the newest ones. No part is ever taken away.
Json WallState::patch_from(const Parts& before) const {
  static const Json nothing;
  Json patch = Json::object();
  for (const auto& [name, part] : revisions_.back().parts) {
    const auto found = before.find(name);
    if (found == before.end())
      add_member_patch(patch, name, nothing, *part);
    else if (found->second != part)
      add_member_patch(patch, name, *found->second, *part);
  }
  return patch;
}

SharedText WallState::whole() {
  if (whole_) return whole_;
  std::string text = fmt::format(R"({{"type":"state","revision":{},"state":{{)", revision());
  const char* separator = "";
  for (const auto& [name, part] : revisions_.back().parts)
    text += std::exchange(separator, ",") + text_of(name) + ":" + text_of(*part);
  whole_ = std::make_shared<const std::string>(text + "}}");
  return whole_;
}

}  // namespace tilewall::console
