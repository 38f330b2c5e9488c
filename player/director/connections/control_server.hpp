// The director's control port: accepts connections, lets them prove the show's key
// (net/CONTROL.md), passes whole messages to a handler, and sends answers.
//
// A connection is a stranger until it has proved the key, then a guest until its first message
// tells what it is: a member, one of the show's own processes, or a client. Nobody locks another
// one out: strangers have 10 s and give way to newer ones, the oldest of the address with most of
// them first; clients leave places for members; and unfinished messages share one budget of memory.
//
// Threads: one owner, the director's thread, which calls poll() in a loop.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "net/auth_key.hpp"
#include "net/control/sealed_stream.hpp"
#include "net/socket.hpp"
#include "sync/base/handle.hpp"
#include "sync/global_time.hpp"

namespace tilewall::director {

using ConnectionId = std::uint64_t;

/// Which connections are encrypted: those beyond loopback, all, or none. Each is authenticated.
enum class ControlEncryption { automatic, on, off };
inline constexpr std::string_view control_encryption_names[] = {"auto", "on", "off"};

class ControlServer {
 public:
  static constexpr std::size_t most_connections = 2048;
  static constexpr std::size_t most_strangers = most_connections / 2;
  static constexpr std::chrono::seconds stranger_limit{10};

  struct Options {
    net::AuthKey key;  ///< the show's, for the control port
    ControlEncryption encryption = ControlEncryption::automatic;
    net::MessageLimits limits{};         ///< Limits of messages from authenticated peers
    std::size_t places_for_members = 0;  ///< connections that clients leave free
    std::size_t receive_bytes = std::size_t{64} << 20;  ///< memory for unfinished messages
  };

  struct Handler {
    /// Handles a message. An InputError thrown here ends the connection. Any other exception fails
    /// this request alone.
    std::function<void(ConnectionId, const nlohmann::json&, std::vector<std::uint8_t>&& blob)>
        message;
    std::function<void(ConnectionId)> closed;
    /// Called with a line for people: once when connections cannot be accepted for the moment, and
    /// for each request that failed.
    std::function<void(const std::string& line)> trouble = {};
  };

  /// `listening` is a listening TCP socket.
  ControlServer(UniqueFd listening, Options options, Handler handler);

  /// The connection is a member's, whose messages may have a blob of that size.
  void join(ConnectionId id, std::uint32_t blob_bytes = 0);
  /// The connection is a client's. Throws InputError where there are too many. Does nothing for a
  /// member, or a client that was admitted before.
  void admit_client(ConnectionId id);

  /// Waits up to `limit` for messages and connections, and handles them: those of some milliseconds
  /// of processor time, so that a turn stays short where hundreds of connections have messages. The
  /// next call goes on with the connections that wait longest. `awake`, if any, is called between
  /// the two.
  void poll(std::chrono::milliseconds limit, const std::function<void()>& awake = {});
  /// Whether the last poll() left messages for the next one, which does not wait.
  [[nodiscard]] bool has_more() const noexcept { return has_more_; }

  /// Sends or queues a message. Never blocks. A peer with 4096 messages or 64 MiB unread is
  /// disconnected in the next poll(). Does nothing for a closed connection.
  void send(ConnectionId to, const nlohmann::json& json);
  /// The same for several connections.
  void send(std::span<const ConnectionId> to, const nlohmann::json& json);
  /// The same for a message that has a blob.
  void send_message(ConnectionId to, net::Message message);
  /// Bytes that wait here until the peer reads; 0 for a closed connection.
  [[nodiscard]] std::size_t unread_bytes(ConnectionId id) const;
  /// The least round trip of the connection so far; 0: unknown.
  [[nodiscard]] std::chrono::nanoseconds round_trip(ConnectionId id) const;
  /// The address of the connection's peer, "127.0.0.1:40112"; "" where it is closed.
  [[nodiscard]] std::string peer(ConnectionId id) const;
  /// Connections whose peers have proved the key.
  [[nodiscard]] std::size_t connections() const noexcept { return peers_.size() - strangers_; }
  [[nodiscard]] std::size_t strangers() const noexcept { return strangers_; }
  /// Requests that failed because the handler threw something else than InputError.
  [[nodiscard]] std::uint64_t requests_failed() const noexcept { return requests_failed_; }
  /// Memory that unfinished messages take.
  [[nodiscard]] std::size_t received_bytes() const noexcept { return budget_.used_bytes(); }

 private:
  enum class Standing { stranger, guest, client, member };
  struct Peer {
    net::SealedStream stream;
    std::string address;  // without the port; "" = its peer is gone
    LocalInstant since;
    Standing standing = Standing::stranger;
  };

  /// Serves the connections `ids` that `ready` names.
  void serve_ready(const std::vector<ConnectionId>& ids, const std::vector<pollfd>& ready);
  void accept_some();
  void pause_accepting(int error);
  void add(UniqueFd socket);
  [[nodiscard]] net::SealKind seal_for(const std::optional<net::SocketAddress>& peer) const;
  [[nodiscard]] std::optional<ConnectionId> oldest_of_most(Standing standing) const;
  void make_place();
  void make_room(ConnectionId for_whom);
  void give_up_strangers();
  void serve(ConnectionId id, Peer& peer);
  /// Returns whether the connection goes on.
  [[nodiscard]] bool handle(ConnectionId id, net::Message message);
  void note_failure(ConnectionId from, const nlohmann::json& request, const char* what);
  void log_end(ConnectionId id, const std::string& why);
  void drop(ConnectionId id);

  const UniqueFd listening_;
  net::AcceptPause pause_;
  bool pause_told_ = false;
  const Options options_;
  const Handler handler_;
  const std::size_t places_;  // for connections
  ConnectionId next_id_ = 1;
  net::ReceiveBudget budget_;
  std::map<ConnectionId, Peer> peers_;  // uses the budget
  std::size_t strangers_ = 0;           // among the peers
  ConnectionId last_served_ = 0;
  bool has_more_ = false;
  std::vector<ConnectionId> lost_;
  std::uint64_t requests_failed_ = 0;
  LocalInstant next_log_{};
};

}  // namespace tilewall::director
