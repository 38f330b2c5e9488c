// Gives slabs to many clients at once: takes what they ask for, has it read by workers, and sends
// it by UDP or TCP, whichever each client chose. Control and TCP data share a TCP port; UDP has the
// same number.
//
// Threads: run() is the caller's; workers, which read, are this object's.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "net/auth_key.hpp"
#include "net/control/message_stream.hpp"
#include "net/slab/server_session.hpp"
#include "net/slab/slab_buffer.hpp"
#include "net/slab/slab_listener.hpp"
#include "net/socket.hpp"

namespace tilewall::net {

/// What a server has to give. Called by its workers, several at once.
class SlabSource {
 public:
  virtual ~SlabSource() = default;

  /// Answers a client's question, outside of slabs. An InputError is told to the client.
  [[nodiscard]] virtual nlohmann::json call(const nlohmann::json& question) = 0;

  /// What `request` asks for; what throws comes to the client as a slab of no bytes. It is let go
  /// once it has arrived, before the server ends.
  [[nodiscard]] virtual std::shared_ptr<const SlabBuffer> read(
      std::span<const std::byte> request) = 0;
};

struct SlabServerOptions {
  SocketAddress address;  ///< loopback, unless there is a key
  std::optional<AuthKey> key = {};
  double rate_gbit_s = 0;  ///< a client's; 0: as its path allows
  int workers = 4;
  int most_sessions = 256;
  std::function<void(const std::string& line)> log = [](const std::string&) {};
};

struct SlabServerStatus {
  int sessions = 0;
  SessionCounters sent;         ///< of all sessions, ended ones too
  std::uint64_t refused = 0;    ///< connections, for whatever reason
  std::uint64_t malformed = 0;  ///< packets of no session, or not whole
};

class SlabServer {
 public:
  /// Listens. Throws InputError beyond loopback without a key, JobError where the port is in use.
  SlabServer(SlabServerOptions options, SlabSource& source);
  ~SlabServer();

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

  /// Serves until `stop_fd` is readable.
  void run(int stop_fd);

  /// Any thread.
  [[nodiscard]] SlabServerStatus status() const;

 private:
  struct Connection;
  struct Work;
  class Workers;

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
  SessionCounters ended_;  // of sessions that have ended
  LocalInstant logged_;
  mutable std::mutex status_mutex_;
  SlabServerStatus status_;           // guarded by status_mutex_
  std::unique_ptr<Workers> workers_;  // last: they use the source alone
};

}  // namespace tilewall::net
