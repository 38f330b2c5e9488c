#include "net/slab/parity.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::net;

namespace {

constexpr std::size_t guard_bytes = 64;
constexpr std::byte guard{0xa5};

/// The pieces of one group, each with guard bytes behind it and none aligned.
class Group {
 public:
  Group(const ParityCode& code, std::size_t bytes, std::uint64_t seed)
      : data_(static_cast<std::size_t>(code.data())), bytes_(bytes) {
    std::mt19937_64 random(seed);
    const auto count = data_ + static_cast<std::size_t>(code.parity());
    for (std::size_t i = 0; i < count; ++i) {
      pieces_.emplace_back(1 + bytes + guard_bytes, guard);
      for (std::size_t b = 0; b < bytes && i < data_; ++b)
        pieces_.back()[1 + b] = static_cast<std::byte>(random());
    }
    const auto starts = pointers();
    const std::vector<const std::byte*> data(starts.begin(), starts.begin() + code.data());
    code.encode(data, std::span(starts).subspan(data_), bytes);
    sent_ = pieces_;
  }

  /// Loses what is not there, and recovers.
  bool recover(ParityCode& code, std::span<const bool> there) {
    pieces_ = sent_;
    for (std::size_t i = 0; i < pieces_.size(); ++i)
      if (!there[i]) std::fill_n(pieces_[i].begin() + 1, bytes_, std::byte{0xee});
    lost_ = pieces_;
    return code.recover(pointers(), there, bytes_);
  }

  /// Whether the data is as it was sent, nothing is written behind it, and the parity as it came.
  [[nodiscard]] bool data_is_back() const {
    return std::equal(pieces_.begin(), pieces_.begin() + offset(), sent_.begin()) &&
           std::equal(pieces_.begin() + offset(), pieces_.end(), lost_.begin() + offset());
  }
  [[nodiscard]] bool nothing_written() const { return pieces_ == lost_; }
  [[nodiscard]] bool guards_are_whole() const {
    return std::all_of(sent_.begin(), sent_.end(), [](const auto& piece) {
      return piece.front() == guard && std::all_of(piece.end() - guard_bytes, piece.end(),
                                                   [](std::byte byte) { return byte == guard; });
    });
  }

 private:
  [[nodiscard]] std::ptrdiff_t offset() const { return static_cast<std::ptrdiff_t>(data_); }
  std::vector<std::byte*> pointers() {
    std::vector<std::byte*> starts;
    for (auto& piece : pieces_) starts.push_back(piece.data() + 1);
    return starts;
  }

  std::size_t data_;
  std::size_t bytes_;
  std::vector<std::vector<std::byte>> pieces_;
  std::vector<std::vector<std::byte>> sent_;
  std::vector<std::vector<std::byte>> lost_;
};

class There {
 public:
  There(std::size_t pieces, std::size_t lost, std::mt19937_64& random) : pieces_(pieces) {
    there_.fill(true);
    std::fill_n(there_.begin(), lost, false);
    std::shuffle(there_.begin(), there_.begin() + static_cast<std::ptrdiff_t>(pieces), random);
  }
  [[nodiscard]] std::span<const bool> span() const { return std::span(there_).first(pieces_); }

 private:
  std::size_t pieces_;
  std::array<bool, ParityCode::most_pieces> there_{};
};

}  // namespace

TEST_CASE("every loss of a small code is recovered or refused", "[net][slab]") {
  ParityCode code(5, 4);
  for (const std::size_t bytes : {1u, 63u, 64u, 200u}) {
    Group group(code, bytes, bytes);
    REQUIRE(group.guards_are_whole());
    for (unsigned came = 0; came < 1u << 9; ++came) {
      std::array<bool, 9> there{};
      for (unsigned i = 0; i < 9; ++i) there[i] = (came >> i & 1) != 0;
      const bool enough = std::count(there.begin(), there.end(), true) >= 5;
      CAPTURE(bytes, came);
      if (group.recover(code, there) != enough) FAIL("recover");
      if (!(enough ? group.data_is_back() : group.nothing_written())) FAIL("data");
    }
  }
}

TEST_CASE("random losses of large codes are recovered up to the last parity piece", "[net][slab]") {
  const auto [data, parity] = GENERATE(std::pair(64, 14), std::pair(215, 29), std::pair(1, 254));
  ParityCode code(data, parity);
  const auto pieces = static_cast<std::size_t>(data + parity);
  std::mt19937_64 random(3);
  for (const std::size_t bytes : {1u, 15u, 65u, 127u, 1000u, 8896u}) {
    Group group(code, bytes, bytes);
    REQUIRE(group.guards_are_whole());
    for (std::size_t round = 0; round < 8; ++round) {
      const auto most = static_cast<std::size_t>(parity);
      const std::size_t lost = round < 3 ? most : random() % (most + 1);
      CAPTURE(data, bytes, round, lost);
      REQUIRE(group.recover(code, There(pieces, lost, random).span()));
      REQUIRE(group.data_is_back());
      REQUIRE_FALSE(group.recover(code, There(pieces, most + 1, random).span()));
      REQUIRE(group.nothing_written());
    }
  }
}

TEST_CASE("all lengths are encoded and recovered to their last byte", "[net][slab]") {
  ParityCode code(7, 3);
  std::mt19937_64 random(5);
  for (std::size_t bytes = 0; bytes <= 1600; bytes += bytes < 260 || bytes > 1000 ? 1 : 37) {
    Group group(code, bytes, bytes);
    CAPTURE(bytes);
    REQUIRE(group.guards_are_whole());
    REQUIRE(group.recover(code, There(10, 3, random).span()));
    REQUIRE(group.data_is_back());
  }
}

TEST_CASE("without parity all the data must be there", "[net][slab]") {
  ParityCode code(3, 0);
  Group group(code, 100, 1);
  CHECK(group.recover(code, std::array{true, true, true}));
  CHECK(group.data_is_back());
  CHECK_FALSE(group.recover(code, std::array{true, false, true}));
  CHECK(group.nothing_written());
}

TEST_CASE("parity bytes are what the protocol says", "[net][wire]") {
  const std::string data[] = {"first piece", "second, one", "and a third"};
  std::array<std::string, 2> parity = {std::string(11, '?'), std::string(11, '?')};
  const auto bytes_of = [](const std::string& text) {
    return reinterpret_cast<const std::byte*>(text.data());
  };
  const auto memory_of = [](std::string& text) {
    return reinterpret_cast<std::byte*>(text.data());
  };
  const std::array pieces = {bytes_of(data[0]), bytes_of(data[1]), bytes_of(data[2])};
  ParityCode(3, 2).encode(pieces, std::array{memory_of(parity[0]), memory_of(parity[1])}, 11);
  // By a Python program that multiplies bit by bit modulo 0x11d.
  CHECK(parity[0] == "\xf4\xf5\xf5\x43\x7a\xf9\xb9\x5f\xf3\x64\xfb");
  CHECK(parity[1] == "\x40\x51\x68\xc6\x38\xbe\xa4\xe3\x2b\x89\x51");
}

TEST_CASE("a code that cannot be is refused", "[net][slab]") {
  CHECK_THROWS_AS(ParityCode(0, 1), InternalError);
  CHECK_THROWS_AS(ParityCode(1, -1), InternalError);
  CHECK_THROWS_AS(ParityCode(200, 56), InternalError);
  CHECK_THROWS_AS(parity_for(0, 0.1, 0.1), InternalError);
  CHECK_THROWS_AS(parity_for(256, 0.1, 0.1), InternalError);
}

TEST_CASE("a loss takes as much parity as exact arithmetic says", "[net][slab]") {
  struct Known {
    int data;
    double loss;
    double residual;
    int parity;
  };
  // By Python's fractions.
  const auto known = GENERATE(values<Known>({{64, 0.05, 1e-5, 14},
                                             {128, 0.05, 1e-5, 21},
                                             {215, 0.05, 1e-5, 29},
                                             {1, 0.05, 1e-5, 3},
                                             {64, 0.01, 1e-5, 6},
                                             {64, 0.05, 1e-12, 24},
                                             {20, 0.5, 1e-9, 76},
                                             {254, 0.001, 1e-5, 1},
                                             {32, 0.001, 1e-30, 13},
                                             {128, 0.9, 1e-5, 127}}));
  CAPTURE(known.data, known.loss, known.residual);
  CHECK(parity_for(known.data, known.loss, known.residual) == known.parity);
}

TEST_CASE("no loss takes no parity, and total loss all there can be", "[net][slab]") {
  CHECK(parity_for(100, 0, 1e-5) == 0);
  CHECK(parity_for(100, 0.3, 1) == 0);
  CHECK(parity_for(100, 1, 1e-5) == 155);
  CHECK(parity_for(100, 0.01, 0) == 155);
  CHECK(parity_for(255, 0.5, 1e-5) == 0);
}
