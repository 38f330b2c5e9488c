// Serves slabs to many clients at once. Workers hand each request to the application, which answers
// at once or later, and one network thread sends the slabs by UDP or TCP, as each client chose.
// Control connections and stripes share a TCP port; the UDP port has the same number.
//
// Threads: run() takes place on the caller's thread, the network thread. The workers belong to this
// object and call only the SlabSource.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "net/auth_key.hpp"
#include "net/control/message_stream.hpp"
#include "net/slab/packet_socket.hpp"
#include "net/slab/server_session.hpp"
#include "net/slab/slab_listener.hpp"
#include "net/slab/slab_source.hpp"
#include "net/socket.hpp"

namespace tilewall::net {

class SlabWorkers;

struct SlabServerOptions {
  SocketAddress address;  ///< must be loopback without a key
  std::optional<AuthKey> key = {};
  double rate_gbit_s = 0;  ///< sending rate for each client; 0: as its path allows
  int workers = 4;         ///< number of reading threads
  int most_sessions = 256;
  /// Receives lines for the operator, at most one per second, on the network thread.
  std::function<void(const std::string& line)> log = [](const std::string&) {};
};

struct SlabServerStatus {
  int sessions = 0;
  SessionCounters sent;         ///< sums over all sessions, ended ones included
  std::uint64_t refused = 0;    ///< connections that were refused or dropped
  std::uint64_t malformed = 0;  ///< packets without a session, or with a wrong header or tag
};

class SlabServer {
 public:
  /// Listens. `source` outlives this. Throws InputError for an address beyond loopback without a
  /// key, and JobError if the port is in use.
  SlabServer(SlabServerOptions options, SlabSource& source);
  ~SlabServer();

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

  /// Serves until `stop_fd` is readable. To be called once.
  void run(int stop_fd);

  /// Sends a message to every session that is open when the network thread gets to it. Any thread.
  /// A message that is not sent yet is replaced by a newer one of the same "type". A client that
  /// does not read is dropped once 16 MiB wait for it. @pre a JSON object of at most 1 MiB
  void tell(nlohmann::json message);
  /// Whether a session was open at the last turn of run(). Any thread.
  [[nodiscard]] bool has_sessions() const { return status().sessions > 0; }

  /// Status as of the last turn of run(). Any thread.
  [[nodiscard]] SlabServerStatus status() const;

 private:
  struct Connection;

  void accept_all();
  void make_room();
  void serve(Connection& connection);
  void serve_control(Connection& connection);
  void handle(Connection& connection, Message message);
  void begin_session(Connection& connection, const nlohmann::json& hello);
  void begin_stripe(Connection& connection, const nlohmann::json& message);
  [[nodiscard]] SlabHandshake::Joined prepare_stripe(int socket,
                                                     const SlabHandshake::Stripe& stripe,
                                                     int stripes);
  void serve_stripe(Connection& connection);
  void fill_stripe(Connection& connection);
  void send(Connection& connection, const nlohmann::json& message);
  void refuse(Connection& connection, const std::string& why);
  void log_at_times(const std::string& line);
  void take_packets();
  void submit(std::uint64_t session, std::vector<SlabJob> jobs);
  void take_results();
  void pass_on(const nlohmann::json& told);
  void send_packets();
  void drop_lost();
  void watch(Connection& connection);
  [[nodiscard]] LocalInstant due() const;
  void note_status();

  const SlabServerOptions options_;
  SlabListener listener_;
  const std::uint16_t port_;
  UniqueFd packets_;
  UniqueFd epoll_;
  PacketReceiver receiver_;
  PacketSender sender_;
  std::map<int, std::unique_ptr<Connection>> connections_;  // by descriptor
  std::map<std::uint64_t, std::unique_ptr<ServerSession>> sessions_;
  std::uint64_t refused_ = 0;
  std::uint64_t malformed_ = 0;
  SessionCounters ended_;  // sums of sessions that have ended
  LocalInstant logged_;
  mutable std::mutex status_mutex_;
  SlabServerStatus status_;               // guarded by status_mutex_
  std::unique_ptr<SlabWorkers> workers_;  // threads; they use no other member of this
};

}  // namespace tilewall::net
