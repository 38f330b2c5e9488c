// The TCP connections of a path relay: from any client to the target.
//
// Bytes pass in chunks, in order and complete. Losses, duplicates and changed order happen below
// TCP, so only delay, jitter, rate and corruption of a shape apply here. Bytes in flight are
// limited: beyond the limit nothing is read, and the sender has to wait. Connecting itself is not
// delayed. Threads: one owner.
#pragma once

#include <poll.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <span>
#include <vector>

#include "net/socket.hpp"
#include "sync/base/handle.hpp"
#include "sync/global_time.hpp"
#include "tests/emulation/path_link.hpp"

namespace tilewall::test {

class PathStreams {
 public:
  /// Further connections wait unaccepted.
  static constexpr std::size_t most_connections = 256;

  /// `listener` listens. The links, to the target and from it, outlive this.
  PathStreams(UniqueFd listener, const net::SocketAddress& target, std::array<PathLink, 2>& links,
              std::uint64_t seed);

  /// Adds the descriptors to poll at this instant.
  void watch(std::vector<pollfd>& polled, LocalInstant now) const;
  /// Accepts connections and reads. `polled` begins with the descriptors of watch(), which are
  /// removed from it.
  void take(std::span<const pollfd>& polled);
  /// Writes the chunks that are due.
  void deliver(LocalInstant now);
  /// The instant for the next watch() and deliver(); far away where only poll() can tell.
  [[nodiscard]] LocalInstant next_due(LocalInstant now) const noexcept;

  /// Keeps a copy of what clients send from now on, 64 MiB of it at most.
  void record() noexcept { records_ = true; }
  /// What clients have sent to the target, a connection each.
  [[nodiscard]] std::vector<std::vector<std::byte>> recorded() const;

  /// Stops accepting, reading, writing and closing, except for drop_connections().
  void cut() noexcept { cut_ = true; }
  /// Closes all connections; bytes that they hold are lost.
  void drop_connections() { connections_.clear(); }

 private:
  struct Chunk {
    LocalInstant due;
    std::vector<std::byte> bytes;  // none: the stream's end
  };
  struct Flow {  // reads from ends[i], writes to ends[1 - i]
    std::deque<Chunk> held;
    std::size_t held_bytes = 0;
    std::size_t written_bytes = 0;  // of the first chunk
    bool source_ended = false;
    bool ended = false;  // the end was passed on too
    bool full = false;   // the writing end takes no more, or is not connected yet
  };
  struct Connection {
    std::array<UniqueFd, 2> ends;  // the client's, the target's
    std::array<Flow, 2> flows{};   // to the target, from it
    bool failed = false;
    std::size_t number = 0;  // of all connections
  };

  [[nodiscard]] pollfd watch_end(const Connection& connection, std::size_t i,
                                 LocalInstant now) const noexcept;
  [[nodiscard]] bool has_room(const Flow& flow, std::size_t i) const noexcept;
  [[nodiscard]] bool may_read(const Flow& flow, std::size_t i, LocalInstant now) const noexcept;
  void take_from(Connection& connection, std::size_t i, short events);
  void read_some(Connection& connection, std::size_t i);
  void hold(Flow& flow, std::size_t i, std::span<const std::byte> bytes);
  static void write_due(Connection& connection, std::size_t i, LocalInstant now);
  static void write_front(Connection& connection, std::size_t i);
  void accept_one();
  void remove_ended();

  const UniqueFd listener_;
  const net::SocketAddress target_;
  std::array<PathLink, 2>& links_;
  std::array<PathDice, 2> dice_;
  std::list<Connection> connections_;
  std::vector<std::byte> room_;
  bool cut_ = false;
  bool records_ = false;
  std::size_t accepted_ = 0;
  std::size_t recorded_bytes_ = 0;
  std::map<std::size_t, std::vector<std::byte>> recorded_;  // by connection
};

}  // namespace tilewall::test
