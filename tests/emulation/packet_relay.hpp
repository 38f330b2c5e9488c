// The network between emulated hosts, in user space: it receives each host's packets at the other
// end of its cable, loses some, holds the others back, and sends them to their hosts.
//
// A packet is held from the instant it came, by the kernel's stamp, until a due instant for which
// the relay spins. So the path is as long both ways, however slowly this thread is woken, as a wire
// is. Threads: owns one; stopped by its destructor.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <span>
#include <stop_token>
#include <thread>
#include <vector>

#include "net/clock/receive_stamp.hpp"
#include "sync/base/handle.hpp"
#include "sync/global_time.hpp"

namespace tilewall::test {

struct PathOptions {
  Nanos delay = std::chrono::milliseconds(1);  ///< one way
  double loss = 0;                             ///< share of UDP datagrams
  double reorder = 0;                          ///< share of UDP datagrams that take twice as long
};

/// The relay's end of a host's cable.
struct RelayPort {
  std::uint32_t address = 0;          ///< the host's IPv4 address, in host byte order
  std::array<std::uint8_t, 6> mac{};  ///< Address of the host's end
  int interface_index = 0;            ///< Index of the relay's end
  UniqueFd socket;  ///< Bound to that interface: AF_PACKET, SOCK_DGRAM, non-blocking
};

class PacketRelay {
 public:
  PacketRelay(std::vector<RelayPort> ports, const PathOptions& options);
  ~PacketRelay();
  PacketRelay(const PacketRelay&) = delete;
  PacketRelay& operator=(const PacketRelay&) = delete;

  /// From now on drops all packets from and to that address; 0: none. Any thread.
  void cut(std::uint32_t address) noexcept { cut_ = address; }

 private:
  struct Packet {
    LocalInstant due;
    std::size_t to = 0;
    std::vector<std::byte> bytes;
  };

  void run(const std::stop_token& stop);
  void take_from(net::StampedReceiver& port);
  void hold(std::span<const std::byte> packet, LocalInstant came);
  void deliver_due();
  void deliver(const Packet& packet);

  const std::vector<RelayPort> ports_;
  const PathOptions options_;
  std::deque<net::StampedReceiver> receivers_;  // one per port
  std::atomic<std::uint32_t> cut_{0};
  std::mt19937_64 random_{1};
  std::deque<Packet> held_;  // by due instant, up to a few microseconds
  UniqueFd wake_;
  std::jthread thread_;  // last member
};

}  // namespace tilewall::test
