// The datagrams of a path relay: from any client to the target and back to that client.
//
// A client is a source address; each has a socket of its own towards the target, so that the
// target tells them apart too. Threads: one owner.
#pragma once

#include <netinet/in.h>
#include <poll.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "net/socket.hpp"
#include "sync/base/handle.hpp"
#include "sync/global_time.hpp"
#include "tests/emulation/path_link.hpp"

namespace tilewall::test {

/// Datagrams of both directions so far. A datagram on its way counts in `received` only.
struct PathCounters {
  std::uint64_t received = 0;
  std::uint64_t forwarded = 0;   ///< Sent on; copies count, too
  std::uint64_t lost = 0;        ///< Lost by chance, by cut(), or as those of one client too many
  std::uint64_t duplicated = 0;  ///< Sent on twice, where the queue has room
  std::uint64_t reordered = 0;   ///< Set back on purpose; jitter does not count
  std::uint64_t corrupted = 0;   ///< Copies with a bit flipped
  std::uint64_t dropped_by_queue = 0;  ///< Copies that found the queue full
};

class PathDatagrams {
 public:
  /// Datagrams of further clients are dropped.
  static constexpr std::size_t most_clients = 256;

  /// `socket` is bound. The links, to the target and from it, outlive this.
  PathDatagrams(UniqueFd socket, const net::SocketAddress& target, std::array<PathLink, 2>& links,
                std::uint64_t seed);
  ~PathDatagrams();
  PathDatagrams(const PathDatagrams&) = delete;
  PathDatagrams& operator=(const PathDatagrams&) = delete;

  /// Adds the descriptors to poll.
  void watch(std::vector<pollfd>& polled) const;
  /// Reads the datagrams that have come. `polled` begins with the descriptors of watch(), which are
  /// removed from it.
  void take(std::span<const pollfd>& polled);
  /// Sends the datagrams that are due.
  void deliver(LocalInstant now);
  /// The instant for the next deliver(); far away where no datagram is held. With a limited rate it
  /// is a little after the first one is due, so that a few are sent together.
  [[nodiscard]] LocalInstant next_due() const noexcept;

  /// Keeps a copy of each datagram that comes from now on, 64 MiB of them at most.
  void record() noexcept { records_ = true; }
  /// Sends the recorded datagrams of both directions once more, each to where it went first and
  /// from the same socket.
  void replay();
  /// The recorded datagrams to the target, in the order in which they came.
  [[nodiscard]] std::vector<std::vector<std::byte>> recorded() const;

  /// Drops held datagrams and, from now on, all that come.
  void cut();
  [[nodiscard]] const PathCounters& counters() const noexcept { return counters_; }

 private:
  struct Client {
    sockaddr_in address;
    UniqueFd socket;  // connected to the target
  };
  struct Datagram {
    std::size_t client;
    std::vector<std::byte> bytes;
  };
  struct SetBack {
    Datagram datagram;
    LocalInstant due;     // due instant if it had not been set back
    LocalInstant latest;  // due instant if too few overtake it
    int overtakers;       // datagrams that are still to overtake it
  };
  struct Lane {
    PathLink& link;
    PathDice dice;
    std::multimap<LocalInstant, Datagram> held;  // by due instant, then as they came
    std::list<SetBack> set_back;
    std::vector<Datagram> recorded{};
  };
  struct Batch;

  void take_from(int socket, Lane& lane, std::size_t client);
  [[nodiscard]] std::size_t client_at(const sockaddr_in& address);
  void arrive(Lane& lane, std::size_t client, std::span<const std::byte> bytes, LocalInstant now);
  void hold(Lane& lane, std::size_t client, std::span<const std::byte> bytes, LocalInstant now);
  static void be_overtaken(Lane& lane, std::size_t client, LocalInstant due);
  static void end_waits(Lane& lane, LocalInstant now);
  void send_batch(Lane& lane, LocalInstant now);
  [[nodiscard]] int way_out(const Lane& lane, const Datagram& datagram) const noexcept;

  const UniqueFd socket_;
  const net::SocketAddress target_;
  std::vector<Client> clients_;
  std::map<std::uint64_t, std::size_t> client_by_address_;
  Lane to_target_;
  Lane from_target_;
  std::size_t held_bytes_ = 0;
  bool cut_ = false;
  bool records_ = false;
  std::size_t recorded_bytes_ = 0;
  PathCounters counters_;
  std::unique_ptr<Batch> batch_;
};

}  // namespace tilewall::test
