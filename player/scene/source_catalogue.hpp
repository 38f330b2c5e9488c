// Sources on their way to the panels: each is sent in parts that fit a message, and scenes then
// refer to it by its id. Both sides keep only what the newest scene names.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "player/scene/source_spec.hpp"

namespace tilewall::scene {

/// The director's side. One owner.
class SourceCatalogue {
 public:
  /// The source's id, a new one where it is new.
  [[nodiscard]] std::uint64_t id_of(const SourcePtr& source);

  /// Forgets all others. One that comes again gets another id.
  void keep_only(const std::set<SourcePtr>& sources);

  /// The messages that make source `id` known: {"type": "source", "id", "text", "more"}, the text
  /// being JSON cut into pieces.
  [[nodiscard]] std::vector<nlohmann::json> messages(std::uint64_t id) const;

 private:
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, SourcePtr> sources_;
  std::unordered_map<const SourceSpec*, std::uint64_t> ids_;
};

/// The panels' side. One owner.
class ReceivedSources {
 public:
  /// Throws InputError for a message that is none, or a source that is too large or malformed.
  void take(const nlohmann::json& message);

  /// Throws InputError for an id that did not come.
  [[nodiscard]] const SourcePtr& at(std::uint64_t id) const;

  /// Forgets all others: the director sends them again where a scene comes back to them.
  void keep_only(const std::set<SourcePtr>& sources);

 private:
  std::string text_;  // of the source that is coming
  std::map<std::uint64_t, SourcePtr> sources_;
};

}  // namespace tilewall::scene
