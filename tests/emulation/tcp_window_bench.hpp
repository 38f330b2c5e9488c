// Compares one TCP stream over a long path whose window comes from the path with streams whose
// windows the system chooses.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>

#include "tests/emulation/path_link.hpp"
#include "tests/emulation/slab_load.hpp"

namespace tilewall::test {

/// Figures of one row, measured by turns, each from the first byte on; or {"skipped": why}.
[[nodiscard]] nlohmann::json measure_tcp_window(const PathShape& shape,
                                                std::chrono::seconds duration, int runs,
                                                NumberedSlabs& slabs);

}  // namespace tilewall::test
