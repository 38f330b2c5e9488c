#include "net/slab/slab_server.hpp"

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "net/control/control_seal.hpp"
#include "net/slab/eviction.hpp"
#include "net/slab/slab_workers.hpp"
#include "net/slab/tcp_window.hpp"
#include "net/socket.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/process.hpp"

namespace tilewall::net {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t longest_question_bytes = 65'536;
// Limit for a client that does not read.
constexpr std::size_t most_queued_answer_bytes = 16u << 20;
constexpr std::size_t most_connections = 1200;
constexpr std::size_t most_unauthenticated = 512;  // connections without a hello
constexpr std::chrono::seconds longest_handshake{10};
constexpr std::chrono::seconds shortest_log_gap{1};
constexpr int most_questions = 16;  // most open questions of one client
constexpr int batches_a_turn = 16;
constexpr std::uint32_t receive_piece_bytes = 9000;  // requests and acks are smaller

std::uint64_t random_session() {
  std::uint64_t session = 0;
  check_sys(::getrandom(&session, sizeof session, 0), "getrandom");
  return session;
}

SlabServerOptions checked(SlabServerOptions options) {
  std::vector<SocketAddress> addresses = options.requesters;
  if (options.address) addresses.push_back(*options.address);
  for (const SocketAddress& address : addresses)
    if (!options.key && !address.loopback())
      throw InputError(
          to_string(address) +
          ": beyond loopback a server needs the wall's key: make one with 'tilewall key "
          "new FILE', and give it with --key-file FILE");
  check_provides(options.provides);
  return options;
}

/// An address of the family that means "any of this host's", with any port.
SocketAddress any_address(int family) {
  SocketAddress address;
  address.storage.ss_family = static_cast<sa_family_t>(family);
  address.length = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
  return address;
}

/// Makes text of a peer fit for a line.
std::string one_line(std::string text) {
  constexpr std::size_t most_chars = 300;
  text.resize(std::min(text.size(), most_chars));
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
  return text;
}

}  // namespace

/// A TCP connection. It begins as a control connection, and may become a stripe.
struct SlabServer::Connection {
  Connection(UniqueFd socket, const SlabServerOptions& options)
      : nonce(random_nonce_hex()),
        handshake(options.key, nonce, options.provides),
        fd(socket.get()),
        from(peer_address(fd).value_or(SocketAddress{})),
        control(std::in_place, std::move(socket), unauthenticated_limits) {}
  ~Connection() { end_connection(fd); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] bool is_dialled() const noexcept { return target.has_value(); }

  std::string nonce;
  SlabHandshake handshake;
  int fd;
  SocketAddress from;
  std::optional<SlabDialler::Target> target;  // empty if the peer connected
  std::optional<MessageStream> control;       // empty once it is a stripe
  std::optional<ControlSeal> seal;            // empty until it has a session
  UniqueFd stripe_socket;                     // empty unless it is a stripe
  int stripe = -1;                            // index of the stripe; -1: control
  std::optional<StripeReader> reader;
  std::optional<StripeWriter> writer;
  std::uint64_t session = 0;         // 0: none yet
  LocalInstant since = local_now();  // when it was accepted
  int asked = 0;                     // questions without an answer
  bool lost = false;
  bool watches_write = false;
};

/// A UDP socket with what sends and receives on it.
struct SlabServer::PacketPort {
  explicit PacketPort(UniqueFd bound)
      : socket(std::move(bound)),
        family(local_address(socket.get()).family()),
        receiver(socket.get(), receive_piece_bytes),
        sender(socket.get()) {
    static_cast<void>(prepare_packet_socket(socket.get()));
  }

  UniqueFd socket;
  int family;
  PacketReceiver receiver;
  PacketSender sender;
};

SlabServer::SlabServer(SlabServerOptions options, SlabSource& source)
    : SlabServer(std::move(options), source, {}) {}

SlabServer::SlabServer(SlabServerOptions options, SlabSource& source, ServerSockets sockets)
    : options_(checked(std::move(options))),
      dialler_(options_.requesters, [this](const std::string& line) { log_at_times(line); }),
      workers_(std::make_unique<SlabWorkers>(source, options_.workers, options_.answers)) {
  if (!options_.address) return;
  if (sockets.tcp.empty()) sockets = open_server_sockets(*options_.address);
  listener_.emplace(std::move(sockets.tcp));
  port_ = listener_->port();
  ports_.push_back(std::make_unique<PacketPort>(std::move(sockets.udp)));
  events_.watch(ports_.back()->socket.get(), EPOLLIN);
  events_.watch(listener_->fd(), EPOLLIN);
}

SlabServer::~SlabServer() = default;

SlabServerStatus SlabServer::status() const {
  const std::scoped_lock lock(status_mutex_);
  return status_;
}

void SlabServer::tell(Json message) { workers_->outbox().tell(std::move(message)); }

void SlabServer::run(int stop_fd) {
  try {
    for (const int fd : {stop_fd, workers_->outbox().wake_fd()}) events_.watch(fd, EPOLLIN);
    while (turn(stop_fd)) {
    }
  } catch (...) {
    end_all();
    throw;
  }
}

/// Waits once, and does what there is to do. Returns false once it is to stop.
bool SlabServer::turn(int stop_fd) {
  dialler_.step(events_, local_now());
  if (listener_) listener_->update(events_);
  for (const epoll_event& event : events_.wait(due())) {
    const int fd = event.data.fd;
    if (fd == stop_fd) return false;
    if (listener_ && fd == listener_->fd()) accept_all();
    if (auto dialled = dialler_.finish(fd, events_, local_now())) {
      take_dialled(std::move(*dialled));
      continue;
    }
    if (const auto found = connections_.find(fd); found != connections_.end())
      serve(*found->second);
  }
  take_packets();
  take_results();
  send_packets();
  // Connections are closed only here: until now an event of the same array may have named their
  // descriptors, which accept_all() could have reused.
  drop_lost(local_now());
  note_status();
  return true;
}

// A turn that failed may have left anything half done, so all connections end, and peers begin
// anew.
void SlabServer::end_all() {
  const LocalInstant now = local_now();
  for (const auto& [fd, connection] : connections_) connection->lost = true;
  drop_lost(now);
  dialler_.begin_anew(events_, now);
  note_status();
}

void SlabServer::accept_all() {
  for (;;) {
    auto [socket, pause_begins] = listener_->accept();
    if (socket.empty()) {
      if (pause_begins != 0)
        log_at_times(
            fmt::format("no further client can be accepted: {} ({} open files are allowed: "
                        "ulimit -n)",
                        std::strerror(pause_begins), open_files_limit()));
      return;
    }
    make_room();
    if (connections_.size() >= most_connections) {
      ++refused_;
      continue;
    }
    adopt(std::move(socket));
  }
}

SlabServer::Connection& SlabServer::adopt(UniqueFd socket) {
  const int fd = socket.get();
  close_when_peer_vanishes(fd);
  auto connection = std::make_unique<Connection>(std::move(socket), options_);
  send(*connection,
       challenge_message({connection->nonce, options_.key.has_value(), options_.provides}));
  Connection& added = *(connections_[fd] = std::move(connection));
  events_.watch(fd, EPOLLIN);
  if (added.control->write_some() != StreamStatus::open) added.lost = true;
  watch(added);
  return added;
}

void SlabServer::take_dialled(SlabDialler::Connected dialled) {
  if (dialled.socket.empty()) return;
  adopt(std::move(dialled.socket)).target = dialled.target;
}

// If too many connections have not said hello, ends one of these, so that idle or hostile peers
// cannot keep clients out. Its peer learns of that at once; its descriptor is closed at the end of
// this turn.
void SlabServer::make_room() {
  std::vector<UnprovedPeer> peers;
  std::vector<Connection*> unproved;
  for (const auto& [fd, connection] : connections_) {
    if (connection->session != 0 || connection->lost || connection->is_dialled()) continue;
    peers.push_back({connection->from, connection->since});
    unproved.push_back(connection.get());
  }
  if (peers.size() < most_unauthenticated) return;
  Connection& evicted = *unproved[evicted_of(peers)];
  end_connection(evicted.fd);
  evicted.lost = true;
  ++refused_;
}

void SlabServer::watch(Connection& connection) {
  const bool wants = connection.control ? connection.control->wants_write()
                                        : connection.writer && !connection.writer->idle();
  if (wants == connection.watches_write) return;
  connection.watches_write = wants;
  events_.watch(connection.fd, wants ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void SlabServer::serve(Connection& connection) {
  if (connection.control)
    serve_control(connection);
  else
    serve_stripe(connection);
  if (!connection.lost) watch(connection);
}

void SlabServer::serve_control(Connection& connection) {
  std::vector<Message> messages;
  const StreamStatus status = connection.control->read_some(messages);
  if (status != StreamStatus::open) connection.lost = true;
  if (status == StreamStatus::malformed) ++refused_;
  for (Message& message : messages) {
    if (!connection.control || connection.control->queued_bytes() > most_queued_answer_bytes)
      connection.lost = true;  // sent a message after its stripe began, or does not read
    if (connection.lost) return;
    handle(connection, std::move(message));
  }
  if (connection.control && connection.control->write_some() != StreamStatus::open)
    connection.lost = true;
}

void SlabServer::handle(Connection& connection, Message message) {
  try {
    const Json json =
        parse_json(connection.seal ? connection.seal->open(std::move(message)).text : message.text);
    if (!json.is_object()) throw InputError({"message"}, "", "a JSON object", "something else");
    const auto type = json.find("type");
    if (connection.session != 0 && connection.asked >= most_questions)
      throw InputError({"message"}, "",
                       fmt::format("at most {} questions without an answer", most_questions),
                       "more");
    if (connection.session != 0) {
      ++connection.asked;
      workers_->submit(connection.session, connection.fd, json);
    } else if (connection.is_dialled() && type != json.end() && *type == "refused") {
      log_at_times(fmt::format("{} refused what this provides: {}",
                               to_string(connection.target->address),
                               one_line(json_field<std::string>(json, "error"))));
      connection.lost = true;
    } else if (type != json.end() && *type == "stripe") {
      begin_stripe(connection, json);
    } else {
      begin_session(connection, json);
    }
  } catch (const std::exception& error) {
    refuse(connection, error.what());
  }
}

void SlabServer::send(Connection& connection, const Json& message) {
  Message plain{text_of(message), {}};
  connection.control->queue(connection.seal ? connection.seal->seal(std::move(plain))
                                            : std::move(plain));
}

void SlabServer::refuse(Connection& connection, const std::string& why) {
  ++refused_;
  connection.lost = true;
  const std::string who =
      connection.is_dialled() ? to_string(connection.target->address) : "a client";
  log_at_times(fmt::format("{} was refused: {} ({} so far)", who, why, refused_));
  send(connection, {{"type", "refused"}, {"error", why}});
  static_cast<void>(connection.control->write_some());
}

void SlabServer::log_at_times(const std::string& line) {
  if (local_now() - logged_ < shortest_log_gap) return;
  logged_ = local_now();
  options_.log(line);
}

void SlabServer::begin_session(Connection& connection, const Json& message) {
  const SlabHello hello = connection.handshake.parse_hello(message);
  check_ports(hello, connection.is_dialled());
  if (connection.is_dialled() && connection.target->requester < 0)
    throw InputError({"message"}, "type", "stripe", "hello");
  if (sessions_.size() >= static_cast<std::size_t>(options_.most_sessions))
    throw InputError(fmt::format("this server serves {} clients already", sessions_.size()));
  std::uint64_t id = random_session();
  while (id == 0 || sessions_.contains(id)) id = random_session();
  const SessionKeys keys = connection.handshake.keys(hello);
  const auto peer = peer_address(connection.fd);
  if (!peer) throw InputError("the client is gone");
  auto session = std::make_unique<ServerSession>(
      id, hello, keys, SlabPeer{*peer, tcp_round_trip(connection.fd)},
      options_.rate_gbit_s * 1e9 / 8, port_for(connection).sender);
  if (connection.is_dialled()) open_session(connection, hello, *session);
  sessions_[id] = std::move(session);
  connection.session = id;
  send(connection, connection.handshake.welcome(hello, id));
  connection.seal.emplace(hello.seal, ControlKeys{keys.control_to_client, keys.control_to_server});
  connection.control->allow(connection.seal->limits({longest_question_bytes, 0}));
}

// Opens the way for the slabs of a session with a requester, who cannot connect to this side.
void SlabServer::open_session(Connection& connection, const SlabHello& hello,
                              ServerSession& session) {
  const SocketAddress& address = connection.target->address;
  if (ServerUdpTransport* const udp = session.udp())
    udp->open_path(with_port(address, hello.udp_port), local_now());
  else
    for (int i = 0; i < hello.stripes; ++i)
      dialler_.dial_stripe(with_port(address, hello.stripe_port));
  dialler_.note_session(connection.target->requester, local_now());
}

// Packets to requesters leave from sockets of their own: the listening one may be bound to an
// address from which they cannot be reached.
SlabServer::PacketPort& SlabServer::port_for(const Connection& connection) {
  if (!connection.is_dialled()) return *ports_.front();
  const int family = connection.target->address.family();
  const auto first = ports_.begin() + (listener_ ? 1 : 0);
  const auto found =
      std::find_if(first, ports_.end(), [&](const auto& port) { return port->family == family; });
  if (found != ports_.end()) return **found;
  auto port = std::make_unique<PacketPort>(bind_udp(any_address(family)));
  events_.watch(port->socket.get(), EPOLLIN);
  return *ports_.emplace_back(std::move(port));
}

void SlabServer::begin_stripe(Connection& connection, const Json& message) {
  const SlabHandshake::Stripe stripe = connection.handshake.parse_stripe(message);
  const auto session = sessions_.find(stripe.session);
  ServerTcpTransport* const tcp = session == sessions_.end() ? nullptr : session->second->tcp();
  if (tcp == nullptr || stripe.index >= tcp->stripes())
    throw InputError({"message"}, "session", "a TCP session of this server with this stripe",
                     "none");
  const bool taken = std::any_of(connections_.begin(), connections_.end(), [&](const auto& other) {
    return other.second->session == stripe.session && other.second->stripe == stripe.index;
  });
  if (taken)
    throw InputError({"message"}, "index", "a stripe that is not connected yet", "a connected one");
  connection.session = stripe.session;
  connection.stripe = stripe.index;
  const auto joined = prepare_stripe(connection.fd, stripe, tcp->stripes());
  send(connection, connection.handshake.joined(stripe, joined));
  if (connection.control->write_some() != StreamStatus::open || connection.control->wants_write())
    throw InputError("the stripe's connection does not accept the server's answer");
  connection.stripe_socket = connection.control->release();
  connection.control.reset();
  connection.reader.emplace(connection.fd, stripe.index, tcp->to_server());
  connection.writer.emplace(connection.fd, stripe.index, tcp->to_client());
}

// The stripe's rate is the lower of its path's and its share of the server's rate per client.
SlabHandshake::Joined SlabServer::prepare_stripe(int socket, const SlabHandshake::Stripe& stripe,
                                                 int stripes) {
  double bytes_s = options_.rate_gbit_s * 1e9 / 8 / stripes;
  const auto own = static_cast<double>(stripe.rate_bytes_s);
  if (own > 0 && (bytes_s <= 0 || own < bytes_s)) bytes_s = own;
  if (bytes_s > 0) limit_tcp_rate(socket, bytes_s);
  const Nanos round_trip = tcp_round_trip(socket);
  const double path = bytes_s > 0 ? bytes_s : assumed_path_bytes_s / stripes;
  const TcpWindow window =
      widen_tcp(socket, TcpEnd::sends, tcp_window_bytes(path, round_trip, stripes));
  if (window.bytes < window.wanted_bytes)
    log_at_times(fmt::format(
        "TCP over {:.1f} ms needs a window of {} bytes, but this kernel gives {}: its limit is the "
        "last number of net.ipv4.tcp_wmem",
        as_double(round_trip) * 1e-6, window.wanted_bytes, window.bytes));
  return {window.bytes, window.wanted_bytes, choose_congestion_control(socket, round_trip)};
}

void SlabServer::serve_stripe(Connection& connection) {
  const auto session = sessions_.find(connection.session);
  if (session == sessions_.end()) {
    connection.lost = true;
    return;
  }
  std::vector<SlabJob> jobs;
  StripeReader::Handler handler;
  // Payloads stay in the reader's own memory.
  handler.place = [](const StripeHeader&) { return nullptr; };
  handler.done = [&](const StripeHeader& header, std::span<const std::byte> payload) {
    if (header.kind != PacketKind::data) session->second->tcp()->take(header, payload, jobs);
  };
  if (connection.reader->read_some(handler) != StripeStatus::open) connection.lost = true;
  submit(connection.session, std::move(jobs));
  fill_stripe(connection);
}

void SlabServer::fill_stripe(Connection& connection) {
  const auto session = sessions_.find(connection.session);
  while (!connection.lost && session != sessions_.end()) {
    if (connection.writer->write_some() != StripeStatus::open) connection.lost = true;
    if (!connection.writer->idle() || !session->second->tcp()->start_chunk(*connection.writer))
      break;
  }
  watch(connection);
}

void SlabServer::take_packets() {
  for (const auto& port : ports_) take_packets(port->receiver);
}

void SlabServer::take_packets(PacketReceiver& receiver) {
  std::vector<SlabJob> jobs;
  for (int turn = 0; turn < batches_a_turn; ++turn) {
    SocketAddress from;
    const auto packets = receiver.receive({}, &from);
    if (!receiver.got_anything()) break;
    const LocalInstant now = local_now();
    for (IncomingPacket& packet : packets) {
      const auto session = sessions_.find(packet.header.session);
      ServerUdpTransport* const udp = session == sessions_.end() ? nullptr : session->second->udp();
      const bool is_ours = udp != nullptr && udp->take(packet, from, now, jobs);
      if (!is_ours) ++malformed_;
      if (!jobs.empty()) submit(packet.header.session, std::exchange(jobs, {}));
    }
  }
}

void SlabServer::submit(std::uint64_t session, std::vector<SlabJob> jobs) {
  for (SlabJob& job : jobs) workers_->submit(session, std::move(job));
}

void SlabServer::take_results() {
  const LocalInstant now = local_now();
  SlabOutbox::Contents results = workers_->outbox().take();
  for (const SlabOutbox::Answer& answer : results.answers) {
    const auto found = connections_.find(answer.connection);
    // The descriptor may belong to a newer connection by now, so the session has to match, too.
    if (found == connections_.end() || found->second->session != answer.session) continue;
    --found->second->asked;
    send(*found->second, answer.message);
    if (found->second->control->write_some() != StreamStatus::open) found->second->lost = true;
    watch(*found->second);
  }
  for (const Json& told : results.told) pass_on(told);
  for (SlabOutbox::Slab& slab : results.slabs) {
    const auto session = sessions_.find(slab.session);
    if (session != sessions_.end())
      session->second->slab_read(slab.request, std::move(slab.slab), now);
  }
  for (const auto& [fd, connection] : connections_)
    if (connection->writer && connection->writer->idle()) fill_stripe(*connection);
}

void SlabServer::pass_on(const Json& told) {
  const Json message = told_message(told);
  for (const auto& [fd, connection] : connections_) {
    if (connection->session == 0 || !connection->control || connection->lost) continue;
    send(*connection, message);
    if (connection->control->write_some() != StreamStatus::open ||
        connection->control->queued_bytes() > most_queued_answer_bytes)
      connection->lost = true;
    watch(*connection);
  }
}

// Sends one batch for each session in turn, so that no client waits for another one's slab.
void SlabServer::send_packets() {
  bool any = true;
  for (int turn = 0; any && turn < batches_a_turn; ++turn) {
    any = false;
    const LocalInstant now = local_now();
    for (const auto& [id, session] : sessions_) {
      ServerUdpTransport* const udp = session->udp();
      if (udp == nullptr) continue;
      udp->on_timeout(now);
      any |= udp->send_batch(now);
    }
  }
}

LocalInstant SlabServer::due() const {
  LocalInstant due = std::min(local_now() + std::chrono::seconds(1), dialler_.due());
  if (listener_) due = std::min(due, listener_->due());
  for (const auto& [id, session] : sessions_)
    if (const ServerUdpTransport* const udp = session->udp()) due = std::min(due, udp->due());
  return due;
}

void SlabServer::drop_lost(LocalInstant now) {
  const bool is_short = workers_->budget().is_short();
  for (auto it = connections_.begin(); it != connections_.end();) {
    Connection& connection = *it->second;
    if (connection.session == 0 && now - connection.since > longest_handshake)
      connection.lost = true;
    const auto session = sessions_.find(connection.session);
    if (connection.session != 0 && session == sessions_.end()) connection.lost = true;
    if (options_.ends_unheard && session != sessions_.end() && session->second->udp() != nullptr &&
        session->second->udp()->is_unheard())
      connection.lost = true;
    const bool is_stalled = session != sessions_.end() && session->second->is_stalled(now);
    if (is_stalled && is_short) {
      log_at_times("a client was dropped: it takes nothing, and others wait for its memory");
      connection.lost = true;
    }
    if (!connection.lost) {
      ++it;
      continue;
    }
    // A session ends with its control connection or any of its stripes.
    if (session != sessions_.end()) {
      ended_ += session->second->counters();
      sessions_.erase(session);
      workers_->end_session(connection.session);
    }
    if (connection.is_dialled() && connection.target->requester >= 0)
      dialler_.note_end(connection.target->requester, now);
    events_.remove(connection.fd);
    it = connections_.erase(it);
  }
}

void SlabServer::note_status() {
  SlabServerStatus status;
  status.sessions = static_cast<int>(sessions_.size());
  status.answer_bytes = workers_->budget().held_bytes();
  status.sent = ended_;
  status.refused = refused_;
  status.malformed = malformed_;
  for (const auto& port : ports_) status.malformed += port->receiver.malformed();
  for (const auto& [id, session] : sessions_) status.sent += session->counters();
  const std::scoped_lock lock(status_mutex_);
  status_ = status;
}

}  // namespace tilewall::net
