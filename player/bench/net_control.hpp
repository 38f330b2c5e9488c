// How long a question to a slab server takes, while nothing else is asked and under full load.
#pragma once

#include <nlohmann/json.hpp>

#include "player/bench/net_server.hpp"

namespace tilewall {

/// {"idle_us": {"p50", "p99"}, "loaded_us": {"p50", "p99"}, "questions", "loaded_gbit_s"}: of
/// SlabClient::call, by turns, over UDP slabs on loopback. Idle and loaded questions go by the
/// client that fetches the slabs.
[[nodiscard]] nlohmann::json measure_control_latency(const NetServerOptions& options,
                                                     std::size_t slab_bytes, int runs,
                                                     std::chrono::seconds duration);

}  // namespace tilewall
