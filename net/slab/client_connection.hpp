// How a client reaches a server: the connections of a session, and the messages on its control
// connection.
//
// One owner.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include "net/auth_key.hpp"
#include "net/control/message_stream.hpp"
#include "net/interfaces.hpp"
#include "net/slab/control_seal.hpp"
#include "net/slab/handshake.hpp"
#include "net/socket.hpp"

namespace tilewall {

struct SlabSessionOptions {
  std::optional<AuthKey> key;
  SlabTransport transport = SlabTransport::udp;
  int stripes = 1;  ///< tcp: connections
  /// tcp: that they are spread over, by their rates; none: as routes go. @pre no more than stripes
  std::vector<NetInterface> interfaces = {};
  bool encrypt = false;            ///< needs a key
  std::uint32_t packet_bytes = 0;  ///< udp: 0: what the path's MTU takes
};

/// Connects within `limit`; `prepare` is called with the socket before. Throws JobError where
/// nobody answers.
[[nodiscard]] MessageStream connect_to_server(const SocketAddress& server,
                                              std::chrono::milliseconds limit,
                                              const std::function<void(int socket)>& prepare = {});
/// The next message of a connection. Throws JobError where none comes in time.
[[nodiscard]] nlohmann::json await_message(MessageStream& stream, const SocketAddress& server,
                                           LocalInstant until);
/// The server's first message. Throws as await_message(), and InputError unless the server has a
/// key where this side has one (`keyed`).
[[nodiscard]] SlabChallenge await_challenge(MessageStream& stream, const SocketAddress& server,
                                            bool keyed, LocalInstant until);

/// A session that has begun.
struct SessionStart {
  std::uint64_t id = 0;
  SessionKeys keys;
};

class ControlConnection {
 public:
  /// Connects to the server and takes its challenge. `key` outlives begin(). Throws as
  /// await_challenge().
  ControlConnection(const SocketAddress& server, const std::optional<AuthKey>& key,
                    std::chrono::milliseconds limit, LocalInstant until);

  /// Says hello. Messages are sealed from then on. Throws JobError where no answer comes until
  /// `until`, the server's InputError where it refuses, InputError where it cannot show the key.
  [[nodiscard]] SessionStart begin(const SocketAddress& server, const std::optional<AuthKey>& key,
                                   const SlabHello& hello, LocalInstant until);

  void ask(const nlohmann::json& question);
  /// Sends and takes what it can; what the server said is added to `answers`. False: the server is
  /// gone. Throws InputError where a message is not what the server said.
  [[nodiscard]] bool step(std::vector<nlohmann::json>& answers);
  [[nodiscard]] pollfd watched() const;
  [[nodiscard]] int fd() const noexcept { return stream_.fd(); }

 private:
  MessageStream stream_;
  SlabChallenge challenge_;
  std::optional<ControlSeal> seal_;  // of the messages, once the session has begun
};

}  // namespace tilewall
