#include "tests/emulation/path_datagrams.hpp"

#include <netinet/udp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "sync/base/check.hpp"

namespace tilewall::test {
using namespace net;
namespace {

constexpr std::size_t batch_size = 64;
constexpr std::size_t datagram_room = std::size_t{64} << 10;  // the longest has 65,507 bytes
constexpr std::size_t most_held_bytes = std::size_t{512} << 20;
constexpr std::size_t most_recorded_bytes = std::size_t{64} << 20;
constexpr std::size_t held_overhead = 128;     // about what one costs besides its bytes
constexpr int socket_buffer_bytes = 64 << 20;  // nothing is to be lost but by the path's shape
constexpr std::size_t most_together_bytes = 65'000;  // of equal length, in one call: GSO, GRO
constexpr std::size_t most_together = 64;            // the kernel's UDP_MAX_SEGMENTS
constexpr Nanos longest_gathering = std::chrono::microseconds(200);
constexpr int overtakers_of_one = 3;
constexpr Nanos longest_set_back = std::chrono::milliseconds(50);
constexpr std::size_t unknown_client = PathDatagrams::most_clients;

void enlarge(int socket, int forced, int asked) {
  const int bytes = socket_buffer_bytes;  // without privileges the kernel gives what it allows
  if (::setsockopt(socket, SOL_SOCKET, forced, &bytes, sizeof bytes) != 0)
    check_sys(::setsockopt(socket, SOL_SOCKET, asked, &bytes, sizeof bytes), "socket buffer");
}

void prepare_datagram_socket(int socket) {
  enlarge(socket, SO_RCVBUFFORCE, SO_RCVBUF);
  enlarge(socket, SO_SNDBUFFORCE, SO_SNDBUF);
  const int on = 1;
  ::setsockopt(socket, SOL_UDP, UDP_GRO, &on, sizeof on);  // those of one GSO batch stay together
}

std::uint64_t address_key(const sockaddr_in& address) {
  return std::uint64_t{address.sin_addr.s_addr} << 16 | address.sin_port;
}

/// One that cannot be sent is passed over: the network has lost it.
void send_all(int socket, std::span<mmsghdr> messages) {
  const auto send_some = [&] {
    return ::sendmmsg(socket, messages.data(), static_cast<unsigned>(messages.size()),
                      MSG_DONTWAIT);
  };
  while (!messages.empty()) {
    int sent = send_some();
    // The answer to an earlier one, from before the target was there.
    if (sent < 0 && errno == ECONNREFUSED) sent = send_some();
    messages = messages.subspan(static_cast<std::size_t>(std::max(sent, 1)));
  }
}

}  // namespace

/// What the kernel fills and empties in one call: messages, each of one datagram or of several of
/// one length.
struct PathDatagrams::Batch {
  union Control {
    cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int))];
  };

  Batch() : room(batch_size * datagram_room) {}

  /// How many messages came; each is part(i), of datagrams of length_in(i).
  std::size_t receive(int socket) {
    for (std::size_t i = 0; i < batch_size; ++i) {
      parts[i] = {room.data() + i * datagram_room, datagram_room};
      address(i, &addresses[i]);
      messages[i].msg_hdr.msg_iov = &parts[i];
      messages[i].msg_hdr.msg_iovlen = 1;
      messages[i].msg_hdr.msg_control = &controls[i];
      messages[i].msg_hdr.msg_controllen = sizeof controls[i].bytes;
    }
    const int received = ::recvmmsg(socket, messages.data(), batch_size, MSG_DONTWAIT, nullptr);
    return static_cast<std::size_t>(std::max(received, 0));
  }

  [[nodiscard]] std::span<const std::byte> part(std::size_t i) const {
    return std::span(room).subspan(i * datagram_room, messages[i].msg_len);
  }

  [[nodiscard]] std::size_t length_in(std::size_t i) const {
    const cmsghdr* const control = CMSG_FIRSTHDR(&messages[i].msg_hdr);
    int length = 0;
    if (control != nullptr && control->cmsg_level == SOL_UDP && control->cmsg_type == UDP_GRO)
      std::memcpy(&length, CMSG_DATA(control), sizeof length);
    return length > 0 ? static_cast<std::size_t>(length) : messages[i].msg_len;
  }

  void address(std::size_t i, sockaddr_in* name) {
    messages[i].msg_hdr = {};
    messages[i].msg_hdr.msg_name = name;
    messages[i].msg_hdr.msg_namelen = name != nullptr ? sizeof *name : 0;
  }

  /// Message `i` is to be cut into datagrams of this length.
  void cut(std::size_t i, std::size_t length) {
    msghdr& message = messages[i].msg_hdr;
    message.msg_control = &controls[i];
    message.msg_controllen = CMSG_SPACE(sizeof(std::uint16_t));
    cmsghdr* const control = CMSG_FIRSTHDR(&message);
    control->cmsg_level = SOL_UDP;
    control->cmsg_type = UDP_SEGMENT;
    control->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
    const auto segment = static_cast<std::uint16_t>(length);
    std::memcpy(CMSG_DATA(control), &segment, sizeof segment);
  }

  std::vector<std::byte> room;
  std::array<iovec, batch_size> parts{};
  std::array<Control, batch_size> controls{};
  std::array<sockaddr_in, batch_size> addresses{};
  std::array<mmsghdr, batch_size> messages{};
};

PathDatagrams::PathDatagrams(UniqueFd socket, const SocketAddress& target,
                             std::array<PathLink, 2>& links, std::uint64_t seed)
    : socket_(std::move(socket)),
      target_(target),
      to_target_{links[0], PathDice(2 * seed), {}, {}, {}},
      from_target_{links[1], PathDice(2 * seed + 1), {}, {}, {}},
      batch_(std::make_unique<Batch>()) {
  prepare_datagram_socket(socket_.get());
}

PathDatagrams::~PathDatagrams() = default;

void PathDatagrams::watch(std::vector<pollfd>& polled) const {
  polled.push_back({socket_.get(), POLLIN, 0});
  for (const Client& client : clients_) polled.push_back({client.socket.get(), POLLIN, 0});
}

void PathDatagrams::take(std::span<const pollfd>& polled) {
  const std::size_t watched = 1 + clients_.size();
  if (polled[0].revents != 0) take_from(socket_.get(), to_target_, unknown_client);
  for (std::size_t i = 1; i < watched; ++i)
    if (polled[i].revents != 0) take_from(polled[i].fd, from_target_, i - 1);
  polled = polled.subspan(watched);
}

void PathDatagrams::take_from(int socket, Lane& lane, std::size_t client) {
  const std::size_t count = batch_->receive(socket);
  const LocalInstant now = local_now();  // not before they came
  for (std::size_t i = 0; i < count; ++i) {
    const bool from_client = client == unknown_client;
    const std::size_t whose = from_client ? client_at(batch_->addresses[i]) : client;
    std::span<const std::byte> rest = batch_->part(i);
    do {
      const std::span<const std::byte> one =
          rest.first(std::min(batch_->length_in(i), rest.size()));
      arrive(lane, whose, one, now);
      rest = rest.subspan(one.size());
    } while (!rest.empty());
  }
}

/// Its index; unknown_client where there are too many.
std::size_t PathDatagrams::client_at(const sockaddr_in& address) {
  const std::uint64_t key = address_key(address);
  const auto known = client_by_address_.find(key);
  if (known != client_by_address_.end()) return known->second;
  if (clients_.size() == most_clients) return unknown_client;
  clients_.push_back({address, connect_udp(target_)});
  prepare_datagram_socket(clients_.back().socket.get());
  return client_by_address_[key] = clients_.size() - 1;
}

void PathDatagrams::arrive(Lane& lane, std::size_t client, std::span<const std::byte> bytes,
                           LocalInstant now) {
  ++counters_.received;
  const PathShape& shape = lane.link.shape();
  if (cut_ || client == unknown_client) {
    ++counters_.lost;
    return;
  }
  if (records_ && recorded_bytes_ + bytes.size() <= most_recorded_bytes) {
    recorded_bytes_ += bytes.size();
    lane.recorded.push_back({client, {bytes.begin(), bytes.end()}});
  }
  if (lane.dice.happens(shape.loss)) {  // behind the narrow place, whose rate it took
    ++counters_.lost;
    if (lane.link.has_room(bytes.size(), now)) static_cast<void>(lane.link.pass(bytes.size(), now));
    return;
  }
  hold(lane, client, bytes, now);
  if (!lane.dice.happens(shape.duplicate)) return;
  ++counters_.duplicated;
  hold(lane, client, bytes, now);
}

void PathDatagrams::hold(Lane& lane, std::size_t client, std::span<const std::byte> bytes,
                         LocalInstant now) {
  if (!lane.link.has_room(bytes.size(), now) || held_bytes_ > most_held_bytes) {
    ++counters_.dropped_by_queue;
    return;
  }
  const PathShape& shape = lane.link.shape();
  const LocalInstant due = lane.link.pass(bytes.size(), now) + lane.dice.up_to(shape.jitter);
  Datagram datagram{client, {bytes.begin(), bytes.end()}};
  held_bytes_ += bytes.size() + held_overhead;
  if (!bytes.empty() && lane.dice.happens(shape.corrupt)) {
    ++counters_.corrupted;
    lane.dice.flip_a_bit(datagram.bytes);
  }
  if (lane.dice.happens(shape.reorder)) {
    ++counters_.reordered;
    lane.set_back.push_back({std::move(datagram), due, due + longest_set_back, overtakers_of_one});
    return;
  }
  lane.held.emplace_hint(lane.held.end(), due, std::move(datagram));
  be_overtaken(lane, client, due);
}

/// One more of this client comes at `due`. Whoever has let enough pass comes right after it.
void PathDatagrams::be_overtaken(Lane& lane, std::size_t client, LocalInstant due) {
  for (auto it = lane.set_back.begin(); it != lane.set_back.end();) {
    const auto waiting = it++;
    if (waiting->datagram.client != client || --waiting->overtakers > 0) continue;
    lane.held.emplace(std::max(waiting->due, due), std::move(waiting->datagram));
    lane.set_back.erase(waiting);
  }
}

void PathDatagrams::end_waits(Lane& lane, LocalInstant now) {
  for (auto it = lane.set_back.begin(); it != lane.set_back.end();) {
    const auto waiting = it++;
    if (waiting->latest > now) continue;
    lane.held.emplace(waiting->latest, std::move(waiting->datagram));
    lane.set_back.erase(waiting);
  }
}

void PathDatagrams::deliver(LocalInstant now) {
  for (Lane* lane : {&to_target_, &from_target_}) {
    end_waits(*lane, now);
    while (!lane->held.empty() && lane->held.begin()->first <= now) send_batch(*lane, now);
  }
}

/// Sends the datagrams that are due and leave by the same socket. Datagrams of one length that
/// follow each other to one client share a message.
void PathDatagrams::send_batch(Lane& lane, LocalInstant now) {
  const auto first = lane.held.begin();
  const int out = way_out(lane, first->second);
  std::size_t count = 0;
  std::size_t messages = 0;
  std::size_t message_bytes = 0;
  const Datagram* before = nullptr;
  auto last = first;
  for (; last != lane.held.end() && count < batch_size; ++last, ++count) {
    Datagram& datagram = last->second;
    if (last->first > now || way_out(lane, datagram) != out) break;
    const std::size_t bytes = datagram.bytes.size();
    const bool joins = before != nullptr && bytes > 0 && before->client == datagram.client &&
                       before->bytes.size() == bytes &&
                       message_bytes + bytes <= most_together_bytes &&
                       batch_->messages[messages - 1].msg_hdr.msg_iovlen < most_together;
    batch_->parts[count] = {datagram.bytes.data(), bytes};
    if (!joins) {
      sockaddr_in* const to = &lane == &to_target_ ? nullptr : &clients_[datagram.client].address;
      batch_->address(messages, to);
      batch_->messages[messages].msg_hdr.msg_iov = &batch_->parts[count];
      ++messages;
      message_bytes = 0;
    }
    message_bytes += bytes;
    if (++batch_->messages[messages - 1].msg_hdr.msg_iovlen == 2) batch_->cut(messages - 1, bytes);
    before = &datagram;
    held_bytes_ -= bytes + held_overhead;
  }
  send_all(out, std::span(batch_->messages).first(messages));
  counters_.forwarded += count;
  lane.held.erase(first, last);
}

int PathDatagrams::way_out(const Lane& lane, const Datagram& datagram) const noexcept {
  return &lane == &to_target_ ? clients_[datagram.client].socket.get() : socket_.get();
}

LocalInstant PathDatagrams::next_due() const noexcept {
  LocalInstant next{Nanos::max()};
  for (const Lane* lane : {&to_target_, &from_target_}) {
    if (!lane->held.empty())
      next =
          std::min(next, lane->held.begin()->first +
                             std::min(lane->link.time_of(most_together_bytes), longest_gathering));
    for (const SetBack& waiting : lane->set_back) next = std::min(next, waiting.latest);
  }
  return next;
}

void PathDatagrams::replay() {
  const LocalInstant now = local_now();
  for (Lane* lane : {&to_target_, &from_target_})
    for (const Datagram& datagram : lane->recorded) {
      held_bytes_ += datagram.bytes.size() + held_overhead;
      lane->held.emplace(now, datagram);
    }
}

std::vector<std::vector<std::byte>> PathDatagrams::recorded() const {
  std::vector<std::vector<std::byte>> datagrams;
  for (const Datagram& datagram : to_target_.recorded) datagrams.push_back(datagram.bytes);
  return datagrams;
}

void PathDatagrams::cut() {
  cut_ = true;
  held_bytes_ = 0;
  for (Lane* lane : {&to_target_, &from_target_}) {
    counters_.lost += lane->held.size() + lane->set_back.size();
    lane->held.clear();
    lane->set_back.clear();
  }
}

}  // namespace tilewall::test
