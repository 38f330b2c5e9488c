// The director's control port: accepts connections, passes whole messages to a handler, and sends
// answers.
//
// Threads: one owner, the director's thread, which calls poll() in a loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "net/control/message_stream.hpp"
#include "net/socket.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::director {

using ConnectionId = std::uint64_t;

class ControlServer {
 public:
  struct Handler {
    /// Handles a message. An InputError thrown here ends the connection.
    std::function<void(ConnectionId, const nlohmann::json&, std::vector<std::uint8_t>&& blob)>
        message;
    std::function<void(ConnectionId)> closed;
    std::function<void(ConnectionId)> connected;
    /// Called once, with a line for people, when connections cannot be accepted for the moment.
    std::function<void(const std::string& line)> trouble = {};
  };

  /// `listening` is a listening TCP socket. `limits` holds for trusted peers; others may send up to
  /// 64 KiB per message and no blob.
  ControlServer(UniqueFd listening, net::MessageLimits limits, Handler handler);

  /// Raises the limits of an authenticated peer.
  void trust(ConnectionId id);

  /// Waits up to `limit` for messages and connections, and handles them. `awake`, if any, is called
  /// between the two.
  void poll(std::chrono::milliseconds limit, const std::function<void()>& awake = {});

  /// Sends or queues a message. Never blocks. A peer with 4096 messages or 64 MiB unread is
  /// disconnected in the next poll(). Does nothing for a closed connection.
  void send(ConnectionId to, const nlohmann::json& json);
  /// The same for a message that has a blob.
  void send_message(ConnectionId to, net::Message message);
  /// Bytes that wait here until the peer reads; 0 for a closed connection.
  [[nodiscard]] std::size_t unread_bytes(ConnectionId id) const;
  /// The least round trip of the connection so far; 0: unknown.
  [[nodiscard]] std::chrono::nanoseconds round_trip(ConnectionId id) const;
  /// The address of the connection's peer, "127.0.0.1:40112"; "" where it is closed.
  [[nodiscard]] std::string peer(ConnectionId id) const;
  [[nodiscard]] std::size_t connections() const noexcept { return streams_.size(); }

 private:
  void accept_all();
  void pause_accepting(int error);
  void serve(ConnectionId id, net::MessageStream& stream);
  void drop(ConnectionId id);

  const UniqueFd listening_;
  net::AcceptPause pause_;
  bool pause_told_ = false;
  const net::MessageLimits limits_;
  const Handler handler_;
  ConnectionId next_id_ = 1;
  std::map<ConnectionId, net::MessageStream> streams_;
  std::vector<ConnectionId> lost_;
};

}  // namespace tilewall::director
