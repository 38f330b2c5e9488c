// Which pictures count as damaged, by what a decoder does with their packets.

#include "player/movie/source/picture_damage.hpp"

#include <catch2/catch.hpp>
#include <string>

using namespace tilewall;
using namespace tilewall::movie;

namespace {

/// A decoder of pictures with the stamps 0, 1, 2, ...
class Decoder {
 public:
  void send(std::int64_t first, std::int64_t end) {
    for (std::int64_t pts = first; pts < end; ++pts) damage.expect(pts);
  }

  /// Pictures [first, end): "x" for a damaged one, "." for a sound one.
  std::string give(std::int64_t first, std::int64_t end) {
    std::string text;
    for (std::int64_t pts = first; pts < end; ++pts)
      text += damage.take({pts, pts % 10 == 0, pts == with_errors}).damaged ? 'x' : '.';
    return text;
  }

  PictureDamage damage;
  std::int64_t with_errors = -1;
};

}  // namespace

TEST_CASE("damage counts from the picture with errors to the next key picture", "[movie]") {
  Decoder decoder;
  decoder.send(0, 30);
  decoder.with_errors = 14;
  CHECK(decoder.give(0, 30) == "..............xxxxxx..........");
  CHECK(decoder.damage.lost_packets() == 0);
  decoder.send(30, 50);
  decoder.with_errors = 30;  // a key picture itself
  CHECK(decoder.give(30, 50) == "xxxxxxxxxx..........");
}

TEST_CASE("pictures after one that was refused or left out count as damaged", "[movie]") {
  Decoder decoder;
  decoder.send(0, 30);
  CHECK(decoder.give(0, 13) == ".............");
  SECTION("refused") {
    decoder.damage.refuse();
    CHECK(decoder.damage.take({14, false, false}).after_loss);
  }
  SECTION("left out without a word") { CHECK(decoder.damage.take({14, false, false}).after_loss); }
  CHECK(decoder.give(15, 30) == "xxxxx..........");
  CHECK(decoder.damage.lost_packets() == 1);
}

TEST_CASE("a key picture after a loss is sound, and so are pictures without others", "[movie]") {
  PictureDamage damage;
  CHECK_FALSE(damage.take({0, true, false}).damaged);
  damage.refuse();
  const auto next = damage.take({2, true, false});
  CHECK(next.after_loss);
  CHECK_FALSE(next.damaged);
  CHECK(damage.lost_packets() == 1);
}

TEST_CASE("what a seek cuts off is no damage", "[movie]") {
  Decoder decoder;
  decoder.send(0, 30);
  decoder.with_errors = 2;
  CHECK(decoder.give(0, 5) == "..xxx");
  decoder.damage.restart();
  decoder.send(17, 30);  // three leading pictures, which the decoder leaves out
  CHECK(decoder.give(20, 30) == "..........");
  decoder.send(16, 20);  // behind what has come: not expected
  decoder.damage.end();
  CHECK(decoder.damage.lost_packets() == 0);
}

TEST_CASE("pictures that do not come at the end are lost", "[movie]") {
  Decoder decoder;
  decoder.send(0, 10);
  CHECK(decoder.give(0, 8) == "........");
  decoder.damage.end();
  CHECK(decoder.damage.lost_packets() == 2);
}

TEST_CASE("a decoder with stamps of its own loses nothing", "[movie]") {
  PictureDamage damage;
  CHECK_FALSE(damage.take({5, true, false}).damaged);
  for (std::int64_t pts = 6; pts < 1000; ++pts) damage.expect(pts);
  CHECK_FALSE(damage.take({2000, false, false}).damaged);
  CHECK_FALSE(damage.take({3, false, false}).damaged);  // and not in order
  damage.end();
  CHECK(damage.lost_packets() == 0);
}
