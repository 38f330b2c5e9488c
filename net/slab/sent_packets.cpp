#include "net/slab/sent_packets.hpp"

#include <algorithm>

namespace tilewall::net {
namespace {

constexpr std::uint64_t longest_reach = 4096;
constexpr Nanos least_retransmit_timeout =
    std::chrono::milliseconds(25);     // well beyond the 2 ms by which a client delays acks
constexpr int most_silent_rounds = 6;  // the timeout is doubled so often at most
// In silence only so many packets are sent again. When all of them were, 32 clients at once got 0.2
// Gbit/s together; with two probes each they get 13.4.
constexpr int most_probes = 2;
constexpr std::uint64_t most_looked_back = 512;  // packets before the oldest that may come late

}  // namespace

SentPackets::Record& SentPackets::record(std::uint64_t sequence) noexcept {
  return ring_[sequence % ring_.size()];
}

const SentPackets::Record& SentPackets::record(std::uint64_t sequence) const noexcept {
  return ring_[sequence % ring_.size()];
}

/// The record of next(), which is used up.
SentPackets::Record& SentPackets::add_record() {
  if (next_ - oldest_ >= ring_.size()) {
    std::vector<Record> larger(ring_.size() * 2);
    for (std::uint64_t i = oldest_; i < next_; ++i) larger[i % larger.size()] = record(i);
    ring_ = std::move(larger);
  }
  return record(next_++);
}

std::uint64_t SentPackets::use_unacked() {
  add_record() = {};
  forget_settled();
  return next_ - 1;
}

void SentPackets::add(const PieceRef& piece, std::uint32_t bytes, LocalInstant now,
                      bool app_limited) {
  // After a pause the rate must not be counted from the last arrival before it.
  if (in_flight_bytes_ == 0) delivered_at_ = now;
  add_record() = {piece,        bytes, Fate::on_its_way, app_limited, now, delivered_bytes_,
                  delivered_at_};
  in_flight_bytes_ += bytes;
}

void SentPackets::settle(Record& record, bool came, News& news) {
  if (record.fate == Fate::on_its_way) {
    in_flight_bytes_ -= record.bytes;
    (came ? news.arrived : news.lost).push_back(record.piece);
    (came ? news.sample.arrived_bytes : news.sample.lost_bytes) += record.bytes;
  } else if (record.fate == Fate::lost && came) {
    ++wrongly_lost_;
    reach_ = std::min(reach_ * 2, longest_reach);
    news.arrived.push_back(record.piece);
  }
  if (came && record.fate != Fate::arrived) delivered_bytes_ += record.bytes;
  record.fate = came ? Fate::arrived : Fate::lost;
}

// Records of lost packets stay in the ring until they are overwritten: they may arrive after all.
void SentPackets::forget_settled() noexcept {
  while (oldest_ < next_ && record(oldest_).fate != Fate::on_its_way) ++oldest_;
}

Nanos SentPackets::retransmit_timeout(Nanos round_trip) const noexcept {
  return (round_trip * 3 / 2 + least_retransmit_timeout) *
         (1 << std::min(silent_rounds_, most_silent_rounds));
}

void SentPackets::on_ack(const Ack& ack, LocalInstant now, Nanos round_trip, News& news) {
  const std::uint64_t largest = ack.header.largest;
  if (largest >= next_ || largest == 0) return;
  const std::uint64_t delivered_before = delivered_bytes_;
  silent_rounds_ = 0;
  const std::uint64_t known =
      largest > ack.header.bitmap_bits ? largest - ack.header.bitmap_bits : 1;
  const std::uint64_t remembered = next_ > ring_.size() ? next_ - ring_.size() : 1;
  const bool is_news = largest >= remembered && (record(largest).fate == Fate::on_its_way ||
                                                 record(largest).fate == Fate::lost);
  // A packet that was regarded as lost too early gives a valid round trip too: no number is used
  // twice, so Karn's ambiguity does not arise.
  if (is_news) {
    const Record& newest = record(largest);
    news.has_sample = true;
    news.sample.sent_delivered_bytes = newest.delivered_bytes;
    news.sample.counted_since = newest.delivered_at;
    news.sample.app_limited = newest.app_limited;
    news.sample.round_trip =
        std::max(now - newest.sent - std::chrono::microseconds(ack.header.delay_us), Nanos{1000});
  }
  const LocalInstant old_enough = now - retransmit_timeout(round_trip);
  // No later ack reports the packets before this one's bitmap, so their age decides.
  for (std::uint64_t i = oldest_; i < known && i < next_ && record(i).sent < old_enough; ++i)
    if (record(i).fate == Fate::on_its_way) settle(record(i), false, news);
  // Packets before oldest_ are settled; of those, only lost ones that arrive late matter. Looking
  // for them through the whole bitmap of each ack would cost too much at 20 Gbit/s.
  const std::uint64_t recent = oldest_ > most_looked_back ? oldest_ - most_looked_back : 1;
  for (std::uint64_t i = std::max({known, remembered, recent}); i <= largest; ++i) {
    Record& packet = record(i);
    if (packet.fate == Fate::none || packet.fate == Fate::arrived) continue;
    if (i == largest || ack.came(i))
      settle(packet, true, news);
    else if (packet.fate == Fate::on_its_way && (largest - i >= reach_ || packet.sent < old_enough))
      settle(packet, false, news);
  }
  if (delivered_bytes_ > delivered_before) delivered_at_ = now;
  news.sample.delivered_bytes = delivered_bytes_;
  forget_settled();
}

void SentPackets::on_timeout(LocalInstant now, Nanos round_trip, News& news) {
  if (timeout_at(round_trip) > now) return;
  const LocalInstant old_enough = now - retransmit_timeout(round_trip);
  int probes = 0;
  for (std::uint64_t i = oldest_; i < next_ && probes < most_probes; ++i) {
    Record& packet = record(i);
    if (packet.fate != Fate::on_its_way || packet.sent > old_enough) continue;
    settle(packet, false, news);
    ++probes;
  }
  if (probes > 0) {
    ++silent_rounds_;
    probed_ = now;
  }
  forget_settled();
}

LocalInstant SentPackets::timeout_at(Nanos round_trip) const noexcept {
  if (oldest_ == next_) return never_due;
  return std::max(record(oldest_).sent, probed_) + retransmit_timeout(round_trip);
}

}  // namespace tilewall::net
