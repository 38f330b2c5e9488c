// Sends sources to the panels: each source travels in parts that fit a message, and scenes then
// refer to it by its id. Both sides keep only the sources of the newest scene, and of the scene
// that may be shown next.
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

/// The director's side. Threads: one owner.
class SourceCatalogue {
 public:
  /// The source's id. A new source gets a new id.
  [[nodiscard]] std::uint64_t id_of(const SourcePtr& source);

  /// Forgets all other sources. One of them that comes again gets another id.
  void keep_only(const std::set<SourcePtr>& sources);

  /// The messages that send source `id`: {"type": "source", "id", "text", "more"}. Their texts
  /// together are the source's JSON.
  [[nodiscard]] std::vector<nlohmann::json> messages(std::uint64_t id) const;

 private:
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, SourcePtr> sources_;
  std::unordered_map<const SourceSpec*, std::uint64_t> ids_;
};

/// The panels' side. Threads: one owner.
class ReceivedSources {
 public:
  /// Reads one of the messages. Throws InputError for another message, or a source that is too
  /// large or malformed.
  void take(const nlohmann::json& message);

  /// The source of an id. Throws InputError for an id that did not come.
  [[nodiscard]] const SourcePtr& at(std::uint64_t id) const;

  /// Forgets all other sources. The director sends them again when a scene returns to them.
  void keep_only(const std::set<SourcePtr>& sources);

 private:
  std::string text_;  // text so far of the source that is being received
  std::map<std::uint64_t, SourcePtr> sources_;
};

}  // namespace tilewall::scene
