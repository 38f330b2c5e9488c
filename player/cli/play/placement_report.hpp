// `play --plan`: where the threads and the memory of a wall's panels go, and why.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "player/scene/messages.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall {

struct PlacementQuestion {
  Wall wall;
  bool windows = false;
  bool pin = true;
  PictureServer server;
  std::vector<std::string> places;     ///< as --place has them
  std::vector<std::string> described;  ///< as --topology has them: "[HOST=]FILE"
};

/// The plan of each host that is this machine or is described; the others are named. Throws
/// InputError naming the option.
[[nodiscard]] nlohmann::ordered_json placement_json(const PlacementQuestion& question);

/// The same for people: a table a host, and reasons in words.
[[nodiscard]] std::string placement_text(const nlohmann::ordered_json& plan);

}  // namespace tilewall
