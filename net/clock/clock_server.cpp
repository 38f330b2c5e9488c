#include "net/clock/clock_server.hpp"

#include <poll.h>

#include <array>
#include <utility>

#include "sync/base/check.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::net {
namespace {

constexpr int longest_turn_ms = 100;

}  // namespace

ClockServer::ClockServer(int socket, std::optional<AuthKey> key, Word word)
    : socket_(socket), key_(key), word_(std::move(word)), receiver_(socket) {}

void ClockServer::run(int stop_fd, const std::function<void()>& on_turn) {
  const int limit_ms = on_turn ? longest_turn_ms : -1;
  for (;;) {
    if (on_turn) on_turn();
    std::array<pollfd, 2> watched = {{{socket_, POLLIN, 0}, {stop_fd, POLLIN, 0}}};
    const int ready = retry_eintr([&] { return ::poll(watched.data(), watched.size(), limit_ms); });
    check_sys(ready, "poll");
    if (watched[1].revents != 0) return;
    answer_waiting();
  }
}

void ClockServer::answer_waiting() noexcept {
  std::array<std::byte, sizeof(ClockMessage)> buffer = {};
  while (const auto datagram = receiver_.receive(buffer)) {
    ClockMessage request;
    if (datagram->size_bytes > buffer.size()) continue;
    if (decode(std::span(buffer).first(datagram->size_bytes), request) == ClockDecodeStatus::ok &&
        request.kind == ClockMessageKind::request && is_authentic(request, key_))
      answer(request, *datagram);
  }
  receiver_.mark();
}

// A reply that the socket has no room for is lost like any other datagram.
void ClockServer::answer(const ClockMessage& request, const ReceivedDatagram& datagram) noexcept {
  sync::trace_instant("exchange");
  ClockMessage reply = request;
  reply.kind = ClockMessageKind::reply;
  const sync::DaemonWord word = word_(datagram.received);  // before the stamp: it takes time
  reply.daemon_received_ns = datagram.received.since_epoch.count();
  reply.daemon_sent_ns = local_now().since_epoch.count();
  put_word(reply, word);
  sign(reply, key_);
  ::sendto(socket_, &reply, sizeof reply, MSG_DONTWAIT, datagram.from.raw(), datagram.from.length);
}

}  // namespace tilewall::net
