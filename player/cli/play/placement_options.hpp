// `--place`, which replaces parts of the planned placement of panels, and `play --plan`, which
// prints the plan.
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "player/placement/place_request.hpp"
#include "player/scene/messages.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::cli {

void add_place_option(CLI::App& command, std::vector<std::string>& texts);

/// The requests of the options' texts, one for each panel of the wall. Throws InputError naming the
/// option, or file and line, for a wrong word, panel or host.
[[nodiscard]] std::vector<placement::PlaceRequest> place_requests(
    const std::vector<std::string>& texts, const wall::Wall& wall);

/// Whether panels of `host` run on this machine. @pre `host` is a host of the wall, or "".
[[nodiscard]] bool is_this_machine(const wall::Wall& wall, const std::string& host);

/// Throws InputError if panels of `host` request CPUs, memory or interfaces that it does not have.
void check_places(const std::vector<std::string>& texts, const wall::Wall& wall,
                  const std::string& host, const placement::HostTopology& topology);

/// The server of the source's first pictures that come over the network; empty if none do.
[[nodiscard]] scene::PictureServer first_server(const scene::SourceSpec& source);

/// The parameters of `play --plan`.
struct PlacementQuestion {
  wall::Wall wall;
  bool windows = false;  ///< panels have windows
  bool pin = true;       ///< --pin auto
  scene::PictureServer server;
  std::vector<std::string> places;     ///< texts of --place
  std::vector<std::string> described;  ///< texts of --topology: "[HOST=]FILE"
};

/// The placement of threads and memory on each host that is this machine or is described, with
/// reasons. Other hosts are only named. Throws InputError naming the option.
[[nodiscard]] nlohmann::ordered_json placement_json(const PlacementQuestion& question);

/// The plan as text: a table for each host, and the reasons.
[[nodiscard]] std::string placement_text(const nlohmann::ordered_json& plan);

}  // namespace tilewall::cli
