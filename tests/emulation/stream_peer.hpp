// iperf3 over an emulated path, where it is installed.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "tests/emulation/bench_process.hpp"

namespace tilewall::test {

/// Gbit/s that arrive at the client by TCP with default windows, counted by it for so long from
/// the start. `start_path`: a path to this port. Empty where iperf3 is not installed or fails.
[[nodiscard]] std::optional<double> measure_stream_peer(
    int streams, std::chrono::seconds duration,
    const std::function<BenchProcess(std::uint16_t target)>& start_path);

}  // namespace tilewall::test
