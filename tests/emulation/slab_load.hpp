// What a benchmark's client does: asks for slab after slab, checks each, and counts.
#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "net/slab/slab_client.hpp"
#include "tests/emulation/numbered_slabs.hpp"

namespace tilewall::test {

struct SlabLoad {
  SlabClientOptions client;
  int in_flight = 32;                    ///< slabs that are asked for and not there yet
  bool fill_first = false;               ///< the first is taken once all these have come: from
                                         ///< then on the client needs no more memory
  Nanos of_use{0};                       ///< how long a slab is, once asked for; 0: always
  std::chrono::milliseconds warm_up{0};  ///< 0: counted from the moment of the first request
  std::chrono::milliseconds counted{5000};
};

struct SlabLoadResult {
  double seconds = 0;
  std::uint64_t bytes = 0;  ///< of whole, right slabs that came meanwhile
  std::uint64_t slabs = 0;
  std::uint64_t wrong_slabs = 0;  ///< ever
  double cpu_s = 0;               ///< of this process meanwhile, checking too
  ReceiveCounters received;       ///< in all
  double round_trip_ms = 0;
  StripeTuning tuning;              ///< tcp
  int switches = 0;                 ///< sessions that were lost
  std::vector<double> gbit_s_each;  ///< of each period from the first request on

  [[nodiscard]] double gbit_s() const { return static_cast<double>(bytes) * 8e-9 / seconds; }
};

/// Of SlabLoadResult::gbit_s_each.
inline constexpr std::chrono::milliseconds slab_load_period{250};

/// Throws what connecting throws.
[[nodiscard]] SlabLoadResult run_slab_load(const SlabLoad& load, const NumberedSlabs& slabs);

}  // namespace tilewall::test
