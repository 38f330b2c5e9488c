// What can be asked of a show at its control port: a table of verbs, each of which makes a command
// of a request's fields. Documented in player/director/README.md.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "player/director/request_fields.hpp"
#include "player/director/scene_change.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::director {

/// A request that is being read.
struct VerbRequest {
  RequestFields& fields;
  std::string region;  ///< "" = the first one
  const wall::Wall& wall;
};

using ApplyCommand = std::function<void(SceneChange& change)>;

/// The command of a request to change the scene. Throws InputError for an unknown verb, and for
/// fields that are missing, wrong or unknown.
[[nodiscard]] ApplyCommand command_of(const nlohmann::json& request, const wall::Wall& wall);

/// Throws InputError unless the request is in the operator's name: for verbs that are about the
/// whole show and no scene.
void check_operator(const nlohmann::json& request);

/// A group of verbs: reads the fields and returns the command.
struct Verb {
  std::string_view name;
  ApplyCommand (*read)(const VerbRequest& request);
};
[[nodiscard]] std::vector<Verb> transport_verbs();
[[nodiscard]] std::vector<Verb> view_verbs();
[[nodiscard]] std::vector<Verb> region_verbs();
[[nodiscard]] std::vector<Verb> compare_verbs();
[[nodiscard]] std::vector<Verb> wall_verbs();
[[nodiscard]] std::vector<Verb> volume_verbs();

}  // namespace tilewall::director
