#include "player/director/connections/control_server.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <utility>

#include "net/socket.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/process.hpp"
#include "sync/base/role_log.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::director {
namespace {

using Json = nlohmann::json;

// A peer that leaves more than this unread is disconnected.
constexpr std::size_t max_queued_messages = 4096;
constexpr std::size_t max_queued_bytes = 64u << 20;
// Connections accepted in one turn, so that those who have come may prove the key before they have
// to give way.
constexpr int most_accepted = 256;
// Processor time that one turn spends on messages, and again on new connections. With the longest
// other work of a turn, the checkpoint of 500 panels, it stays below TurnLengths::budget.
constexpr std::uint64_t serving_time_ns = 5'000'000;
constexpr std::size_t other_descriptors = 128;  // of the director, beside its connections
constexpr std::size_t fewest_connections = 64;
constexpr Nanos log_interval = std::chrono::seconds(1);
constexpr std::size_t longest_failure = 300;

std::size_t places_for_connections() {
  const auto allowed = static_cast<std::size_t>(open_files_limit());
  const std::size_t left = allowed > other_descriptors ? allowed - other_descriptors : 0;
  return std::clamp(left, fewest_connections, ControlServer::most_connections);
}

}  // namespace

ControlServer::ControlServer(UniqueFd listening, Options options, Handler handler)
    : listening_(std::move(listening)),
      options_(std::move(options)),
      handler_(std::move(handler)),
      places_(places_for_connections()),
      budget_(options_.receive_bytes) {
  const int flags = check_sys(::fcntl(listening_.get(), F_GETFL), "fcntl(F_GETFL)");
  check_sys(::fcntl(listening_.get(), F_SETFL, flags | O_NONBLOCK), "fcntl(F_SETFL)");
}

void ControlServer::poll(std::chrono::milliseconds limit, const std::function<void()>& awake) {
  std::vector<pollfd> waiting = {{pause_.active() ? -1 : listening_.get(), POLLIN, 0}};
  limit = std::min(limit, pause_.longest_wait(limit));
  std::vector<ConnectionId> ids = {0};
  for (const auto& [id, peer] : peers_) {
    const int events = POLLIN | (peer.stream.wants_write() ? POLLOUT : 0);
    waiting.push_back({peer.stream.fd(), static_cast<short>(events), 0});
    ids.push_back(id);
  }
  const int ready = ::poll(waiting.data(), waiting.size(), static_cast<int>(limit.count()));
  if (awake) awake();
  has_more_ = false;
  if (ready > 0) {
    serve_ready(ids, waiting);
    if (waiting[0].revents != 0) accept_some();
  }
  give_up_strangers();
  for (const ConnectionId id : std::exchange(lost_, {})) drop(id);
}

void ControlServer::serve_ready(const std::vector<ConnectionId>& ids,
                                const std::vector<pollfd>& ready) {
  const std::uint64_t until_ns = thread_time_ns() + serving_time_ns;
  // Connections are served in turn, so that the first ones cannot keep the last ones waiting.
  const auto next = std::upper_bound(ids.begin(), ids.end(), last_served_);
  const auto first = static_cast<std::size_t>(next - ids.begin());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::size_t at = (first + i) % ids.size();
    const auto found = peers_.find(ids[at]);
    if (ready[at].revents == 0 || found == peers_.end()) continue;
    if (thread_time_ns() > until_ns) {
      has_more_ = true;
      return;
    }
    serve(found->first, found->second);
    last_served_ = ids[at];
  }
}

// --- who may come in

void ControlServer::accept_some() {
  const std::uint64_t until_ns = thread_time_ns() + serving_time_ns;
  for (int i = 0; i < most_accepted && thread_time_ns() <= until_ns; ++i) {
    UniqueFd accepted(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (accepted.empty()) return pause_accepting(errno);
    make_place();
    if (peers_.size() < places_) add(std::move(accepted));
  }
}

void ControlServer::pause_accepting(int error) {
  const bool pauses = pause_.note_failure(error);
  if (!pauses || !handler_.trouble || std::exchange(pause_told_, true)) return;
  handler_.trouble(
      fmt::format("the director cannot accept further connections: {} ({} open files are allowed: "
                  "ulimit -n)",
                  std::strerror(error), open_files_limit()));
}

void ControlServer::add(UniqueFd socket) {
  const auto address = net::peer_address(socket.get());
  auto stream = net::SealedStream::server(std::move(socket), options_.key, seal_for(address),
                                          options_.limits, &budget_);
  static_cast<void>(stream.write_some());  // the challenge
  const std::string host = address ? net::to_string(net::with_port(*address, 0)) : "";
  peers_.emplace(next_id_++, Peer{std::move(stream), host, local_now()});
  ++strangers_;
}

net::SealKind ControlServer::seal_for(const std::optional<net::SocketAddress>& peer) const {
  const bool is_local = peer && peer->loopback();
  const bool encrypts = options_.encryption == ControlEncryption::on ||
                        (options_.encryption == ControlEncryption::automatic && !is_local);
  return encrypts ? net::SealKind::encrypted : net::SealKind::tag;
}

/// The oldest connection of that standing, of the address that has most of them.
std::optional<ConnectionId> ControlServer::oldest_of_most(Standing standing) const {
  struct Address {
    std::size_t count = 0;
    ConnectionId oldest = 0;
  };
  std::map<std::string_view, Address> addresses;
  for (const auto& [id, peer] : peers_) {
    if (peer.standing != standing) continue;
    Address& address = addresses[peer.address];
    if (address.count++ == 0) address.oldest = id;
  }
  const auto most = std::max_element(
      addresses.begin(), addresses.end(),
      [](const auto& a, const auto& b) { return a.second.count < b.second.count; });
  return most == addresses.end() ? std::nullopt : std::optional(most->second.oldest);
}

/// Closes a stranger where there are too many connections; where there is none, a guest.
void ControlServer::make_place() {
  const bool is_full = peers_.size() >= places_;
  if (!is_full && strangers_ < std::min(most_strangers, places_ / 2)) return;
  auto who = oldest_of_most(Standing::stranger);
  if (!who) who = oldest_of_most(Standing::guest);
  if (who) drop(*who);
}

void ControlServer::give_up_strangers() {
  if (strangers_ == 0) return;
  const LocalInstant now = local_now();
  for (const auto& [id, peer] : peers_)
    if (peer.standing == Standing::stranger && now - peer.since > stranger_limit)
      lost_.push_back(id);
}

void ControlServer::join(ConnectionId id, std::uint32_t blob_bytes) {
  const auto found = peers_.find(id);
  if (found == peers_.end()) return;
  found->second.standing = Standing::member;
  net::MessageLimits limits = options_.limits;
  limits.blob_bytes = blob_bytes;
  found->second.stream.allow(limits);
}

void ControlServer::admit_client(ConnectionId id) {
  const auto found = peers_.find(id);
  if (found == peers_.end() || found->second.standing != Standing::guest) return;
  const auto clients = static_cast<std::size_t>(std::ranges::count_if(
      peers_, [](const auto& one) { return one.second.standing == Standing::client; }));
  const std::size_t most = places_ - std::min(places_, options_.places_for_members);
  if (clients >= most)
    throw InputError({"control port"}, "", fmt::format("at most {} clients", most), "one more");
  found->second.standing = Standing::client;
}

// --- what comes in

void ControlServer::serve(ConnectionId id, Peer& peer) {
  std::vector<net::Message> received;
  net::StreamStatus status = peer.stream.read_some(received);
  if (peer.standing == Standing::stranger && peer.stream.is_authenticated()) {
    peer.standing = Standing::guest;
    --strangers_;
  }
  for (net::Message& message : received) {
    if (std::find(lost_.begin(), lost_.end(), id) != lost_.end()) break;
    if (handle(id, std::move(message))) continue;
    status = net::StreamStatus::malformed;
    break;
  }
  if (!peer.stream.trouble().empty()) log_end(id, peer.stream.trouble());
  if (status == net::StreamStatus::crowded) {
    make_room(id);
    status = net::StreamStatus::open;
  }
  if (status == net::StreamStatus::open) status = peer.stream.write_some();
  if (status != net::StreamStatus::open) lost_.push_back(id);
}

bool ControlServer::handle(ConnectionId id, net::Message message) {
  Json json;
  try {
    json = parse_json(message.text);
    handler_.message(id, json, std::move(message.blob));
  } catch (const InputError& error) {
    log_end(id, error.what());
    return false;
  } catch (const std::exception& error) {
    note_failure(id, json, error.what());
  }
  return true;
}

/// Ends the client whose unfinished message takes most; where only members have any, this one.
void ControlServer::make_room(ConnectionId for_whom) {
  ConnectionId largest = for_whom;
  std::size_t most = 0;
  for (const auto& [id, peer] : peers_) {
    if (peer.standing == Standing::member || peer.stream.received_bytes() <= most) continue;
    most = peer.stream.received_bytes();
    largest = id;
  }
  log_end(largest, fmt::format("expected messages that take at most {} MiB together, "
                               "found more",
                               options_.receive_bytes >> 20));
  lost_.push_back(largest);
}

void ControlServer::note_failure(ConnectionId from, const Json& request, const char* what) {
  ++requests_failed_;
  const std::string error =
      "the director failed: " + printable_text(std::string(what).substr(0, longest_failure));
  const bool has_id = request.is_object() && request.contains("id");
  send(from, {{"type", "refused"}, {"id", has_id ? request.at("id") : Json()}, {"error", error}});
  if (handler_.trouble) handler_.trouble(fmt::format("a request of {}: {}", peer(from), error));
}

/// At most one line per second, because strangers can cause them.
void ControlServer::log_end(ConnectionId id, const std::string& why) {
  const LocalInstant now = local_now();
  if (now < next_log_) return;
  next_log_ = now + log_interval;
  log_line("the control port ended the connection of {}: {}", peer(id), why);
}

// --- what goes out

void ControlServer::send(ConnectionId to, const Json& json) {
  if (peers_.contains(to)) send({&to, 1}, json);
}

void ControlServer::send(std::span<const ConnectionId> to, const Json& json) {
  if (to.empty()) return;
  const std::string text = json_text(json);
  for (const ConnectionId id : to) send_message(id, net::Message{text, {}});
}

void ControlServer::send_message(ConnectionId to, net::Message message) {
  const auto found = peers_.find(to);
  if (found == peers_.end()) return;
  net::SealedStream& stream = found->second.stream;
  stream.queue(std::move(message));
  if (stream.write_some() != net::StreamStatus::open ||
      stream.queued_messages() > max_queued_messages || stream.queued_bytes() > max_queued_bytes)
    lost_.push_back(to);
}

std::size_t ControlServer::unread_bytes(ConnectionId id) const {
  const auto found = peers_.find(id);
  return found == peers_.end() ? 0 : found->second.stream.queued_bytes();
}

std::chrono::nanoseconds ControlServer::round_trip(ConnectionId id) const {
  const auto found = peers_.find(id);
  return found == peers_.end() ? std::chrono::nanoseconds(0)
                               : net::tcp_round_trip(found->second.stream.fd());
}

std::string ControlServer::peer(ConnectionId id) const {
  const auto found = peers_.find(id);
  const auto address =
      found == peers_.end() ? std::nullopt : net::peer_address(found->second.stream.fd());
  return address ? net::to_string(*address) : "";
}

void ControlServer::drop(ConnectionId id) {
  const auto found = peers_.find(id);
  if (found == peers_.end()) return;
  if (found->second.standing == Standing::stranger) --strangers_;
  peers_.erase(found);
  handler_.closed(id);
}

}  // namespace tilewall::director
