// Serves slabs to many clients at once. Workers hand each request to the application, which answers
// at once or later, and one network thread sends the slabs by UDP or TCP, as each client chose.
// Either side may connect: the server listens, or connects to requesters (slab_acceptor.hpp), or
// both. Control connections and stripes share a TCP port; the UDP port has the same number.
//
// A thousand clients need more descriptors than a shell allows: a program that serves them begins
// with allow_open_files(). This leaves the limits of the process alone, which may be a
// simulation's.
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
#include "net/slab/answer_budget.hpp"
#include "net/slab/event_set.hpp"
#include "net/slab/packet_socket.hpp"
#include "net/slab/server_session.hpp"
#include "net/slab/slab_dialler.hpp"
#include "net/slab/slab_listener.hpp"
#include "net/slab/slab_source.hpp"
#include "net/socket.hpp"

namespace tilewall::net {

class SlabWorkers;

struct SlabServerOptions {
  std::optional<SocketAddress> address = {};  ///< where it listens; must be loopback without a key
  std::optional<AuthKey> key = {};
  double rate_gbit_s = 0;             ///< sending rate for each client; 0: as its path allows
  int workers = 4;                    ///< number of reading threads, and of those for slow requests
  AnswerBudget::Limits answers = {};  ///< limits of answers in memory
  int most_sessions = 256;
  /// Addresses to which the server connects, each again and again for as long as it runs. Must be
  /// loopback without a key.
  std::vector<SocketAddress> requesters = {};
  /// What the challenge says of this server, UTF-8 of at most longest_provides_bytes. Everyone who
  /// connects can read it; requesters choose by it.
  std::string provides = {};
  /// Ends the session (UDP) of a client that has acked nothing for some 3 s although packets are on
  /// their way to it, so that it holds no slabs. Else the control connection ends it after some 20
  /// s.
  bool ends_unheard = false;
  /// Receives lines for the operator, at most one per second, on the network thread.
  std::function<void(const std::string& line)> log = [](const std::string&) {};
};

struct SlabServerStatus {
  int sessions = 0;
  std::uint64_t answer_bytes = 0;  ///< Bytes of answers in memory (SlabServerOptions::answers)
  SessionCounters sent;            ///< sums over all sessions, ended ones included
  std::uint64_t refused = 0;       ///< connections that were refused or dropped
  std::uint64_t malformed = 0;     ///< packets without a session, or with a wrong header or tag
};

class SlabServer {
 public:
  /// Listens. `source` outlives this. Throws InputError for an address beyond loopback without a
  /// key or for a wrong `provides`, and JobError if the port is in use.
  SlabServer(SlabServerOptions options, SlabSource& source);
  /// The same with sockets that are open already, so that a server that is started again serves at
  /// the same address. `options.address` is theirs.
  SlabServer(SlabServerOptions options, SlabSource& source, ServerSockets sockets);
  ~SlabServer();

  /// 0 unless it listens.
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

  /// Serves until `stop_fd` is readable. Throws JobError where the system refuses what it cannot do
  /// without; all sessions have ended then, and it may be called again.
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
  struct PacketPort;

  [[nodiscard]] bool turn(int stop_fd);
  void end_all();
  void accept_all();
  Connection& adopt(UniqueFd socket);
  void take_dialled(SlabDialler::Connected dialled);
  void open_session(Connection& connection, const SlabHello& hello, ServerSession& session);
  [[nodiscard]] PacketPort& port_for(const Connection& connection);
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
  void take_packets(PacketReceiver& receiver);
  void submit(std::uint64_t session, std::vector<SlabJob> jobs);
  void take_results();
  void pass_on(const nlohmann::json& told);
  void send_packets();
  void drop_lost(LocalInstant now);
  void watch(Connection& connection);
  [[nodiscard]] LocalInstant due() const;
  void note_status();

  const SlabServerOptions options_;
  std::optional<SlabListener> listener_;
  std::uint16_t port_ = 0;
  EventSet events_;
  std::vector<std::unique_ptr<PacketPort>> ports_;  // UDP: the listening one, and for dialled peers
  SlabDialler dialler_;
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
