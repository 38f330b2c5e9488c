// Many connections of peers that mean harm or are broken: they say nothing, half of a message,
// garbage, a hello without the key, or read a byte a second. Those that are closed connect again.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "net/socket.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::test {

/// Threads: one of its own, which does everything; the counters may be read by any.
class HostileConnections {
 public:
  /// Keeps `count` connections open, spread over the ports of 127.0.0.1.
  HostileConnections(const std::vector<std::uint16_t>& ports, int count);

  /// Number of connections that have been made so far.
  [[nodiscard]] std::uint64_t made() const noexcept { return made_; }
  /// Number of those that are open now.
  [[nodiscard]] int open() const noexcept { return open_; }

 private:
  struct Peer {
    UniqueFd socket;
    int kind = 0;
    std::uint16_t port = 0;
    std::int64_t acts_at_ms = 0;
  };

  void run(const std::stop_token& stop);
  void act(Peer& peer, std::int64_t now_ms);
  void speak(const Peer& peer) const;

  std::vector<Peer> peers_;
  std::atomic<std::uint64_t> made_ = 0;
  std::atomic<int> open_ = 0;
  std::jthread thread_;
};

}  // namespace tilewall::test
