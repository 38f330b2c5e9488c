// Refusals in the console's log: a flood of them makes few lines, with counts.

#include "player/console/access/refusal_log.hpp"

#include <catch2/catch.hpp>

using namespace tilewall::console;
using std::chrono::seconds;

namespace {

const RefusalLog::Time refused_at{std::chrono::hours(1)};
const Refusal wrong_token{"10.0.0.7", "login", "no token of this wall"};

}  // namespace

TEST_CASE("of equal refusals the first has a line at once, and the others a count", "[console]") {
  RefusalLog log;
  const auto first = log.add(wrong_token, refused_at);
  REQUIRE(first);
  CHECK(first->refusal == wrong_token);
  CHECK(result_of(*first) == "refused: no token of this wall");
  for (int i = 0; i < 1000; ++i) CHECK_FALSE(log.add(wrong_token, refused_at + seconds(59)));
  CHECK(log.finished(refused_at + seconds(59)).empty());
  const auto lines = log.finished(refused_at + seconds(60));
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].refusal == wrong_token);
  CHECK(result_of(lines[0]) == "refused 1000 times: no token of this wall");
  // After that the next one is the first again, and one that stays alone has one line.
  CHECK(log.add(wrong_token, refused_at + seconds(61)));
  CHECK(log.finished(refused_at + seconds(121)).empty());
}

TEST_CASE("refusals of other people, requests and reasons have lines of their own", "[console]") {
  RefusalLog log;
  CHECK(log.add(wrong_token, refused_at));
  CHECK(log.add({"10.0.0.8", wrong_token.what, wrong_token.why}, refused_at));
  CHECK(log.add({wrong_token.by, "a request", wrong_token.why}, refused_at));
  CHECK(log.add({wrong_token.by, wrong_token.what, "too many logins"}, refused_at));
  CHECK_FALSE(log.add(wrong_token, refused_at));
}

TEST_CASE("refusals from many addresses make a bounded number of lines", "[console]") {
  RefusalLog log;
  std::size_t lines = 0;
  std::size_t refusals = 0;
  for (int i = 0; i < 5000; ++i)
    if (const auto line = log.add({std::to_string(i), "login", "no token"}, refused_at)) {
      ++lines;
      refusals += line->count;
    }
  CHECK(lines == RefusalLog::most_kinds + 1);
  for (const RefusalLog::Line& line : log.finished(refused_at + seconds(60))) {
    ++lines;
    refusals += line.count;
  }
  CHECK(lines == RefusalLog::most_kinds + 2);
  CHECK(refusals == 5000);
}
