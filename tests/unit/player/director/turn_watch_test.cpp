// When a director takes its own absence into account.

#include "player/director/turn_watch.hpp"

#include <catch2/catch.hpp>

using namespace tilewall;
using std::chrono::milliseconds;

namespace {

constexpr LocalInstant turn_start{std::chrono::seconds(100)};

LocalInstant after_start(std::int64_t ms) { return turn_start + milliseconds(ms); }

}  // namespace

TEST_CASE("a short turn is no absence", "[director]") {
  TurnWatch turns(turn_start);
  CHECK(turns.absence(after_start(299)).time == Nanos(0));
  CHECK(turns.absence(after_start(300)).time == milliseconds(300));
  turns.begin(after_start(5000));
  CHECK(turns.absence(after_start(5100)).time == Nanos(0));
}

TEST_CASE("a long absence is news once in a turn", "[director]") {
  TurnWatch turns(turn_start);
  CHECK(turns.absence(after_start(2000)).is_news);
  CHECK_FALSE(turns.absence(after_start(2001)).is_news);
  CHECK(turns.absence(after_start(2001)).time == milliseconds(2001));
  turns.begin(after_start(2010));
  CHECK_FALSE(turns.absence(after_start(2800)).is_news);  // counted, but not worth a note
  turns.begin(after_start(3000));
  CHECK(turns.absence(after_start(4500)).is_news);
}
