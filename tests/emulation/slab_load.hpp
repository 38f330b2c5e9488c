// What a benchmark's client does: asks for slab after slab, checks each, and counts.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "net/slab/slab_client.hpp"
#include "net/slab/slab_server.hpp"

namespace tilewall::test {

/// Slabs that a benchmark's server gives and its client knows: a few of one size, no two alike.
class NumberedSlabs final : public net::SlabSource {
 public:
  /// Made before the processes part, so that both sides have them.
  explicit NumberedSlabs(std::size_t slab_bytes);

  /// What asks for the `number`-th slab of any series: they come round and round.
  [[nodiscard]] static std::vector<std::byte> payload(std::uint64_t number);
  /// Whether these are its bytes.
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
  net::ReceiveCounters received;  ///< in all
  double round_trip_ms = 0;
  net::StripeTuning tuning;         ///< tcp
  int switches = 0;                 ///< sessions that were lost
  std::vector<double> gbit_s_each;  ///< of each period from the first request on

  [[nodiscard]] double gbit_s() const { return static_cast<double>(bytes) * 8e-9 / seconds; }
};

/// Of SlabLoadResult::gbit_s_each.
inline constexpr std::chrono::milliseconds slab_load_period{250};

/// Throws what connecting throws.
[[nodiscard]] SlabLoadResult run_slab_load(const SlabLoad& load, const NumberedSlabs& slabs);

}  // namespace tilewall::test
