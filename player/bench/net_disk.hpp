// A movie's frames from a disk, over loopback, to memory where they are checked: beside the disk
// alone and the network alone.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>

#include "player/bench/net_server.hpp"

namespace tilewall {

/// One object for frames that are in the page cache, and one for frames that are not: {"cache":
/// "warm" or "cold", "goodput_gbit_s", "disk_gbit_s", "net_gbit_s", "ratio_to_lesser",
/// "wrong_slabs", "slab_bytes", "slabs"}; medians of the runs, by turns. The movie, about `mib`
/// large, is written into a new folder in `folder` ("": the system's temporary one) and removed.
[[nodiscard]] nlohmann::json measure_disk_over_net(const NetServerOptions& options,
                                                   const std::filesystem::path& folder, int mib,
                                                   int runs);

}  // namespace tilewall
