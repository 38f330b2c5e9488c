#include "player/console/state/wall_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "player/console/state/merge_patch.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::console {
using Json = nlohmann::json;

std::string text_of(const Json& json) { return json_text(json); }

WallState::WallState(std::set<std::string> operator_parts)
    : operator_parts_(std::move(operator_parts)) {
  revisions_.push_back({});
}

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
  revisions_.push_back({revision() + 1, next_, {}});
  if (revisions_.size() > kept_revisions) revisions_.pop_front();
  for (Revision& one : revisions_) one.patch = {};
  whole_ = {};
  return true;
}

SharedText WallState::message_from(std::optional<std::uint64_t> from, StateReader reader) {
  const auto found =
      from ? std::ranges::find(revisions_, *from, &Revision::number) : revisions_.end();
  if (found == revisions_.end()) return whole(reader);
  SharedText& patch = found->patch.at(static_cast<std::size_t>(reader));
  if (!patch)
    patch =
        std::make_shared<const std::string>(text_of({{"type", "patch"},
                                                     {"revision", revision()},
                                                     {"from", found->number},
                                                     {"patch", patch_from(found->parts, reader)}}));
  return patch;
}

bool WallState::gets(StateReader reader, const std::string& part) const {
  return reader == StateReader::operator_ || !operator_parts_.contains(part);
}

/// The merge patch from these parts to the newest ones. No part is ever taken away.
Json WallState::patch_from(const Parts& before, StateReader reader) const {
  static const Json nothing;
  Json patch = Json::object();
  for (const auto& [name, part] : revisions_.back().parts) {
    if (!gets(reader, name)) continue;
    const auto found = before.find(name);
    if (found == before.end())
      add_member_patch(patch, name, nothing, *part);
    else if (found->second != part)
      add_member_patch(patch, name, *found->second, *part);
  }
  return patch;
}

SharedText WallState::whole(StateReader reader) {
  SharedText& whole = whole_.at(static_cast<std::size_t>(reader));
  if (whole) return whole;
  std::string text = fmt::format(R"({{"type":"state","revision":{},"state":{{)", revision());
  const char* separator = "";
  for (const auto& [name, part] : revisions_.back().parts)
    if (gets(reader, name))
      text += std::exchange(separator, ",") + text_of(name) + ":" + text_of(*part);
  whole = std::make_shared<const std::string>(text + "}}");
  return whole;
}

}  // namespace tilewall::console
