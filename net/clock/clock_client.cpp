#include "net/clock/clock_client.hpp"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "net/show_keys.hpp"
#include "sync/base/check.hpp"
#include "sync/pacing/wait.hpp"

namespace tilewall::net {
namespace {

using namespace std::chrono_literals;

// The next request waits so long for an open one's reply. On a path with a longer round trip
// several requests are open at once.
constexpr Nanos answer_timeout = 20ms;
constexpr int most_hasty = 50;  // requests without an answer; after them the client asks less often
constexpr Nanos unanswered_interval = 200ms;
constexpr Nanos steer_interval = 200ms;  // between two steps while no replies come
constexpr Nanos look_interval = 1ms;

}  // namespace

std::vector<SocketAddress> resolve_clock_daemons(std::string_view text, const std::string& field) {
  std::vector<SocketAddress> daemons;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    daemons.push_back(resolve(text.substr(begin, end - begin), field));
    begin = end + 1;
    if (daemons.size() > sync::ClockFollower::max_daemons)
      throw InputError({field}, "", "HOST:PORT or HOST:PORT,HOST:PORT", std::string(text));
  }
  return daemons;
}

ClockClientLoop::ClockClientLoop(const ClockClientOptions& options, ClockBoard& board)
    : follower_(options.follower, options.daemons.size()),
      board_(board),
      on_publish_(options.on_publish) {
  for (const SocketAddress& daemon : options.daemons)
    fds_.push_back(lines_.emplace_back(daemon, options.key).socket.get());
  if (options.previous && options.previous->axis_boot_id != 0)
    follower_.continue_from(*options.previous);
}

LocalInstant ClockClientLoop::step() {
  for (std::size_t i = 0; i < lines_.size(); ++i) take_replies(i);
  const LocalInstant now = local_now();
  LocalInstant next{Nanos::max()};
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    lines_[i].conversation.give_up_old(now);
    if (now >= lines_[i].next_request) send_request(i, now);
    next = std::min(next, lines_[i].next_request);
  }
  if (now >= next_steer_) publish(now);
  return std::min(next, next_steer_);
}

void ClockClientLoop::take_replies(std::size_t daemon) {
  Line& line = lines_[daemon];
  std::array<std::byte, sizeof(ClockMessage)> buffer = {};
  while (const auto datagram = line.receiver.receive(buffer)) {
    if (datagram->size_bytes > buffer.size()) continue;
    const auto whole = std::span(buffer).first(datagram->size_bytes);
    const auto reply = line.conversation.take(whole, datagram->received);
    if (!reply) continue;
    line.unanswered = 0;
    follower_.add(daemon, reply->sample, reply->word);
    const LocalInstant now = local_now();
    publish(now);
    line.next_request = now + follower_.next_interval(daemon);
  }
}

void ClockClientLoop::send_request(std::size_t daemon, LocalInstant now) {
  Line& line = lines_[daemon];
  line.receiver.mark();
  const Nanos wait = ++line.unanswered < most_hasty ? answer_timeout : unanswered_interval;
  line.next_request = now + std::max(wait, follower_.next_interval(daemon));
  const ClockMessage request = line.conversation.ask(local_now());
  // A request that could not be sent counts as lost.
  ::send(line.socket.get(), &request, sizeof request, MSG_DONTWAIT);
  line.conversation.prepare();
}

void ClockClientLoop::publish(LocalInstant now) {
  next_steer_ = now + steer_interval;
  follower_.steer(now);
  sync::ClockStatus status = follower_.status();
  // No exchange and no earlier axis yet.
  if (status.samples == 0 && status.axis_boot_id == 0) return;
  status.lost = 0;
  for (const Line& line : lines_) status.lost += line.conversation.lost();
  board_.publish(status);
  if (on_publish_) on_publish_(status);
}

namespace {

/// Throws InputError for a daemon on another machine where there is no key.
const ClockClientOptions& checked(const ClockClientOptions& options) {
  for (const SocketAddress& daemon : options.daemons)
    require_key_beyond_loopback(daemon, options.key.has_value());
  return options;
}

}  // namespace

ClockClient::ClockClient(const ClockClientOptions& options)
    : loop_(checked(options), board_),
      wake_(check_sys(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

ClockClient::ClockClient(std::string_view daemon)
    : ClockClient(ClockClientOptions{.daemons = {resolve(daemon, "clock")},
                                     .key = {},
                                     .follower = {},
                                     .previous = {},
                                     .on_publish = {}}) {}

ClockClient::~ClockClient() {
  thread_.request_stop();
  ::eventfd_write(wake_.get(), 1);
}

bool ClockClient::wait_until_locked(std::chrono::milliseconds limit) const {
  const LocalInstant give_up = local_now() + limit;
  while (status().state == sync::ClockState::collecting) {
    if (local_now() >= give_up) return false;
    std::ignore = sync::wait_until(local_now() + look_interval, Nanos{0});
  }
  return true;
}

void ClockClient::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    const Nanos left = std::max(loop_.step() - local_now(), Nanos{0});
    const timespec timeout = {std::chrono::floor<std::chrono::seconds>(left).count(),
                              (left % 1s).count()};
    std::vector<pollfd> watched = {{wake_.get(), POLLIN, 0}};
    for (const int fd : loop_.fds()) watched.push_back({fd, POLLIN, 0});
    ::ppoll(watched.data(), watched.size(), &timeout, nullptr);  // interrupted: only sooner
  }
}

}  // namespace tilewall::net
