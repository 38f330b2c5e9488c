// The client of a benchmark: it requests slab after slab, checks each, and counts.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "net/slab/slab_client.hpp"
#include "net/slab/slab_server.hpp"

namespace tilewall::test {

/// Slabs that a benchmark's server sends and its client knows: a few of one size, no two alike.
class NumberedSlabs final : public net::SlabSource {
 public:
  /// To be made before the process forks, so that both sides have the same slabs.
  explicit NumberedSlabs(std::size_t slab_bytes);

  /// Payload of the request for slab number `number`; the slabs repeat.
  [[nodiscard]] static std::vector<std::byte> payload(std::uint64_t number);
  /// Whether `bytes` are those of slab `number`.
  [[nodiscard]] bool is_right(std::uint64_t number, std::span<const std::byte> bytes) const;

  [[nodiscard]] nlohmann::json call(const nlohmann::json& question) override;
  [[nodiscard]] std::shared_ptr<const net::SlabBuffer> read(
      std::span<const std::byte> request) override;

 private:
  std::vector<net::SlabBuffer> slabs_;
  std::vector<std::uint64_t> hashes_;  // XXH3
};

struct SlabLoad {
  net::SlabClientOptions client;
  int in_flight = 32;  ///< Slabs that are requested and have not arrived
  /// The first slab is taken once all these have come; from then on the client needs no more
  /// memory.
  bool fill_first = false;
  Nanos of_use{0};                       ///< how long a slab is, once asked for; 0: always
  std::chrono::milliseconds warm_up{0};  ///< 0: counted from the moment of the first request
  std::chrono::milliseconds counted{5000};
};

struct SlabLoadResult {
  double seconds = 0;
  std::uint64_t bytes = 0;  ///< Bytes of whole and right slabs in the counted time
  std::uint64_t slabs = 0;
  std::uint64_t wrong_slabs = 0;  ///< Wrong slabs since the start
  double cpu_s = 0;               ///< CPU time of this process in the counted time, checks included
  net::ReceiveCounters received;  ///< Counters since the start
  double round_trip_ms = 0;
  net::StripeTuning tuning;         ///< Tuning of tcp
  int switches = 0;                 ///< Sessions that were lost
  std::vector<double> gbit_s_each;  ///< Rate in each period from the first request on

  [[nodiscard]] double gbit_s() const { return static_cast<double>(bytes) * 8e-9 / seconds; }
};

/// Length of the periods of SlabLoadResult::gbit_s_each.
inline constexpr std::chrono::milliseconds slab_load_period{250};

/// Runs the load. Throws what connecting throws.
[[nodiscard]] SlabLoadResult run_slab_load(const SlabLoad& load, const NumberedSlabs& slabs);

}  // namespace tilewall::test
