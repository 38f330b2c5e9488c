// The client's side of a session's TCP connections: connecting or being connected to, the handshake
// (handshake.hpp), and the messages of the control connection.
//
// Threads: one owner. connect_to_server() and the await functions block; a ControlConnection's
// step() does not.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "net/auth_key.hpp"
#include "net/control/control_seal.hpp"
#include "net/control/message_stream.hpp"
#include "net/interfaces.hpp"
#include "net/slab/handshake.hpp"
#include "net/socket.hpp"

namespace tilewall::net {

struct SlabSessionOptions {
  std::optional<AuthKey> key;
  SlabTransport transport = SlabTransport::udp;
  int stripes = 1;  ///< TCP only: number of connections that carry slabs
  /// TCP only: interfaces over which the stripes are spread, by their rates. If empty, the stripes
  /// follow the routes. @pre no more interfaces than stripes
  std::vector<NetInterface> interfaces = {};
  bool encrypt = false;            ///< encrypt slabs and messages; ignored without a key
  std::uint32_t packet_bytes = 0;  ///< UDP only: size of a full packet; 0: by the path's MTU
  /// The longest control message that is accepted of the server, in bytes.
  std::uint32_t longest_answer_bytes = 64u << 20;
};

/// Connects within `limit`. Calls `prepare` with the socket before it is connected. Throws JobError
/// if the server does not answer.
[[nodiscard]] MessageStream connect_to_server(const SocketAddress& server,
                                              std::chrono::milliseconds limit,
                                              const std::function<void(int socket)>& prepare = {});
/// Waits for a connection from the server's host to a listening, non-blocking socket. Connections
/// from other hosts are closed. Throws JobError if none comes by `until`.
[[nodiscard]] MessageStream accept_from_server(int listening, const SocketAddress& server,
                                               LocalInstant until);
/// Waits for the next message, and takes no other one, as later ones may have other limits. Throws
/// JobError if none arrives by `until` or it is not JSON.
[[nodiscard]] nlohmann::json await_message(MessageStream& stream, const SocketAddress& server,
                                           LocalInstant until);
/// Waits for the server's first message. `keyed` is whether this side has a key. Throws as
/// await_message(), and InputError if only one side has a key.
[[nodiscard]] SlabChallenge await_challenge(MessageStream& stream, const SocketAddress& server,
                                            bool keyed, LocalInstant until);

/// A session that has begun.
struct SessionStart {
  std::uint64_t id = 0;
  SessionKeys keys;
};

class ControlConnection {
 public:
  /// Connects to the server and waits for its challenge. Throws as connect_to_server() and
  /// await_challenge().
  ControlConnection(const SocketAddress& server, const std::optional<AuthKey>& key,
                    std::chrono::milliseconds limit, LocalInstant until);
  /// Takes a connection that the server made, and the challenge that came over it.
  ControlConnection(MessageStream stream, SlabChallenge challenge)
      : stream_(std::move(stream)), challenge_(std::move(challenge)) {}

  /// Sends the hello and waits for the welcome. All later messages are sealed. Throws JobError if
  /// no answer arrives by `until`, and InputError if the server refuses or its tag is wrong.
  [[nodiscard]] SessionStart begin(const SocketAddress& server, const SlabSessionOptions& options,
                                   const SlabHello& hello, LocalInstant until);

  /// Queues a question to the server's application. @pre begin() has returned
  void ask(const nlohmann::json& question);
  /// Sends and receives without blocking. Appends the server's answers to `answers`, and what its
  /// application told to `told`. Returns false once the connection is closed. Throws InputError if
  /// a message's seal is wrong.
  [[nodiscard]] bool step(std::vector<nlohmann::json>& answers, std::vector<nlohmann::json>& told);
  [[nodiscard]] pollfd watched() const;
  [[nodiscard]] int fd() const noexcept { return stream_.fd(); }

 private:
  MessageStream stream_;
  SlabChallenge challenge_;
  std::optional<ControlSeal> seal_;  // empty until the session has begun
};

}  // namespace tilewall::net
