// `--place`: what a user wants instead of the planned placement, for which panels; shared by `play`
// and `play --plan`.
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

/// What the texts ask for, by panel. Throws InputError naming the option or file and line: no such
/// words, or panels and hosts.
[[nodiscard]] std::vector<placement::PlaceRequest> place_requests(
    const std::vector<std::string>& texts, const wall::Wall& wall);

/// Whether panels of that host run on this machine. @pre a host of the wall, or ""
[[nodiscard]] bool is_this_machine(const wall::Wall& wall, const std::string& host);

/// Checks what is asked for panels of `host` against what it has. Throws InputError.
void check_places(const std::vector<std::string>& texts, const wall::Wall& wall,
                  const std::string& host, const placement::HostTopology& topology);

/// Of the first movie or images of it that come over the network.
[[nodiscard]] scene::PictureServer first_server(const scene::SourceSpec& source);

/// `play --plan`: where the threads and the memory of a wall's panels go, and why.
struct PlacementQuestion {
  wall::Wall wall;
  bool windows = false;
  bool pin = true;
  scene::PictureServer server;
  std::vector<std::string> places;     ///< as --place has them
  std::vector<std::string> described;  ///< as --topology has them: "[HOST=]FILE"
};

/// The plan of each host that is this machine or is described; the others are named. Throws
/// InputError naming the option.
[[nodiscard]] nlohmann::ordered_json placement_json(const PlacementQuestion& question);

/// The same for people: a table a host, and reasons in words.
[[nodiscard]] std::string placement_text(const nlohmann::ordered_json& plan);

}  // namespace tilewall::cli
