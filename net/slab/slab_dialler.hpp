// The connections that a server makes itself: to requesters, again and again for as long as the
// server runs, and for the stripes of its sessions with them, once each. Nothing blocks.
//
// Threads: one owner, the server's network thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "net/slab/event_set.hpp"
#include "net/socket.hpp"
#include "sync/base/handle.hpp"
#include "sync/global_time.hpp"

namespace tilewall::net {

class SlabDialler {
 public:
  static constexpr Nanos shortest_pause = std::chrono::milliseconds(100);
  static constexpr Nanos longest_pause = std::chrono::seconds(2);
  static constexpr Nanos longest_connecting = std::chrono::seconds(5);
  /// After a session of this length the next pause is the shortest one. A requester that ends each
  /// session as soon as it has begun is not dialled ten times a second.
  static constexpr Nanos lasting_session = std::chrono::seconds(5);

  /// `log` is told about the first failure of each requester since it last answered.
  SlabDialler(const std::vector<SocketAddress>& requesters,
              std::function<void(const std::string& line)> log);
  ~SlabDialler();
  SlabDialler(const SlabDialler&) = delete;
  SlabDialler& operator=(const SlabDialler&) = delete;

  struct Target {
    SocketAddress address;
    int requester = -1;  ///< index of the requester; -1: a stripe
  };
  struct Connected {
    UniqueFd socket;  ///< empty if the connection failed
    Target target;
  };

  void dial_stripe(const SocketAddress& address) { stripes_.push_back(address); }
  /// Begins the connections that are due, for which `events` waits, and gives up old ones.
  void step(EventSet& events, LocalInstant now);
  /// Handles an event of `fd`, for which `events` waits no longer. Empty if it is none of the
  /// connections that are being made.
  [[nodiscard]] std::optional<Connected> finish(int fd, EventSet& events, LocalInstant now);

  /// Notes that a session with the requester has begun.
  void note_session(int requester, LocalInstant now);
  /// Notes that the connection to the requester has ended: it is made again after a pause, which
  /// grows from one to the next until a session has lasted.
  void note_end(int requester, LocalInstant now);
  /// Drops the connections that are being made. Requesters without one are dialled after a pause.
  /// @pre the sessions with all of them have ended
  void begin_anew(EventSet& events, LocalInstant now);

  /// Instant at which step() has work; LocalInstant's end if there is none.
  [[nodiscard]] LocalInstant due() const;

 private:
  struct Requester {
    SocketAddress address;
    Nanos pause = shortest_pause;  // the next one's length
    LocalInstant due;              // when it is dialled; the end of LocalInstant: it is connected
    bool has_failed = false;       // since it last answered
    std::optional<LocalInstant> session_since;  // empty without one
  };
  struct Attempt {
    UniqueFd socket;
    Target target;
    LocalInstant until;
  };

  void begin(const Target& target, EventSet& events, LocalInstant now);
  void fail(const Target& target, const std::string& why, LocalInstant now);

  std::function<void(const std::string& line)> log_;
  std::vector<Requester> requesters_;
  std::vector<SocketAddress> stripes_;  // that step() is to dial
  std::map<int, Attempt> attempts_;     // by descriptor
};

}  // namespace tilewall::net
