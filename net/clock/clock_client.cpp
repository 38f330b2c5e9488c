#include "net/clock/clock_client.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "sync/base/check.hpp"
#include "sync/pacing/wait.hpp"

namespace tilewall {
namespace {

using namespace std::chrono_literals;

// While a reply is out the next request waits so long for it; on a longer path several are out.
constexpr Nanos patience = 20ms;
constexpr Nanos steer_interval = 200ms;  // without replies
constexpr Nanos look_interval = 1ms;

}  // namespace

ClockClientLoop::ClockClientLoop(const ClockClientOptions& options, ClockBoard& board)
    : socket_(connect_udp(options.daemon)),
      receiver_(socket_.get()),
      conversation_(options.key),
      filter_(options.filter),
      board_(board),
      on_publish_(options.on_publish) {
  if (!options.previous) return;
  filter_.continue_from(options.previous->mapping);
  daemon_boot_id_ = options.previous->daemon_boot_id;
}

LocalInstant ClockClientLoop::step() {
  take_replies();
  const LocalInstant now = local_now();
  conversation_.give_up_old(now);
  if (now >= next_request_) send_request(now);
  if (now >= next_steer_) publish(now);
  return std::min(next_request_, next_steer_);
}

void ClockClientLoop::take_replies() {
  std::array<std::byte, sizeof(ClockMessage)> buffer = {};
  while (const auto datagram = receiver_.receive(buffer)) {
    if (datagram->size_bytes > buffer.size()) continue;
    const auto whole = std::span(buffer).first(datagram->size_bytes);
    if (const auto reply = conversation_.take(whole, datagram->received)) take(*reply);
  }
}

void ClockClientLoop::take(const ClockReply& reply) {
  const bool is_known = daemon_boot_id_ == 0 || daemon_boot_id_ == reply.daemon_boot_id;
  if (!is_known) filter_.restart();
  daemon_boot_id_ = reply.daemon_boot_id;
  utc_minus_global_ = reply.utc_minus_global;
  filter_.add(reply.sample);
  const LocalInstant now = local_now();
  publish(now);
  next_request_ = now + filter_.next_interval();
}

void ClockClientLoop::send_request(LocalInstant now) {
  receiver_.mark();
  next_request_ = now + std::max(patience, filter_.next_interval());
  const ClockMessage request = conversation_.ask(local_now());
  ::send(socket_.get(), &request, sizeof request, MSG_DONTWAIT);  // not sent is lost as well
  conversation_.prepare();
}

void ClockClientLoop::publish(LocalInstant now) {
  next_steer_ = now + steer_interval;
  filter_.steer(now);
  if (filter_.status().samples == 0) return;
  ClockStatus status = filter_.status();
  status.lost = conversation_.lost();
  status.daemon_boot_id = daemon_boot_id_;
  status.utc_minus_global = utc_minus_global_;
  board_.publish(status);
  if (on_publish_) on_publish_(status);
}

ClockClient::ClockClient(const ClockClientOptions& options)
    : loop_(options, board_),
      wake_(check_sys(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

ClockClient::ClockClient(std::string_view daemon)
    : ClockClient(ClockClientOptions{.daemon = resolve(daemon, "clock"),
                                     .key = {},
                                     .filter = {},
                                     .previous = {},
                                     .on_publish = {}}) {}

ClockClient::~ClockClient() {
  thread_.request_stop();
  ::eventfd_write(wake_.get(), 1);
}

bool ClockClient::wait_until_locked(std::chrono::milliseconds limit) const {
  const LocalInstant give_up = local_now() + limit;
  while (status().state == ClockState::collecting) {
    if (local_now() >= give_up) return false;
    std::ignore = wait_until(local_now() + look_interval, Nanos{0});
  }
  return true;
}

void ClockClient::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Nanos left = std::max(loop_.step() - local_now(), Nanos{0});
    const timespec timeout = {std::chrono::floor<std::chrono::seconds>(left).count(),
                              (left % 1s).count()};
    std::array<pollfd, 2> watched = {{{loop_.fd(), POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
    ::ppoll(watched.data(), watched.size(), &timeout, nullptr);  // interrupted: only sooner
  }
}

}  // namespace tilewall
