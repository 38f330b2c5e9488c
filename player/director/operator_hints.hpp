// What a key did, in a few words for the panels: "speed 2x", "range 100-300", "item 3 of 5".
#pragma once

#include <string>

#include "player/director/scene_change.hpp"
#include "player/present/operator_input.hpp"

namespace tilewall {

/// Of a draft that the key has been applied to. "" for keys whose effect is plain to see (pans,
/// black, the figures). Titles may hold letters of UTF-8.
[[nodiscard]] std::string hint_of_key(OperatorKey key, const SceneChange& after);

}  // namespace tilewall
