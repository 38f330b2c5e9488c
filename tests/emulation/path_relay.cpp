#include "tests/emulation/path_relay.hpp"

#include <sys/eventfd.h>

#include <algorithm>
#include <utility>

#include "net/socket.hpp"
#include "sync/base/check.hpp"
#include "sync/pacing/thread_priority.hpp"

namespace tilewall::test {

using namespace net;
using namespace sync;
namespace {

constexpr int most_port_tries = 100;
constexpr Nanos longest_wait = std::chrono::seconds(1);

SocketAddress local_port_address(std::uint16_t port) {
  return with_port(resolve("127.0.0.1:0", "port"), port);
}

}  // namespace

LocalPort open_local_port() {
  for (int left = most_port_tries;; --left) {
    UniqueFd listener = listen_tcp(local_port_address(0));
    const SocketAddress address = local_address(listener.get());
    try {
      return {std::move(listener), bind_udp(address), address.port()};
    } catch (const JobError&) {  // somebody has it for UDP
      if (left == 1) throw;
    }
  }
}

PathRelay::PathRelay(std::uint16_t target_port, const PathShape& to_target,
                     const PathShape& from_target, std::uint64_t seed)
    : PathRelay(open_local_port(), target_port, {PathLink(to_target), PathLink(from_target)},
                seed) {}

PathRelay::PathRelay(LocalPort port, std::uint16_t target_port,
                     const std::array<PathLink, 2>& links, std::uint64_t seed)
    : port_(port.number),
      wake_(check_sys(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd")),
      links_(links),
      datagrams_(std::move(port.datagrams), local_port_address(target_port), links_, seed),
      streams_(std::move(port.listener), local_port_address(target_port), links_, seed),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

PathRelay::~PathRelay() {
  thread_.request_stop();
  ::eventfd_write(wake_.get(), 1);
}

void PathRelay::reshape(const PathShape& to_target, const PathShape& from_target) {
  const std::array<PathLink, 2> checked = {PathLink(to_target), PathLink(from_target)};
  on_thread([&] {
    for (std::size_t i = 0; i < links_.size(); ++i) links_[i].reshape(checked[i].shape());
  });
}

void PathRelay::cut() {
  on_thread([&] {
    datagrams_.cut();
    streams_.cut();
  });
}

void PathRelay::drop_connections() {
  on_thread([&] { streams_.drop_connections(); });
}

void PathRelay::record() {
  on_thread([&] {
    datagrams_.record();
    streams_.record();
  });
}

PathRelay::Recorded PathRelay::recorded() {
  Recorded recorded;
  on_thread([&] { recorded = {datagrams_.recorded(), streams_.recorded()}; });
  return recorded;
}

void PathRelay::replay_datagrams() {
  on_thread([&] { datagrams_.replay(); });
}

PathCounters PathRelay::counters() {
  PathCounters counters;
  on_thread([&] { counters = datagrams_.counters(); });
  return counters;
}

void PathRelay::on_thread(const std::function<void()>& call) {
  std::unique_lock lock(mutex_);
  calls_.push_back(&call);
  const std::uint64_t mine = ++asked_;
  ::eventfd_write(wake_.get(), 1);
  followed_.wait(lock, [&] { return done_ >= mine; });
}

void PathRelay::run(const std::stop_token& stop) {
  use_finest_timer_slack();
  static_cast<void>(try_realtime_priority());  // a path does not get slower by what hosts compute
  while (!stop.stop_requested()) {
    wait(local_now());
    take();
    run_calls();
    datagrams_.deliver(local_now());
    streams_.deliver(local_now());
  }
}

void PathRelay::wait(LocalInstant now) {
  polled_.assign(1, {wake_.get(), POLLIN, 0});
  datagrams_.watch(polled_);
  streams_.watch(polled_, now);
  const LocalInstant next = std::min(datagrams_.next_due(), streams_.next_due(now));
  const Nanos left = next < now ? Nanos{0} : std::min(next - now, longest_wait);
  const timespec timeout = {std::chrono::floor<std::chrono::seconds>(left).count(),
                            (left % std::chrono::seconds(1)).count()};
  if (::ppoll(polled_.data(), polled_.size(), &timeout, nullptr) < 0)
    for (pollfd& each : polled_) each.revents = 0;
}

void PathRelay::take() {
  std::span<const pollfd> polled = std::span(polled_).subspan(1);
  datagrams_.take(polled);
  streams_.take(polled);
}

void PathRelay::run_calls() {
  eventfd_t ignored = 0;
  ::eventfd_read(wake_.get(), &ignored);
  const std::scoped_lock lock(mutex_);
  for (const std::function<void()>* call : calls_) (*call)();
  calls_.clear();
  done_ = asked_;
  followed_.notify_all();
}

}  // namespace tilewall::test
