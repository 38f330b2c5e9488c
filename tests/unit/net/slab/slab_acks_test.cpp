// Which packets have come, which are lost and sent again: acks, and the books of both sides.

#include <catch2/catch.hpp>
#include <cstring>
#include <random>
#include <vector>

#include "net/slab/received_packets.hpp"
#include "net/slab/sent_packets.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace std::chrono_literals;

namespace {

LocalInstant at(Nanos since) { return {since}; }

Ack ack_of(const std::vector<std::byte>& payload) {
  const auto ack = parse_ack(payload);
  REQUIRE(ack);
  return *ack;
}

}  // namespace

TEST_CASE("an ack tells which packets came", "[slab]") {
  ReceivedPackets received;
  for (const std::uint64_t sequence : {1U, 2U, 4U, 7U}) CHECK(received.note(sequence, at(1ms)));
  CHECK_FALSE(received.note(4, at(2ms)));
  CHECK(received.repeated() == 1);
  const auto payload = received.ack(at(3ms), 64);
  const Ack ack = ack_of(payload);
  CHECK(ack.header.largest == 7);
  CHECK(ack.header.received == 4);
  CHECK(ack.header.delay_us == 2000);
  REQUIRE(ack.header.bitmap_bits == 64);
  const bool came[] = {true, true, false, true, false, false};
  for (std::uint64_t i = 0; i < 6; ++i) CHECK(ack.came(i + 1) == came[i]);
}

TEST_CASE("an ack tells the same of a packet wherever its bit stands", "[slab]") {
  ReceivedPackets received;
  for (std::uint64_t sequence = 1; sequence <= 400; ++sequence) {
    if (sequence % 3 == 0 && sequence % 2 == 0) continue;  // each sixth is missing
    REQUIRE(received.note(sequence, at(0ms)));
    if (sequence < 200) continue;
    const auto payload = received.ack(at(0ms), 128);
    const Ack ack = ack_of(payload);
    REQUIRE(ack.header.bitmap_bits == 128);
    for (std::uint64_t behind = 1; behind <= 128; ++behind)
      if (ack.came(sequence - behind) != ((sequence - behind) % 6 != 0))
        FAIL("packet " << sequence - behind << " at " << sequence);
  }
}

TEST_CASE("a gap is told as well after more packets than are remembered", "[slab]") {
  ReceivedPackets received;
  const std::uint64_t before = most_ack_bits + 4000;  // all of them came
  for (std::uint64_t sequence = 1; sequence <= before; ++sequence)
    REQUIRE(received.note(sequence, at(0ms)));
  REQUIRE(received.note(before + 11, at(0ms)));  // ten are missing
  const auto payload = received.ack(at(0ms), 64);
  const Ack ack = ack_of(payload);
  CHECK(ack.header.received == before + 1);
  for (std::uint64_t behind = 1; behind <= 20; ++behind) {
    CAPTURE(behind);
    CHECK(ack.came(before + 11 - behind) == (behind > 10));
  }
  CHECK(received.note(before + 1, at(0ms)));  // the missing one is taken, the others are repeated
  CHECK_FALSE(received.note(before, at(0ms)));
  const std::uint64_t far = before + 11 + 3 * std::uint64_t{most_ack_bits} + 5;
  REQUIRE(received.note(far, at(0ms)));
  const auto later = received.ack(at(0ms), most_ack_bits);
  const Ack none = ack_of(later);
  for (std::uint64_t behind = 1; behind <= none.header.bitmap_bits; ++behind)
    if (none.came(far - behind)) FAIL("packet " << far - behind << " never came");
}

TEST_CASE("packets too old to be remembered are taken for repeated ones", "[slab]") {
  ReceivedPackets received;
  CHECK(received.note(1, at(0ms)));
  CHECK(received.note(200'000, at(0ms)));
  CHECK_FALSE(received.is_new(2));
  CHECK(received.is_new(200'000 - most_ack_bits + 1));
  CHECK(received.is_new(199'999));
}

TEST_CASE("what later packets overtake is lost, once, and sent anew", "[slab]") {
  SentPackets sent;
  ReceivedPackets received;
  for (std::uint32_t piece = 0; piece < 10; ++piece)
    sent.add({1, piece, PacketKind::data}, 1000, at(0ms), false);
  for (const std::uint64_t sequence : {1U, 2U, 3U, 5U, 6U, 7U, 8U, 9U})
    CHECK(received.note(sequence, at(5ms)));
  SentPackets::News news;
  const auto payload = received.ack(at(5ms), 64);
  sent.on_ack(ack_of(payload), at(10ms), 10ms, news);
  CHECK(news.arrived.size() == 8);
  REQUIRE(news.lost.size() == 1);
  CHECK(news.lost[0].piece == 3);
  CHECK(sent.in_flight_bytes() == 1000);  // the tenth
  REQUIRE(news.has_sample);
  CHECK(news.sample.round_trip == 10ms);
  SentPackets::News again;
  sent.on_ack(ack_of(payload), at(11ms), 10ms, again);
  CHECK(again.lost.empty());
  CHECK(again.arrived.empty());
  SentPackets::News late;
  sent.on_timeout(at(1s), 10ms, late);
  REQUIRE(late.lost.size() == 1);
  CHECK(late.lost[0].piece == 9);
  CHECK(sent.timeout_at(10ms) == SentPackets::never_due);
}

TEST_CASE("an ack's sample tells the round trip, and since when what it counts had come",
          "[slab]") {
  SentPackets sent;
  ReceivedPackets received;
  const auto news_of = [&](std::uint64_t sequence, Nanos came, Nanos acked, Nanos now) {
    CHECK(received.note(sequence, at(came)));
    const auto payload = received.ack(at(acked), 64);
    SentPackets::News news;
    sent.on_ack(ack_of(payload), at(now), 10ms, news);
    REQUIRE(news.has_sample);
    return news.sample;
  };
  sent.add({1, 0, PacketKind::data}, 1000, at(0ms), false);
  const SendRate::Sample first = news_of(1, 4ms, 7ms, 12ms);
  CHECK(first.round_trip == 9ms);  // less the 3 ms that the receiver held the ack back
  CHECK(first.counted_since == at(0ms));
  CHECK(first.delivered_bytes == 1000);
  CHECK(first.sent_delivered_bytes == 0);
  // Nothing was on its way until the next one: it does not count since the last one came.
  sent.add({1, 1, PacketKind::data}, 1000, at(100ms), true);
  sent.add({1, 2, PacketKind::data}, 1000, at(102ms), false);
  const SendRate::Sample second = news_of(2, 105ms, 105ms, 110ms);
  CHECK(second.counted_since == at(100ms));
  CHECK(second.sent_delivered_bytes == 1000);
  CHECK(second.app_limited);
  // This one was sent while another was on its way, and the fourth when the second had come.
  sent.add({1, 3, PacketKind::data}, 1000, at(111ms), false);
  CHECK(news_of(3, 107ms, 107ms, 112ms).counted_since == at(100ms));
  const SendRate::Sample fourth = news_of(4, 115ms, 115ms, 121ms);
  CHECK(fourth.counted_since == at(110ms));
  CHECK(fourth.delivered_bytes == 4000);
  CHECK(fourth.sent_delivered_bytes == 2000);
  CHECK_FALSE(fourth.app_limited);
}

TEST_CASE("a packet that comes after it was given up doubles how far others may be behind",
          "[slab]") {
  SentPackets sent;
  ReceivedPackets received;
  for (std::uint32_t piece = 0; piece < 20; ++piece)
    sent.add({1, piece, PacketKind::data}, 1000, at(0ms), false);
  const auto lost_after = [&](std::uint64_t sequence) {
    CHECK(received.note(sequence, at(1ms)));
    const auto payload = received.ack(at(1ms), 64);
    SentPackets::News news;
    sent.on_ack(ack_of(payload), at(1ms), 10ms, news);
    return news.lost.size();
  };
  CHECK(lost_after(2) == 0);
  CHECK(lost_after(3) == 0);
  CHECK(lost_after(4) == 1);  // the first is three behind
  CHECK(lost_after(1) == 0);
  CHECK(sent.wrongly_lost() == 1);
  for (const std::uint64_t sequence : {6U, 7U, 8U, 9U, 10U}) CHECK(lost_after(sequence) == 0);
  CHECK(lost_after(11) == 1);  // the fifth is six behind
}

TEST_CASE("a client that acks nothing for some seconds is unheard, until it acks", "[slab]") {
  const auto at = [](Nanos time) { return LocalInstant{time}; };
  SentPackets sent;
  sent.add({1, 0, PacketKind::data}, 1000, at(1s), false);
  Nanos unheard_after{0};
  for (Nanos time{0}; unheard_after == Nanos{0} && time < 20s; time += 1ms) {
    SentPackets::News news;
    sent.on_timeout(at(1s + time), 0ms, news);
    if (!news.lost.empty()) sent.add(news.lost.front(), 1000, at(1s + time), false);
    if (sent.is_unheard()) unheard_after = time;
  }
  CHECK(unheard_after > 2s);  // 25 ms, doubled six times: 3.2 s in all
  CHECK(unheard_after < 5s);
  AckHeader header{};
  header.largest = sent.next() - 1;
  SentPackets::News news;
  sent.on_ack({header, {}}, at(20s), 0ms, news);
  CHECK_FALSE(sent.is_unheard());
}

TEST_CASE("a packet that was given up and comes after all tells its round trip", "[slab]") {
  SentPackets sent;
  ReceivedPackets received;
  sent.add({1, 0, PacketKind::data}, 1000, at(1000ms), false);
  SentPackets::News silence;
  sent.on_timeout(at(1200ms), 10ms, silence);  // more than 1.5 round trips and 25 ms
  REQUIRE(silence.lost.size() == 1);
  CHECK(received.note(1, at(1300ms)));
  SentPackets::News news;
  sent.on_ack(ack_of(received.ack(at(1300ms), 64)), at(1350ms), 10ms, news);
  CHECK(news.has_sample);
  CHECK(news.sample.round_trip == 350ms);
  CHECK(news.arrived.size() == 1);
  CHECK(sent.wrongly_lost() == 1);
  SentPackets::News again;  // the same ack once more
  sent.on_ack(ack_of(received.ack(at(1300ms), 64)), at(1400ms), 10ms, again);
  CHECK_FALSE(again.has_sample);
}

TEST_CASE("in silence two packets are sent again, and the next two after twice the time",
          "[slab]") {
  SentPackets sent;
  for (std::uint32_t piece = 0; piece < 6; ++piece)
    sent.add({1, piece, PacketKind::data}, 1000, at(0ms), false);
  // One and a half round trips of 10 ms, and 25 ms.
  CHECK(sent.timeout_at(10ms) == at(40ms));
  SentPackets::News early;
  sent.on_timeout(at(39ms), 10ms, early);
  CHECK(early.lost.empty());
  SentPackets::News first;
  sent.on_timeout(at(45ms), 10ms, first);
  REQUIRE(first.lost.size() == 2);
  CHECK(first.lost[0].piece == 0);
  CHECK(first.lost[1].piece == 1);
  CHECK(sent.in_flight_bytes() == 4000);
  CHECK(sent.timeout_at(10ms) == at(45ms + 80ms));
  SentPackets::News second;
  sent.on_timeout(at(130ms), 10ms, second);
  CHECK(second.lost.size() == 2);
  CHECK(sent.timeout_at(10ms) == at(130ms + 160ms));
}

TEST_CASE("a path that changes the order is given more time", "[slab]") {
  SentPackets sent;
  ReceivedPackets received;
  std::size_t lost = 0;
  for (std::uint32_t round = 0; round < 40; ++round) {
    for (std::uint32_t i = 0; i < 8; ++i)
      sent.add({1, round * 8 + i, PacketKind::data}, 1000, at(round * 1ms), false);
    const std::uint64_t first = round * 8 + 1;
    for (const std::uint64_t i : {4U, 5U, 6U, 7U, 0U, 1U, 2U, 3U}) {
      CHECK(received.note(first + i, at(round * 1ms)));
      const auto payload = received.ack(at(round * 1ms), 256);
      SentPackets::News news;
      sent.on_ack(ack_of(payload), at(round * 1ms), 1ms, news);
      lost += news.lost.size();
    }
  }
  CHECK(sent.wrongly_lost() > 0);
  CHECK(lost < 20);  // then it has learnt
  CHECK(sent.in_flight_bytes() == 0);
}

TEST_CASE("an ack of packets that were never sent tells nothing", "[slab]") {
  SentPackets sent;
  sent.add({1, 0, PacketKind::data}, 1000, at(0ms), false);
  std::vector<std::byte> payload(sizeof(AckHeader));
  const AckHeader header{100, 100, 0, 0};
  std::memcpy(payload.data(), &header, sizeof header);
  SentPackets::News news;
  sent.on_ack(ack_of(payload), at(1ms), 1ms, news);
  CHECK(news.arrived.empty());
  CHECK(sent.in_flight_bytes() == 1000);
}

TEST_CASE("an ack tells the same of every packet of random losses, over the whole ring", "[slab]") {
  std::mt19937_64 random(7);
  ReceivedPackets received;
  std::vector<bool> came(3 * most_ack_bits, false);
  std::uint64_t largest = 0, count = 0;
  for (std::uint64_t sequence = 1; sequence < came.size(); ++sequence) {
    if (random() % 4 == 0) continue;
    REQUIRE(received.note(sequence, at(0ms)));
    came[sequence] = true;
    largest = sequence;
    ++count;
    if (random() % 2000 != 0) continue;
    const std::uint32_t bits = 1 + static_cast<std::uint32_t>(random() % 1000);
    const auto payload = received.ack(at(5ms), bits);
    const Ack ack = ack_of(payload);
    CAPTURE(largest, bits);
    CHECK(ack.header.largest == largest);
    CHECK(ack.header.received == count);
    // The bitmap is rounded up to whole words.
    CHECK(ack.header.bitmap_bits == bits + (64 - bits % 64) % 64);
    std::size_t wrong = 0;
    for (std::uint64_t behind = 1; behind <= ack.header.bitmap_bits && behind < largest; ++behind)
      if (ack.came(largest - behind) != came[largest - behind]) ++wrong;
    CHECK(wrong == 0);
  }
  CHECK(received.received() == count);
  // The widest bitmap is two words shorter than the ring.
  CHECK(ack_of(received.ack(at(5ms), most_ack_bits)).header.bitmap_bits == most_ack_bits - 128);
  CHECK(ack_of(received.ack(at(5ms), 64)).header.bitmap_bits == 64);
  CHECK(ack_of(received.ack(at(5ms), 65)).header.bitmap_bits == 128);
}

TEST_CASE("packets at both ends of what is remembered are told apart", "[slab]") {
  ReceivedPackets received;
  REQUIRE(received.note(most_ack_bits + 10, at(0ms)));
  CHECK_FALSE(received.is_new(most_ack_bits + 10));
  CHECK_FALSE(received.is_new(10));  // forgotten, so it might be a repetition
  CHECK(received.is_new(11));
  CHECK(received.note(11, at(1ms)));
  CHECK_FALSE(received.note(11, at(2ms)));
  CHECK_FALSE(received.note(10, at(2ms)));
  CHECK(received.repeated() == 2);
  CHECK(received.received() == 2);
  CHECK(received.largest() == most_ack_bits + 10);
}
