// Messages about the scene that may be shown next: panels open its sources and draw its first
// pictures ahead ("arming"), beside the running show.
//
// Director -> panel: {"type": "prepare", "token", "scene"}, after the messages of the sources that
// the panel does not have; {"type": "disarm"} ends it. Panel -> director: ArmedReport.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "player/scene/scene.hpp"

namespace tilewall::scene {

/// A scene that may be shown next. It is no part of the show's versions and epochs: its `since` and
/// the start of all timelines that begin anew are `never`.
struct PreparedScene {
  std::uint64_t token = 0;  ///< names the scene in reports; above 0
  Scene scene;
};

/// Limit of ArmedReport::missing.
inline constexpr std::size_t most_missing = 64;

/// Panel -> director, {"type": "armed"}: how far the panel has got with the scene. A later report
/// replaces an earlier one of the same token.
struct ArmedReport {
  std::uint64_t token = 0;  ///< PreparedScene::token of the scene that was drawn
  /// What could not be drawn, in lines for people; empty: the first pictures are drawn, whole.
  std::vector<std::string> missing{};
  bool operator==(const ArmedReport&) const = default;
};

/// `sources` gives the ids by which regions refer to their sources.
[[nodiscard]] nlohmann::json to_json(const PreparedScene& prepared, SourceCatalogue& sources);
[[nodiscard]] nlohmann::json disarm_message();
[[nodiscard]] nlohmann::json to_json(const ArmedReport& report);

// Both throw InputError naming the field that is missing or wrong.
[[nodiscard]] PreparedScene prepared_from_json(const nlohmann::json& json,
                                               const ReceivedSources& sources);
[[nodiscard]] ArmedReport armed_from_json(const nlohmann::json& json);

}  // namespace tilewall::scene
