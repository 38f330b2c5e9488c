// The requester's side of sessions whose provider connects: listens, and reads who is there. Each
// connection that begins with a challenge becomes an offer, from which the application makes a
// ClientSession, or which it refuses.
//
// Nothing is proved yet when an offer is made: whoever reaches the port may claim to provide
// anything. The handshake, which ClientSession's constructor carries out, proves both sides and the
// text of `provides`. That constructor blocks, so its thread should be one that may wait.
//
// Threads: one owner, who waits on watched() until due() and then calls step(). Nothing blocks.
#pragma once

#include <poll.h>

#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "net/auth_key.hpp"
#include "net/control/message_stream.hpp"
#include "net/slab/handshake.hpp"
#include "net/socket.hpp"
#include "sync/base/handle.hpp"
#include "sync/global_time.hpp"

namespace tilewall::net {

/// A provider that has connected and waits for the hello.
struct Offered {
  std::string provides;  ///< the provider's text, of at most 256 bytes; not proved yet
  SocketAddress from;
  SlabChallenge challenge;
  MessageStream control;

  /// Sends the reason, which the provider's operator reads. The connection ends with this object.
  void refuse(const std::string& why);
};

struct SlabAcceptorOptions {
  SocketAddress address;  ///< must be loopback without a key
  std::optional<AuthKey> key = {};
  /// Receives a line for each connection that is refused, at most one per second.
  std::function<void(const std::string& line)> log = [](const std::string&) {};
};

class SlabAcceptor {
 public:
  static constexpr std::size_t most_held = 512;  ///< then one makes room (eviction.hpp)
  static constexpr Nanos longest_held = std::chrono::seconds(10);

  /// Listens. Throws InputError for an address beyond loopback without a key, and JobError if the
  /// port is in use.
  explicit SlabAcceptor(SlabAcceptorOptions options);

  [[nodiscard]] std::uint16_t port() const { return local_address(listening_.get()).port(); }

  /// Descriptors and events to wait for.
  [[nodiscard]] std::vector<pollfd> watched() const;
  /// Instant at which step() has work even if no descriptor is ready.
  [[nodiscard]] LocalInstant due() const;
  /// Accepts, reads challenges, and drops what is malformed, too old, or more than most_held.
  void step(LocalInstant now);

  /// Removes and returns the providers that wait, oldest first. Where two have the same text, the
  /// application decides.
  [[nodiscard]] std::vector<Offered> take();

  /// Number of connections that are held.
  [[nodiscard]] std::size_t held() const noexcept { return held_.size(); }
  /// Number of connections that were refused or dropped.
  [[nodiscard]] std::uint64_t refused() const noexcept { return refused_; }

 private:
  struct Held {
    MessageStream stream;
    SocketAddress from;
    LocalInstant since;
    std::optional<SlabChallenge> challenge;  // empty until it has come
  };

  void accept_all(LocalInstant now);
  [[nodiscard]] bool read(Held& held, LocalInstant now);
  void take_message(Held& held, const Message& message) const;
  void log_at_times(const std::string& line, LocalInstant now);

  const SlabAcceptorOptions options_;
  const UniqueFd listening_;
  AcceptPause pause_;
  std::list<Held> held_;  // oldest first
  std::uint64_t refused_ = 0;
  LocalInstant logged_;
};

}  // namespace tilewall::net
