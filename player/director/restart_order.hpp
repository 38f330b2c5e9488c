// Reads requests "restart": which process of the show is to be started again. The director ends no
// process itself. A panel ends itself, and the casters and decoders of its host; the supervisor
// replaces a host's launcher.
//
// Threads: a free function without state.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "player/director/statistics/report.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::director {

struct RestartOrder {
  std::string role;  ///< "panel", "caster", "decoder" or "launcher"
  /// Index of the panel that is meant, or of one on the host that is meant. It is connected, except
  /// for the role "launcher".
  std::size_t panel = 0;
};

/// The order of a request {"type": "restart", "role", "panel", "host"}. `panels` are the wall's, as
/// the director knows them. A host has its name of the wall file, or the one by which it calls
/// itself. Throws InputError for a role, panel or host that there is not, for a panel or host that
/// cannot be told, and for a sender other than the operator.
[[nodiscard]] RestartOrder restart_order(const nlohmann::json& request, const wall::Wall& wall,
                                         const std::vector<PanelState>& panels);

}  // namespace tilewall::director
