// What a panel reports of the time its pictures take.

#include "player/panel/pace_meter.hpp"

#include <catch2/catch.hpp>

using namespace tilewall;
using namespace tilewall::panel;

namespace {

void add_ms(PaceMeter& meter, std::int64_t took_ms, std::int64_t waited_before_ms = 0) {
  PaceMeter::Cost cost;
  cost.took = Nanos(took_ms * 1'000'000);
  cost.waited_before = Nanos(waited_before_ms * 1'000'000);
  meter.add(cost, true);
}

}  // namespace

TEST_CASE("the mean is that of the first eight pictures, then it follows", "[panel]") {
  PaceMeter meter;
  for (const std::int64_t ms : {8, 16, 24}) add_ms(meter, ms);
  CHECK(meter.pace().mean_ns == 16'000'000);
  for (int i = 0; i < 5; ++i) add_ms(meter, 16);
  CHECK(meter.pace().mean_ns == 16'000'000);
  add_ms(meter, 32);  // an eighth of the way
  CHECK(meter.pace().mean_ns == 18'000'000);
  CHECK(meter.pace().pictures == 9);
  PaceMeter::Cost before_the_show;
  before_the_show.took = Nanos(90'000'000);
  meter.add(before_the_show, false);
  CHECK(meter.pace().mean_ns == 18'000'000);
}

TEST_CASE("with another detail mean and median begin anew", "[panel]") {
  PaceMeter meter;
  for (int i = 0; i < 8; ++i) add_ms(meter, 10);
  meter.set_detail(1);
  CHECK(meter.pace().pictures == 0);
  CHECK(meter.pace().mean_ns == 10'000'000);  // the best that is known
  add_ms(meter, 40);
  CHECK(meter.pace().pictures == 1);
  CHECK(meter.pace().mean_ns == 40'000'000);
  CHECK(meter.pace().median_ns == 40'000'000);
  meter.set_detail(1);
  CHECK(meter.pace().pictures == 1);
}

TEST_CASE("the median is that of the last five, with what was waited for before", "[panel]") {
  PaceMeter meter;
  add_ms(meter, 30);
  add_ms(meter, 10);
  CHECK(meter.pace().median_ns == 10'000'000);  // of two the smaller
  add_ms(meter, 10, 15);
  CHECK(meter.pace().median_ns == 25'000'000);
  for (const std::int64_t ms : {50, 50, 50, 50}) add_ms(meter, ms);
  CHECK(meter.pace().median_ns == 50'000'000);
  CHECK(meter.pace().median_of == 5);
}
