// One TCP stream over a long path, with a window from what the path holds, beside streams with the
// windows that the system gives.
#pragma once

#include <chrono>
#include <nlohmann/json_fwd.hpp>

#include "tests/emulation/path_link.hpp"
#include "tests/emulation/slab_load.hpp"

namespace tilewall::test {

/// The row's figures, by turns, each from the first byte on; or {"skipped": why}.
[[nodiscard]] nlohmann::json measure_tcp_window(const PathShape& shape,
                                                std::chrono::seconds duration, int runs,
                                                NumberedSlabs& slabs);

}  // namespace tilewall::test
