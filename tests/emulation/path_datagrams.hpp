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

/// Datagrams of both directions so far. One that is under way is in `received` alone.
struct PathCounters {
  std::uint64_t received = 0;
  std::uint64_t forwarded = 0;         ///< sent on, each of two copies
  std::uint64_t lost = 0;              ///< by loss, by cut(), or of one client too many
  std::uint64_t duplicated = 0;        ///< sent on twice, where the queue has room
  std::uint64_t reordered = 0;         ///< set back on purpose; not by jitter
  std::uint64_t corrupted = 0;         ///< copies with a bit flipped
  std::uint64_t dropped_by_queue = 0;  ///< copies that found it full
};

class PathDatagrams {
 public:
  /// Clients beyond the first so many are not heard.
  static constexpr std::size_t most_clients = 256;

  /// `socket` is bound. The links, to the target and from it, outlive this.
  PathDatagrams(UniqueFd socket, const net::SocketAddress& target, std::array<PathLink, 2>& links,
                std::uint64_t seed);
  ~PathDatagrams();
  PathDatagrams(const PathDatagrams&) = delete;
  PathDatagrams& operator=(const PathDatagrams&) = delete;

  /// Adds what to wait for.
  void watch(std::vector<pollfd>& polled) const;
  /// Takes in what has come. `polled` begins with what watch() added; what it took is cut off.
  void take(std::span<const pollfd>& polled);
  /// Sends on what is due.
  void deliver(LocalInstant now);
  /// When to call deliver(); far away where nothing is held. Where the rate is limited a little
  /// after the first is due, so that a few go together.
  [[nodiscard]] LocalInstant next_due() const noexcept;

  /// Drops what is held and, from now on, what comes.
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
    LocalInstant due;     // had it not been set back
    LocalInstant latest;  // where too few overtake it
    int overtakers;       // still to come
  };
  struct Lane {
    PathLink& link;
    PathDice dice;
    std::multimap<LocalInstant, Datagram> held;  // by due instant, then as they came
    std::list<SetBack> set_back;
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
  PathCounters counters_;
  std::unique_ptr<Batch> batch_;
};

}  // namespace tilewall::test
