// Runs chronyd beside our own clock daemon, for comparison: one server and one client over the same
// cable. They are private instances that never touch the system's clock. The client's own estimate
// of its error is recorded.
//
// Both read one and the same clock, so the truth is 0. Threads: owns one, which asks chronyc a few
// times a second; stopped by the destructor.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "net/network_namespace.hpp"

namespace tilewall::bench {

/// Two networks of the benchmark's own, joined by a virtual cable: a real path between two hosts'
/// network stacks on one machine, whose clocks are one clock.
struct VethPair {
  static constexpr const char* server_address = "10.201.77.1";
  static constexpr const char* client_address = "10.201.77.2";

  net::NetworkNamespace server;
  net::NetworkNamespace client;
};

/// Empty, and why in `reason`, where this user may not make networks or there is no `ip`.
[[nodiscard]] std::unique_ptr<VethPair> try_make_veth_pair(std::string& reason);

class ChronyWatch {
 public:
  /// Starts both; their files lie in `folder`. Empty where chronyd or chronyc is not installed.
  [[nodiscard]] static std::unique_ptr<ChronyWatch> try_start(const VethPair& veth,
                                                              const std::filesystem::path& folder);
  ~ChronyWatch();
  ChronyWatch(const ChronyWatch&) = delete;
  ChronyWatch& operator=(const ChronyWatch&) = delete;

  /// Forgets what was measured while it settled.
  void begin();

  /// |offset| in ns, one for each question that chronyc answered since begin().
  [[nodiscard]] std::vector<std::int64_t> errors_ns() const;

 private:
  ChronyWatch(pid_t server, pid_t client, const std::filesystem::path& socket);
  void run(const std::stop_token& stop, const std::string& command);

  pid_t server_;
  pid_t client_;
  mutable std::mutex mutex_;
  std::vector<std::int64_t> errors_ns_;  // guarded by mutex_
  std::jthread thread_;                  // last: ends before the daemons do
};

}  // namespace tilewall::bench
