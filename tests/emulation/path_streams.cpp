#include "tests/emulation/path_streams.hpp"

#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "sync/base/check.hpp"

namespace tilewall::test {
namespace {

constexpr std::size_t most_recorded_stream_bytes = std::size_t{64} << 20;
constexpr int stream_buffer_bytes = 256 << 10;  // small, so that what waits waits in the queue

void set_option(int socket, int level, int option, int value, const char* name) {
  check_sys(::setsockopt(socket, level, option, &value, sizeof value), name);
}

void send_at_once(int socket) { set_option(socket, IPPROTO_TCP, TCP_NODELAY, 1, "TCP_NODELAY"); }

/// Empty where nobody can be asked. It may still be refused.
UniqueFd start_connecting(const SocketAddress& address) {
  UniqueFd socket(check_sys(
      ::socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "socket"));
  set_option(socket.get(), SOL_SOCKET, SO_RCVBUF, stream_buffer_bytes, "SO_RCVBUF");
  send_at_once(socket.get());
  const int result = ::connect(socket.get(), address.raw(), address.length);
  if (result != 0 && errno != EINPROGRESS) socket.reset();
  return socket;
}

/// The other side reads a reset where it would read the end.
void close_by_reset(UniqueFd& socket) {
  const linger at_once{1, 0};
  ::setsockopt(socket.get(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  socket.reset();
}

bool would_wait(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

}  // namespace

PathStreams::PathStreams(UniqueFd listener, const SocketAddress& target,
                         std::array<PathLink, 2>& links, std::uint64_t seed)
    : listener_(std::move(listener)),
      target_(target),
      links_(links),
      dice_{PathDice(2 * seed), PathDice(2 * seed + 1)},
      room_(std::size_t{64} << 10) {
  set_option(listener_.get(), SOL_SOCKET, SO_RCVBUF, stream_buffer_bytes, "SO_RCVBUF");
}

void PathStreams::watch(std::vector<pollfd>& polled, LocalInstant now) const {
  const bool accepting = !cut_ && connections_.size() < most_connections;
  polled.push_back({accepting ? listener_.get() : -1, POLLIN, 0});
  for (const Connection& connection : connections_)
    for (std::size_t i = 0; i < 2; ++i) polled.push_back(watch_end(connection, i, now));
}

/// An end that nothing is wanted of is left out: poll() would report its hang-up for ever.
pollfd PathStreams::watch_end(const Connection& connection, std::size_t i,
                              LocalInstant now) const noexcept {
  const bool reading = may_read(connection.flows[i], i, now);
  const bool writing = connection.flows[1 - i].full;
  const int events = (reading ? POLLIN : 0) | (writing ? POLLOUT : 0);
  const bool wanted = events != 0 && !cut_;
  return {wanted ? connection.ends[i].get() : -1, static_cast<short>(events), 0};
}

bool PathStreams::has_room(const Flow& flow, std::size_t i) const noexcept {
  return !flow.source_ended && flow.held_bytes < links_[i].window_bytes();
}

bool PathStreams::may_read(const Flow& flow, std::size_t i, LocalInstant now) const noexcept {
  return has_room(flow, i) && links_[i].open_to_streams_at() <= now;
}

void PathStreams::take(std::span<const pollfd>& polled) {
  const bool knocked = polled[0].revents != 0;
  polled = polled.subspan(1);
  for (Connection& connection : connections_) {
    for (std::size_t i = 0; i < 2; ++i) take_from(connection, i, polled[i].revents);
    polled = polled.subspan(2);
  }
  if (knocked) accept_one();
  remove_ended();
}

void PathStreams::take_from(Connection& connection, std::size_t i, short events) {
  if (events == 0 || connection.failed) return;
  if ((events & (POLLOUT | POLLERR | POLLHUP)) != 0) connection.flows[1 - i].full = false;
  if (may_read(connection.flows[i], i, local_now())) read_some(connection, i);
}

void PathStreams::read_some(Connection& connection, std::size_t i) {
  Flow& flow = connection.flows[i];
  const std::span<std::byte> room =
      std::span(room_).first(std::min(links_[i].chunk_bytes(), room_.size()));
  const ssize_t count = ::recv(connection.ends[i].get(), room.data(), room.size(), MSG_DONTWAIT);
  if (count < 0) {
    connection.failed = !would_wait(errno);
    return;
  }
  flow.source_ended = count == 0;
  if (records_ && i == 0 && recorded_bytes_ < most_recorded_stream_bytes) {
    std::vector<std::byte>& recorded = recorded_[connection.number];
    recorded.insert(recorded.end(), room.begin(), room.begin() + count);
    recorded_bytes_ += static_cast<std::size_t>(count);
  }
  hold(flow, i, room.first(static_cast<std::size_t>(count)));
}

void PathStreams::hold(Flow& flow, std::size_t i, std::span<const std::byte> bytes) {
  const PathShape& shape = links_[i].shape();
  const LocalInstant through = links_[i].pass(bytes.size(), local_now());
  const LocalInstant last = flow.held.empty() ? LocalInstant{} : flow.held.back().due;
  const LocalInstant due = std::max(last, through + dice_[i].up_to(shape.jitter));
  flow.held.push_back({due, {bytes.begin(), bytes.end()}});
  flow.held_bytes += bytes.size();
  if (!bytes.empty() && dice_[i].happens(shape.corrupt))
    dice_[i].flip_a_bit(flow.held.back().bytes);
}

void PathStreams::deliver(LocalInstant now) {
  if (cut_) return;
  for (Connection& connection : connections_)
    for (std::size_t i = 0; i < 2; ++i) write_due(connection, i, now);
  remove_ended();
}

void PathStreams::write_due(Connection& connection, std::size_t i, LocalInstant now) {
  Flow& flow = connection.flows[i];
  while (!connection.failed && !flow.full && !flow.held.empty() && flow.held.front().due <= now)
    write_front(connection, i);
}

void PathStreams::write_front(Connection& connection, std::size_t i) {
  Flow& flow = connection.flows[i];
  const int out = connection.ends[1 - i].get();
  const std::span<const std::byte> bytes = flow.held.front().bytes;
  if (bytes.empty()) {
    flow.ended = true;
    ::shutdown(out, SHUT_WR);
    flow.held.pop_front();
    return;
  }
  const auto rest = bytes.subspan(flow.written_bytes);
  const ssize_t count = ::send(out, rest.data(), rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  if (count < 0) {
    flow.full = would_wait(errno);
    connection.failed = !flow.full;
    return;
  }
  flow.written_bytes += static_cast<std::size_t>(count);
  if (flow.written_bytes < bytes.size()) return;
  flow.held_bytes -= bytes.size();
  flow.written_bytes = 0;
  flow.held.pop_front();
}

void PathStreams::accept_one() {
  UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (client.empty()) return;
  send_at_once(client.get());
  UniqueFd target = start_connecting(target_);
  if (target.empty()) {
    close_by_reset(client);
    return;
  }
  connections_.push_back({{std::move(client), std::move(target)}});
  connections_.back().flows[0].full = true;  // until it is connected
  connections_.back().number = accepted_++;
}

std::vector<std::vector<std::byte>> PathStreams::recorded() const {
  std::vector<std::vector<std::byte>> streams;
  for (const auto& [connection, bytes] : recorded_) streams.push_back(bytes);
  return streams;
}

void PathStreams::remove_ended() {
  std::erase_if(connections_, [](Connection& connection) {
    if (connection.failed)
      for (UniqueFd& end : connection.ends) close_by_reset(end);
    return connection.failed || (connection.flows[0].ended && connection.flows[1].ended);
  });
}

LocalInstant PathStreams::next_due(LocalInstant now) const noexcept {
  LocalInstant next{Nanos::max()};
  if (cut_) return next;
  for (const Connection& connection : connections_)
    for (std::size_t i = 0; i < 2; ++i) {
      const Flow& flow = connection.flows[i];
      if (!flow.full && !flow.held.empty()) next = std::min(next, flow.held.front().due);
      const LocalInstant open_at = links_[i].open_to_streams_at();
      if (has_room(flow, i) && open_at > now) next = std::min(next, open_at);
    }
  return next;
}

}  // namespace tilewall::test
