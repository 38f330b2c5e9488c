// The director's control port: accepts connections, hands whole messages on, queues answers.
//
// Threads: one owner, who calls poll() in a loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "net/control/message_stream.hpp"
#include "net/socket.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::director {

using ConnectionId = std::uint64_t;

class ControlServer {
 public:
  struct Handler {
    /// An InputError thrown here ends the connection.
    std::function<void(ConnectionId, const nlohmann::json&, std::vector<std::uint8_t>&& blob)>
        message;
    std::function<void(ConnectionId)> closed;
    std::function<void(ConnectionId)> connected;
    /// Connections cannot be accepted for now; once per cause.
    std::function<void(const std::string& line)> trouble = {};
  };

  /// `listening`: a listening TCP socket. `limits`: of peers that are trusted; others may send but
  /// small messages.
  ControlServer(UniqueFd listening, net::MessageLimits limits, Handler handler);

  /// The peer has shown who it is.
  void trust(ConnectionId id);

  /// Waits up to `limit` for something to happen, and handles it.
  void poll(std::chrono::milliseconds limit);

  void send(ConnectionId to, const nlohmann::json& json);
  /// The least round trip of the connection so far; 0: not known.
  [[nodiscard]] std::chrono::nanoseconds round_trip(ConnectionId id) const;
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
