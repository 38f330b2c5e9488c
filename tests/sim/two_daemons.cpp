#include "tests/sim/two_daemons.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace tilewall::test {
using namespace sync;
namespace {

using namespace std::chrono_literals;

constexpr double turn = 2 * 3.14159265358979323846 / 400;  // of the wave, a second
constexpr std::int64_t hold_ns = 8'000;
constexpr std::int64_t answer_timeout_ns = 20'000'000;
constexpr std::int64_t steer_interval_ns = 100'000'000;
constexpr int daemon_asker(int daemon) { return -1 - daemon; }

}  // namespace

LocalInstant MachineClock::read(std::int64_t true_ns) const noexcept {
  const double s = static_cast<double>(true_ns) * 1e-9;
  const double moved_ns = drift_ppb * s + wave_ppb / turn * (1 - std::cos(turn * s));
  return {Nanos{true_ns + offset_ns + static_cast<std::int64_t>(std::floor(moved_ns))}};
}

TwoDaemons::TwoDaemons(const PathModel& on_path, MachineClock first, MachineClock second,
                       std::uint64_t seed)
    : path(on_path), axis_(first), random_(seed) {
  daemons[0].clock = first;
  daemons[1].clock = second;
  daemons[1].boot_id = 2;
  start(0, false);
  start(1, true);
  at(now_ns_ + steer_interval_ns, [this] { steer_all(); });
}

SimulatedClient& TwoDaemons::add_client(const MachineClock& clock) {
  SimulatedClient& client = *clients.emplace_back(std::make_unique<SimulatedClient>());
  client.clock = clock;
  client.follower.emplace(ClockFollower::Options{}, 2);
  begin_asking(static_cast<int>(clients.size()) - 1, 2);
  return client;
}

void TwoDaemons::kill(int daemon) {
  daemons[daemon].is_alive = false;
  daemons[daemon].role.reset();
  daemons[daemon].follower.reset();
  lives_[daemon]++;
}

void TwoDaemons::start(int daemon, bool follows, const std::optional<ClockStatus>& kept) {
  SimulatedDaemon& self = daemons[daemon];
  self.is_alive = true;
  self.follows = follows;
  self.role.emplace(self.boot_id, Nanos{daemon}, follows, self.clock.read(now_ns_));
  if (!follows) return;
  self.follower.emplace(ClockFollower::for_carrier(), 1);
  if (kept) self.follower->continue_from(*kept);
  begin_asking(daemon_asker(daemon), 1);
}

void TwoDaemons::reboot(int daemon, bool follows, const MachineClock& clock) {
  kill(daemon);
  daemons[daemon].boot_id = ++boots_;
  daemons[daemon].clock = clock;
  start(daemon, follows);
}

void TwoDaemons::run_for(Nanos span) {
  const std::int64_t end_ns = now_ns_ + span.count();
  while (!events_.empty() && events_.top().at_ns <= end_ns) {
    const Event event = events_.top();
    events_.pop();
    now_ns_ = event.at_ns;
    event.run();
  }
  now_ns_ = end_ns;
}

std::int64_t TwoDaemons::error_ns(const SimulatedClient& client) const {
  const GlobalInstant says =
      client.follower->status().mapping.to_global(client.clock.read(now_ns_));
  return (says.since_epoch - axis_.read(now_ns_).since_epoch).count();
}

std::int64_t TwoDaemons::skew_ns() const {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  for (const auto& client : clients) {
    if (client->follower->status().state == ClockState::collecting) continue;
    least = std::min(least, error_ns(*client));
    most = std::max(most, error_ns(*client));
  }
  return most > least ? most - least : 0;
}

void TwoDaemons::at(std::int64_t true_ns, std::function<void()> run) {
  events_.push({true_ns, next_number_++, std::move(run)});
}

void TwoDaemons::begin_asking(int asker, std::size_t lines) {
  const std::uint64_t life = asker < 0 ? lives_[-1 - asker] : 0;
  for (std::size_t line = 0; line < lines; ++line)
    at(now_ns_, [=, this] { ask(asker, life, line); });
}

std::optional<TwoDaemons::Asker> TwoDaemons::find(int asker, std::uint64_t life) {
  if (asker >= 0) {
    SimulatedClient& client = *clients[static_cast<std::size_t>(asker)];
    return Asker{&*client.follower, &client.clock, 0};
  }
  const int daemon = -1 - asker;
  if (lives_[daemon] != life) return std::nullopt;
  return Asker{&*daemons[daemon].follower, &daemons[daemon].clock, life};
}

void TwoDaemons::ask(int asker, std::uint64_t life, std::size_t line) {
  const auto self = find(asker, life);
  if (!self) return;
  const int target = asker < 0 ? 1 - (-1 - asker) : static_cast<int>(line);
  const double more_loss =
      asker < 0 ? 0 : clients[static_cast<std::size_t>(asker)]->loss_of_daemon[target];
  const LocalInstant sent = self->clock->read(now_ns_);
  if (!daemons[target].is_alive || is_lost(path.loss) || is_lost(more_loss))
    return at(now_ns_ + answer_timeout_ns, [=, this] { ask(asker, life, line); });
  at(now_ns_ + delay_ns(path.to_daemon_us), [=, this] { answer(asker, life, line, sent); });
}

void TwoDaemons::answer(int asker, std::uint64_t life, std::size_t line, LocalInstant sent) {
  SimulatedDaemon& daemon = daemons[asker < 0 ? 1 - (-1 - asker) : static_cast<int>(line)];
  if (!daemon.is_alive)
    return at(now_ns_ + answer_timeout_ns, [=, this] { ask(asker, life, line); });
  const LocalInstant received = daemon.clock.read(now_ns_);
  const LocalInstant left = daemon.clock.read(now_ns_ + hold_ns);
  const ClockStatus other = daemon.follower ? daemon.follower->status() : ClockStatus{};
  const DaemonWord word = daemon.role->word(other, left);
  const std::int64_t back_ns = now_ns_ + hold_ns + delay_ns(path.to_host_us);
  at(back_ns, [=, this] {
    const auto self = find(asker, life);
    if (!self) return;
    take(asker, life, line,
         {sent, {received.since_epoch}, {left.since_epoch}, self->clock->read(now_ns_)}, word);
  });
}

void TwoDaemons::take(int asker, std::uint64_t life, std::size_t line, const ClockSample& sample,
                      const DaemonWord& word) {
  const auto self = find(asker, life);
  self->follower->add(line, sample, word);
  steer(asker, *self->follower, sample.received);
  at(now_ns_ + self->follower->next_interval(line).count() + 1,
     [=, this] { ask(asker, life, line); });
}

void TwoDaemons::steer(int asker, ClockFollower& follower, LocalInstant now) {
  if (asker < 0) return follower.steer(now);
  SimulatedClient& client = *clients[static_cast<std::size_t>(asker)];
  const ClockStatus before = follower.status();
  const bool is_known = before.axis_boot_id != 0;
  if (is_known && std::abs(error_ns(client)) > before.mapping.bound_at(now).count())
    client.violations++;
  follower.steer(now);
  const ClockStatus& after = follower.status();
  if (is_known && after.restarts == before.restarts)
    client.largest_step_ns =
        std::max(client.largest_step_ns,
                 std::abs((after.mapping.to_global(now) - before.mapping.to_global(now)).count()));
  if (after.axis_boot_id != 0 && std::abs(error_ns(client)) > after.mapping.bound_at(now).count())
    client.violations++;
}

void TwoDaemons::steer_all() {
  for (std::size_t i = 0; i < clients.size(); ++i)
    steer(static_cast<int>(i), *clients[i]->follower, clients[i]->clock.read(now_ns_));
  for (SimulatedDaemon& daemon : daemons)
    if (daemon.follower) daemon.follower->steer(daemon.clock.read(now_ns_));
  largest_skew_ns = std::max(largest_skew_ns, skew_ns());
  at(now_ns_ + steer_interval_ns, [this] { steer_all(); });
}

std::int64_t TwoDaemons::delay_ns(double least_us) {
  double jitter_us = 0;
  if (path.jitter_us > 0)
    jitter_us = path.shape == JitterShape::uniform
                    ? std::uniform_real_distribution<double>(0, path.jitter_us)(random_)
                    : std::exponential_distribution<double>(1 / path.jitter_us)(random_);
  return static_cast<std::int64_t>((least_us + jitter_us) * 1e3);
}

bool TwoDaemons::is_lost(double share) {
  return share > 0 && std::uniform_real_distribution<double>(0, 1)(random_) < share;
}

}  // namespace tilewall::test
