// A long path between two networks of this machine, for measuring TCP itself: each network has a
// TUN device, and a process between them delays packets, limits their rate and loses some.
//
// The devices carry bursts of up to 64 KiB, which TCP would leave to a network card to cut, so that
// one process carries 4 Gbit/s. A burst is held and lost as one. Needs CAP_NET_ADMIN and
// CAP_SYS_ADMIN. Threads: one owner, in a process of one thread while it makes one.
#pragma once

#include <memory>
#include <string>

#include "net/network_namespace.hpp"
#include "tests/emulation/bench_process.hpp"
#include "tests/emulation/path_link.hpp"

namespace tilewall::test {

class TunPath {
 public:
  static constexpr const char* server_address = "10.201.78.1";
  static constexpr const char* client_address = "10.201.78.2";

  /// Ignores jitter, reorder, duplicate and corrupt of the shape. Empty, with the reason in
  /// `reason`, where the kernel forbids it to this user, or there is no `ip`.
  [[nodiscard]] static std::unique_ptr<TunPath> try_make(const PathShape& shape,
                                                         std::string& reason);

  [[nodiscard]] const net::NetworkNamespace& server() const noexcept { return server_; }
  [[nodiscard]] const net::NetworkNamespace& client() const noexcept { return client_; }

  struct Counters {
    double cpu_s = 0;
    std::uint64_t passed = 0;  ///< Packets or bursts of both directions
    std::uint64_t lost = 0;
    std::uint64_t dropped_by_queue = 0;
  };
  /// Ends the path.
  [[nodiscard]] Counters end();

 private:
  TunPath(net::NetworkNamespace server, net::NetworkNamespace client,
          std::unique_ptr<BenchProcess> process)
      : server_(std::move(server)), client_(std::move(client)), process_(std::move(process)) {}

  net::NetworkNamespace server_;
  net::NetworkNamespace client_;
  std::unique_ptr<BenchProcess> process_;
};

}  // namespace tilewall::test
