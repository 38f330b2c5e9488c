// The INPUTs of a request at the control port, opened as `play` opens its own.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "player/command/control_client.hpp"
#include "player/movie/playlist/playlist.hpp"

namespace tilewall {

/// The "source" of a request, opened as the running show opens its own: by the `--hdr`, `--import`
/// and `--skip-missing` that its status names. What has to be imported is imported into the user's
/// cache for the running wall, which the status names by its file, or as one that `play` made up
/// for a screen. Throws InputError (input, refused) or JobError (cache, no answer).
[[nodiscard]] nlohmann::json open_for_wall(std::span<const std::string> inputs,
                                           MissingEntries missing, WallConnection& wall);

}  // namespace tilewall
