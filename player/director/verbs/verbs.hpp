// The verbs of the control port that change the scene. Each reads a request's fields and makes a
// command. VERBS.md documents them.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string_view>
#include <vector>

#include "player/director/changes/scene_change.hpp"
#include "player/director/connections/request_fields.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::director {

/// A request that is being read.
struct VerbRequest {
  RequestFields& fields;
  std::string region;  ///< region's name; "" = the first region
  const wall::Wall& wall;
};

/// Reads the field "source". Throws InputError where it is malformed, or says that it is a live
/// source and does not describe one.
[[nodiscard]] scene::SourcePtr source_of(RequestFields& fields);

using ApplyCommand = std::function<void(SceneChange& change)>;

/// The command of a request to change the scene. Throws InputError for an unknown verb, and for
/// fields that are missing, wrong or unknown.
[[nodiscard]] ApplyCommand command_of(const nlohmann::json& request, const wall::Wall& wall);

/// Checks a request about the whole show, such as "quit". Throws InputError unless it is in the
/// operator's name.
void check_operator(const nlohmann::json& request);

/// A verb; `read` reads the request's fields and returns the command.
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
