// What every benchmark says beside its figures: the machine, the commit, and how its runs spread.
#pragma once

#include <nlohmann/json.hpp>
#include <vector>

namespace tilewall {

/// {`median`, `p95`} of the runs, the value that 95 % of them do not exceed. @pre not empty
[[nodiscard]] nlohmann::json median_and_p95(std::vector<double> runs);

/// @pre not empty
[[nodiscard]] double median(std::vector<double> runs);

/// CPU seconds of this process so far, all threads.
[[nodiscard]] double process_cpu_s();

/// {`machine`: {`cpu`, `cores`, `memory_bytes`}, `commit`, `runs`}.
[[nodiscard]] nlohmann::json bench_header(int runs);

}  // namespace tilewall
