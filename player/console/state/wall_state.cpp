#include "player/console/state/wall_state.hpp"

#include <algorithm>

#include "player/console/state/merge_patch.hpp"

namespace tilewall::console {
namespace {

using Json = nlohmann::json;

SharedText text_of(const Json& json) {
  return std::make_shared<const std::string>(
      json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

WallState::WallState() { revisions_.push_back({0, Json::object(), nullptr}); }

const Json& WallState::part(const std::string& name) const {
  static const Json nothing;
  const auto found = next_.find(name);
  return found == next_.end() ? nothing : *found;
}

bool WallState::commit() {
  if (next_ == revisions_.back().state) return false;
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
    found->patch = text_of({{"type", "patch"},
                            {"revision", revision()},
                            {"from", found->number},
                            {"patch", merge_patch(found->state, revisions_.back().state)}});
  return found->patch;
}

SharedText WallState::whole() {
  if (!whole_)
    whole_ =
        text_of({{"type", "state"}, {"revision", revision()}, {"state", revisions_.back().state}});
  return whole_;
}

}  // namespace tilewall::console
