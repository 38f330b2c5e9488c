// The load of `bench net`: fetches slabs from a server that has them in memory, and counts bytes,
// losses and CPU time.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "net/slab/slab_client.hpp"
#include "net/slab/slab_server.hpp"

namespace tilewall::bench {

/// A source that answers every request with the same memory, and every call with its question.
class MemorySource final : public net::SlabSource {
 public:
  explicit MemorySource(std::size_t slab_bytes);
  [[nodiscard]] nlohmann::json call(const nlohmann::json& question) override;
  [[nodiscard]] std::shared_ptr<const net::SlabBuffer> read(
      std::span<const std::byte> request) override;

 private:
  net::SlabBuffer memory_;
};

struct NetLoad {
  net::SlabTransport transport = net::SlabTransport::udp;
  int streams = 1;    ///< udp: clients side by side; tcp: connections of one client
  int in_flight = 3;  ///< Slabs of each client that are requested and have not arrived
  std::chrono::milliseconds duration{3000};
  std::optional<net::AuthKey> key = {};
  bool encrypt = false;
  std::vector<net::NetInterface> interfaces = {};  ///< Used with tcp
};

struct NetResult {
  double seconds = 0;
  std::uint64_t bytes = 0;  ///< Bytes of slabs that arrived whole
  std::uint64_t packets = 0;
  std::uint64_t lost_packets = 0;
  std::uint64_t copied_pieces = 0;
  double rx_cpu_s = 0;       ///< CPU time of this process during the run
  net::StripeTuning tuning;  ///< Tuning of tcp

  [[nodiscard]] double gbit_s() const { return static_cast<double>(bytes) * 8e-9 / seconds; }
  [[nodiscard]] double loss() const {
    const double all = static_cast<double>(packets + lost_packets);
    return all > 0 ? static_cast<double>(lost_packets) / all : 0;
  }
};

/// Fetches for a while. Throws what connecting throws.
[[nodiscard]] NetResult run_net_load(const net::SocketAddress& server, const NetLoad& load);

}  // namespace tilewall::bench
