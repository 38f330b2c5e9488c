#include "net/slab/send_rate.hpp"

#include <algorithm>
#include <limits>

namespace tilewall::net {
namespace {

// Growth, rounds, loss, probing and the window's gain are BBR's (draft-cardwell-iccrg-bbr).
constexpr double start_gain = 2.0;     // sending rate over delivery rate during the start
constexpr double start_growth = 1.25;  // a round with less growth of the delivery rate is flat
constexpr int flat_rounds_to_end = 3;
constexpr double full_queue = 1.25;  // least round trips: a longer flat round ends the start
constexpr double start_loss = 0.02;  // a flat round that loses more ends the start
constexpr int most_drain_rounds = 4;
constexpr double drained_gain = 1.1;  // least round trips, and bandwidth-delay products
constexpr double probe_gain = 1.25;   // share of the rate in one round of eight
// Share of the rate in the round after the probe, to drain its queue.
constexpr double drain_gain = 0.75;
constexpr std::uint64_t probe_cycle = 8;
constexpr double delay_product_gain = 2.0;      // bandwidth-delay products in flight
constexpr std::chrono::seconds least_kept{10};  // a least round trip is forgotten after so long
constexpr std::uint64_t smallest_window_bytes = 128 * 1024;
constexpr double heavy_loss = 0.25;  // share of a round: the path does not carry this rate
constexpr double most_steady_loss = 0.2;
constexpr Nanos shortest_sample = std::chrono::microseconds(200);

}  // namespace

SendRate::SendRate(double cap_bytes_s, std::uint64_t receive_buffer_bytes,
                   std::uint64_t first_window_bytes, Nanos round_trip) noexcept
    : cap_bytes_s_(cap_bytes_s),
      receive_buffer_bytes_(std::max(receive_buffer_bytes, smallest_window_bytes)),
      first_window_bytes_(first_window_bytes),
      first_round_trip_(round_trip) {}

void SendRate::note_round_trip(LocalInstant now, Nanos round_trip) noexcept {
  smoothed_ = smoothed_ == Nanos{0} ? round_trip : (smoothed_ * 7 + round_trip) / 8;
  if (least_ == Nanos{0} || round_trip <= least_ || now - least_at_ > least_kept) {
    least_ = round_trip;
    least_at_ = now;
  }
}

double SendRate::path_bytes_s() const noexcept {
  return *std::max_element(best_.begin(), best_.end());
}

// The loss of the quietest of the last rounds is no sign of a full queue, because one round in
// eight sends too little to fill one. Pacing at the delivery rate alone would lose this share anew
// in each round, so it is sent on top.
double SendRate::steady_loss() const noexcept {
  return std::min(*std::min_element(loss_.begin(), loss_.end()), most_steady_loss);
}

void SendRate::begin_round(std::uint64_t delivered_bytes) noexcept {
  const double lost = static_cast<double>(round_lost_);
  const double all = lost + static_cast<double>(round_arrived_);
  // A round that loses so much proves the estimate wrong. The maximum of ten rounds would keep it
  // for as long, so all of them shrink.
  if (all > 0 && lost / all > heavy_loss)
    for (double& best : best_) best *= 0.85;
  if (drain_rounds_ > 0) --drain_rounds_;
  if (starting_) look_for_end_of_start(all > 0 ? lost / all : 0);
  round_least_ = Nanos{0};
  loss_[round_ % rounds_kept] = all > 0 ? lost / all : 0;
  ++round_;
  best_[round_ % rounds_kept] = 0;
  round_arrived_ = 0;
  round_lost_ = 0;
  round_ends_at_ = delivered_bytes;
}

// BBR waits for three flat rounds before it ends its start. But each round at twice the path's rate
// queues as much again at the bottleneck, so a single flat round is proof enough if its round trip
// has grown or it has lost packets.
void SendRate::look_for_end_of_start(double lost_share) noexcept {
  const bool is_flat = path_bytes_s() < start_best_ * start_growth;
  flat_rounds_ = is_flat ? flat_rounds_ + 1 : 0;
  start_best_ = std::max(start_best_, path_bytes_s());
  const bool is_full =
      as_double(round_least_) > as_double(least_) * full_queue || lost_share > start_loss;
  starting_ = flat_rounds_ < flat_rounds_to_end && !(is_flat && is_full);
  if (!starting_) drain_rounds_ = most_drain_rounds;
}

void SendRate::on_ack(LocalInstant now, const Sample& sample) noexcept {
  note_round_trip(now, sample.round_trip);
  is_acked_ = true;
  // The first window was all that could arrive meanwhile, so it tells no rate.
  if (sample.sent_delivered_bytes == 0) return;
  if (round_least_ == Nanos{0} || sample.round_trip < round_least_)
    round_least_ = sample.round_trip;
  if (as_double(sample.round_trip) <= as_double(least_) * drained_gain) drain_rounds_ = 0;
  round_arrived_ += sample.arrived_bytes;
  round_lost_ += sample.lost_bytes;
  // The interval begins at the last arrival before the packet was sent, as in BBR, and not at the
  // sending: a path that stops for a moment and then delivers all at once would pass for a faster
  // one, and the maximum of ten rounds would keep that rate.
  const Nanos took = std::max(now - sample.counted_since, shortest_sample);
  const double rate = static_cast<double>(sample.delivered_bytes - sample.sent_delivered_bytes) *
                      1e9 / as_double(took);
  // A sample without more data waiting is only a lower bound of the path's rate: it may raise the
  // estimate, and otherwise carries it over, so that an idle session does not forget it. It gives
  // no first estimate: after a small slab on a busy host the next batch was sent at 10 kB/s, and
  // the one behind it waited for seconds.
  const bool is_known = path_bytes_s() > 0;
  if (!sample.app_limited || (is_known && rate > path_bytes_s()))
    best_[round_ % rounds_kept] = std::max(best_[round_ % rounds_kept], rate);
  else
    best_[round_ % rounds_kept] = std::max(best_[round_ % rounds_kept], path_bytes_s());
  if (sample.sent_delivered_bytes >= round_ends_at_) begin_round(sample.delivered_bytes);
}

double SendRate::pace_bytes_s() const noexcept {
  if (cap_bytes_s_ > 0) return cap_bytes_s_;  // a given rate is taken for the path's
  const double path = path_bytes_s();
  if (path == 0) {
    const Nanos round_trip =
        std::max(least_ > Nanos{0} ? least_ : first_round_trip_, shortest_sample);
    return static_cast<double>(window_bytes()) * start_gain * 1e9 / as_double(round_trip);
  }
  if (starting_) return path * start_gain;
  const std::uint64_t phase = round_ % probe_cycle;
  return path / (1 - steady_loss()) * (phase == 0 ? probe_gain : phase == 1 ? drain_gain : 1.0);
}

std::uint64_t SendRate::window_bytes() const noexcept {
  if (!is_acked_) return first_window_bytes_;
  // The start has queued packets at the bottleneck. A window just above the bandwidth-delay product
  // drains that queue without letting the path run idle.
  if (drain_rounds_ > 0) {
    const double held = path_bytes_s() * drained_gain * as_double(least_) * 1e-9;
    return std::max(smallest_window_bytes, static_cast<std::uint64_t>(held));
  }
  const double rate = cap_bytes_s_ > 0 ? std::max(cap_bytes_s_, path_bytes_s()) : path_bytes_s();
  // In the start pacing sends start_gain times the estimate, so as many more bytes are in flight.
  // With the usual gain the window would stop the growth.
  const double gain = starting_ ? start_gain * delay_product_gain : delay_product_gain;
  const double path = rate * gain * as_double(least_) * 1e-9;
  return std::max(receive_buffer_bytes_, static_cast<std::uint64_t>(path));
}

}  // namespace tilewall::net
