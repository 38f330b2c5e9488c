// What of a slab goes again and what parity makes up for: the sender's and the receiver's
// statistics together, without a network.

#include <catch2/catch.hpp>
#include <cstring>
#include <deque>
#include <random>

#include "net/slab/incoming_parity.hpp"
#include "net/slab/outgoing_slab.hpp"
#include "net/slab/send_rate.hpp"

using namespace tilewall;
using namespace tilewall::net;

namespace {

constexpr std::uint32_t piece_bytes = 512;

std::shared_ptr<const SlabBuffer> random_slab(std::size_t size, std::mt19937& random) {
  SlabBuffer slab;
  slab.resize(size);
  for (std::byte& byte : slab.bytes()) byte = static_cast<std::byte>(random());
  return std::make_shared<const SlabBuffer>(std::move(slab));
}

/// A client that gets what it is handed, and the share `loss` of it never.
class Receiver {
 public:
  explicit Receiver(std::size_t size)
      : slab_({size, piece_bytes}, buffer_of(size)), parity_(slab_.shape()) {}

  void take(const OutgoingSlab::Piece& piece, std::span<const std::byte> payload) {
    if (piece.kind == PacketKind::parity) {
      const ParityPiece parity = ParityPiece::from(piece.number);
      parity_.add(parity, payload, slab_);
      recovered_ += parity_.recover(parity.group, slab_);
    } else if (slab_.wants(piece.number)) {
      if (!payload.empty()) std::memcpy(slab_.place(piece.number), payload.data(), payload.size());
      slab_.mark(piece.number);
      recovered_ += parity_.recover(parity_.groups().of(piece.number), slab_);
    }
  }
  [[nodiscard]] bool whole() const { return slab_.missing() == 0; }
  [[nodiscard]] SlabBuffer finish() { return slab_.finish(); }
  [[nodiscard]] std::uint32_t recovered() const { return recovered_; }

 private:
  static SlabBuffer buffer_of(std::size_t size) {
    SlabBuffer buffer;
    buffer.resize(size);
    return buffer;
  }

  IncomingSlab slab_;
  IncomingParity parity_;
  std::uint32_t recovered_ = 0;
};

struct Passage {
  std::uint32_t sent = 0;
  std::uint32_t recovered = 0;
  std::uint32_t repaired_groups = 0;
};

/// Sends a slab over a way that loses; what is lost is told of `late` packets later. Checks it.
Passage pass(std::size_t size, double expected_loss, double loss, std::size_t late,
             std::mt19937& random) {
  const auto bytes = random_slab(size, random);
  OutgoingSlab slab(bytes, piece_bytes, expected_loss > 0);
  Receiver receiver(size);
  Passage passage;
  std::bernoulli_distribution is_lost(loss);
  std::deque<OutgoingSlab::Piece> again;
  struct Told {
    OutgoingSlab::Piece piece;
    bool arrived;
  };
  std::deque<Told> news;
  bool done = false;
  while (!done) {
    std::optional<OutgoingSlab::Piece> piece;
    while (!again.empty() && !piece) {
      if (slab.wants(again.front())) piece = again.front();
      again.pop_front();
    }
    if (!piece) piece = slab.next(expected_loss, 5e-6);
    if (piece) {
      ++passage.sent;
      const bool arrived = !is_lost(random);
      if (arrived) receiver.take(*piece, slab.payload(*piece));
      news.push_back({*piece, arrived});
    }
    while (!news.empty() && (news.size() > late || !piece) && !done) {
      const Told told = news.front();
      news.pop_front();
      if (told.arrived) {
        done = slab.note_arrived(told.piece);
      } else if (const auto next = slab.note_lost(told.piece)) {
        again.push_back(*next);
        break;
      }
    }
    REQUIRE((piece || !news.empty() || !again.empty() || done));
  }
  REQUIRE(receiver.whole());
  const SlabBuffer got = receiver.finish();
  REQUIRE(got.size() == size);
  REQUIRE((size == 0 || std::memcmp(got.data(), bytes->data(), size) == 0));
  passage.recovered = receiver.recovered();
  passage.repaired_groups = slab.repaired_groups();
  return passage;
}

}  // namespace

TEST_CASE("groups of pieces cover a slab, each piece in one of them", "[slab]") {
  for (std::uint32_t pieces = 1; pieces < 2000; ++pieces) {
    const ParityGroups groups{pieces};
    std::uint32_t next = 0;
    bool right = groups.first(groups.count()) == pieces;
    for (std::uint32_t group = 0; group < groups.count(); ++group) {
      right &= groups.first(group) == next && groups.size(group) >= 1 &&
               groups.size(group) <= ParityGroups::most_data;
      for (std::uint32_t i = 0; i < groups.size(group); ++i) right &= groups.of(next++) == group;
    }
    CAPTURE(pieces);
    REQUIRE(right);
  }
}

TEST_CASE("a group has at most 215 pieces, and there is none too many", "[slab]") {
  for (const auto& [pieces, groups] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {1, 1}, {214, 1}, {215, 1}, {216, 2}, {430, 2}, {431, 3}, {21'500, 100}}) {
    CAPTURE(pieces);
    CHECK(ParityGroups{pieces}.count() == groups);
  }
  // 431 pieces in three groups: 143, 144 and 144.
  const ParityGroups three{431};
  CHECK(three.size(0) == 143);
  CHECK(three.size(1) == 144);
  CHECK(three.size(2) == 144);
  const ParityPiece piece{5, 254};
  CHECK(piece.number() == 5 * 256 + 254);
  CHECK(ParityPiece::from(5 * 256 + 254).group == 5);
  CHECK(ParityPiece::from(5 * 256 + 254).index == 254);
}

TEST_CASE("without parity what is lost goes again, once for each loss", "[slab]") {
  std::mt19937 random(1);
  for (const std::size_t size : {0UL, 1UL, 511UL, 512UL, 513UL, 100'000UL}) {
    const Passage passage = pass(size, 0, 0.2, 10, random);
    CHECK(passage.recovered == 0);
  }
}

TEST_CASE("with parity a loss is made up for at once, and nothing goes again", "[slab]") {
  std::mt19937 random(2);
  std::uint32_t sent = 0;
  std::uint32_t recovered = 0;
  for (const std::size_t size :
       {1UL, 511UL, 512UL, 513UL, 30'000UL, 110'080UL, 110'081UL, 500'000UL}) {
    CAPTURE(size);
    const Passage passage = pass(size, 0.05, 0.05, 300, random);
    CHECK(passage.repaired_groups == 0);
    sent += passage.sent;
    recovered += passage.recovered;
  }
  CHECK(recovered > 0);
  const std::uint32_t pieces = 1 + 1 + 1 + 2 + 59 + 215 + 216 + 977;
  CHECK(sent > pieces);
  CHECK(sent < pieces * 5 / 4);
}

TEST_CASE("parity of a full group at five in a hundred costs less than fifteen", "[slab]") {
  std::mt19937 random(3);
  const std::size_t size = 215 * piece_bytes;
  const Passage passage = pass(size, 0.05, 0, 300, random);
  CHECK(passage.sent >= 215 + 29);
  CHECK(passage.sent <= 215 * 115 / 100);
}

TEST_CASE("where parity is not enough as much as is missing goes again", "[slab]") {
  std::mt19937 random(4);
  for (const std::size_t late : {0UL, 3UL, 50UL, 1000UL})
    for (const std::size_t size : {1UL, 30'000UL, 500'000UL}) {
      CAPTURE(late, size);
      const Passage passage = pass(size, 0.02, 0.3, late, random);
      CHECK((size == 1 || passage.repaired_groups > 0));
    }
}

TEST_CASE("parity that cannot be of the slab is not kept", "[slab]") {
  SlabBuffer buffer;
  buffer.resize(1000);
  IncomingSlab slab({1000, piece_bytes}, std::move(buffer));
  IncomingParity parity(slab.shape());
  const std::vector<std::byte> piece(piece_bytes);
  parity.add({1, 0}, piece, slab);                        // there is one group
  parity.add({0, 253}, piece, slab);                      // 2 + 253 pieces are no code
  parity.add({0, 0}, std::span(piece).first(511), slab);  // too short
  parity.add({0xFFFFFF, 255}, std::span(piece), slab);
  CHECK_FALSE(parity.has(0));
  CHECK(parity.recover(0, slab) == 0);
  for (std::uint32_t i = 0; i < 250; ++i) parity.add({0, i % 2}, piece, slab);
  CHECK(parity.has(0));
  CHECK(parity.recover(0, slab) == 2);
  CHECK_FALSE(parity.has(0));
}

TEST_CASE("the loss of a path is guessed at first, then told by what was lost", "[slab]") {
  LossEstimate loss;
  CHECK(loss.share() == Approx(0.05));
  for (int i = 0; i < 5000; ++i) loss.note(99, 1);
  CHECK(loss.share() == Approx(0.01).epsilon(0.02));
  for (int i = 0; i < 5000; ++i) loss.note(100, 0);
  CHECK(loss.share() < 1e-4);
}

TEST_CASE("however much is lost, a group has no more parity than data", "[slab]") {
  std::mt19937 random(4);
  for (const std::uint32_t pieces : {1U, 3U}) {
    CAPTURE(pieces);
    OutgoingSlab slab(random_slab(pieces * piece_bytes, random), piece_bytes, true);
    std::uint32_t data = 0, parity = 0;
    while (const auto piece = slab.next(0.5, 1e-6))
      ++(piece->kind == PacketKind::parity ? parity : data);
    CHECK(data == pieces);
    CHECK(parity == pieces);
  }
}

TEST_CASE("a last piece of any length is made up for", "[slab]") {
  std::mt19937 random(5);
  for (const std::size_t last : {1UL, 7UL, 256UL, 511UL, 512UL}) {
    CAPTURE(last);
    const std::size_t size = 9 * piece_bytes + last;
    const auto bytes = random_slab(size, random);
    OutgoingSlab slab(bytes, piece_bytes, true);
    Receiver receiver(size);
    std::uint32_t parity = 0;
    while (const auto piece = slab.next(0.3, 1e-6)) {
      if (piece->kind == PacketKind::parity) ++parity;
      // The last piece of the data and one in the middle are lost.
      if (piece->kind == PacketKind::data && (piece->number == 9 || piece->number == 4)) continue;
      receiver.take(*piece, slab.payload(*piece));
    }
    REQUIRE(parity >= 2);
    REQUIRE(receiver.whole());
    CHECK(receiver.recovered() == 2);
    const SlabBuffer got = receiver.finish();
    CHECK(std::memcmp(got.data(), bytes->data(), size) == 0);
  }
}

TEST_CASE("a piece that came after all does not go again when its second copy is lost", "[slab]") {
  std::mt19937 random(8);
  OutgoingSlab slab(random_slab(3 * piece_bytes, random), piece_bytes, false);
  const auto piece = [](std::uint32_t number) {
    return OutgoingSlab::Piece{PacketKind::data, number};
  };
  for (std::uint32_t number = 0; number < 3; ++number) REQUIRE(slab.next(0, 1e-6));
  const auto again = slab.note_lost(piece(1));
  REQUIRE(again);
  CHECK(again->number == 1);
  CHECK(slab.wants(piece(1)));
  CHECK_FALSE(slab.note_arrived(piece(1)));
  CHECK_FALSE(slab.wants(piece(1)));
  CHECK_FALSE(slab.note_lost(piece(1)));
  CHECK_FALSE(slab.wants(piece(1)));
  CHECK_FALSE(slab.note_arrived(piece(1)));  // the copy as well
  CHECK_FALSE(slab.note_arrived(piece(0)));
  CHECK(slab.note_arrived(piece(2)));
}

TEST_CASE("a group that is repaired twice counts once", "[slab]") {
  std::mt19937 random(6);
  OutgoingSlab slab(random_slab(430 * piece_bytes, random), piece_bytes, true);
  REQUIRE(slab.groups() == 2);
  std::vector<OutgoingSlab::Piece> pieces;
  while (const auto piece = slab.next(0, 1e-6)) pieces.push_back(*piece);
  REQUIRE(pieces.size() >= 430);
  const bool has_parity = pieces.size() > 430;
  CHECK(slab.repaired_groups() == 0);
  std::uint32_t again = 0;
  for (std::uint32_t number = 0; number < 20; ++number)
    if (slab.note_lost({PacketKind::data, number})) ++again;
  CHECK(again >= (has_parity ? 1U : 20U));
  CHECK(slab.repaired_groups() == 1);
  for (std::uint32_t number = 300; number < 320; ++number)
    static_cast<void>(slab.note_lost({PacketKind::data, number}));
  CHECK(slab.repaired_groups() == 2);
}
