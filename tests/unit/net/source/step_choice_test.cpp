// Which timesteps a rank sends, and where it waits.

#include "net/source/step_choice.hpp"

#include <catch2/catch.hpp>

using namespace tilewall::net;

namespace {

LiveWant want(std::uint64_t timestep, LivePolicy policy = LivePolicy::newest, double wait_s = 0,
              std::uint64_t stride = 1) {
  return {"u", timestep, policy, wait_s, stride, {}};
}

bool sends(const StepChoice& choice, std::uint64_t timestep) {
  return !choice.fields_of(timestep).empty();
}

}  // namespace

TEST_CASE("without a wall nothing is sent and nobody waits", "[source]") {
  const StepChoice choice;
  CHECK(choice.empty());
  CHECK(!sends(choice, 0));
  CHECK(choice.wait_s(0) == 0);
}

TEST_CASE("exactly the wanted timestep is sent, and newest never waits", "[source]") {
  StepChoice choice;
  choice.set(1, want(5, LivePolicy::newest, 10));
  CHECK(!sends(choice, 4));
  CHECK(sends(choice, 5));
  CHECK(!sends(choice, 6));
  CHECK(choice.wait_s(6) == 0);
  CHECK(choice.patience_s(5) == 0);
  choice.set(1, want(9));
  CHECK(!sends(choice, 5));
  CHECK(sends(choice, 9));
}

TEST_CASE("a rank beyond the timestep that a wall wants waits for it under every", "[source]") {
  StepChoice choice;
  choice.set(1, want(5, LivePolicy::every, 2.5));
  CHECK(choice.wait_s(4) == 0);
  CHECK(choice.wait_s(5) == 0);
  CHECK(choice.patience_s(5) == 2.5);
  CHECK(choice.wait_s(6) == 2.5);
  choice.set(1, want(6, LivePolicy::every, 2.5));
  CHECK(choice.wait_s(6) == 0);
  CHECK(sends(choice, 6));
}

TEST_CASE("under nth a rank waits only at the timesteps that the wall will want", "[source]") {
  StepChoice choice;
  choice.set(1, want(10, LivePolicy::nth, 1, 5));
  for (const std::uint64_t free : {9U, 10U, 11U, 14U, 16U, 19U}) CHECK(choice.wait_s(free) == 0);
  CHECK(choice.wait_s(15) == 1);
  CHECK(choice.wait_s(20) == 1);
}

TEST_CASE("the wall that is furthest behind is waited for, and each gets its own", "[source]") {
  StepChoice choice;
  choice.set(1, want(5, LivePolicy::every, 1));
  choice.set(2, want(7, LivePolicy::every, 3));
  CHECK(choice.wait_s(7) == 1);
  CHECK(choice.wait_s(8) == 3);
  CHECK(sends(choice, 5));
  CHECK(!sends(choice, 6));
  CHECK(sends(choice, 7));
  choice.forget(1);
  CHECK(choice.wait_s(7) == 0);
  CHECK(!sends(choice, 5));
}

TEST_CASE("a wait that ran out is not repeated before the wall's next want", "[source]") {
  StepChoice choice;
  choice.set(1, want(5, LivePolicy::every, 1));
  choice.stop_waiting(6);
  CHECK(choice.wait_s(6) == 0);
  CHECK(choice.wait_s(7) == 0);
  choice.set(1, want(8, LivePolicy::every, 1));
  CHECK(choice.wait_s(9) == 1);
}

TEST_CASE("each wall has its field, and quantising needs all who want that field", "[source]") {
  StepChoice choice;
  LiveWant one = want(3);
  one.quantise = {0, 1};
  choice.set(1, one);
  CHECK(choice.fields_of(3) == std::vector<WantedField>{{"u", std::array<double, 2>{0, 1}}});
  choice.set(2, one);
  CHECK(choice.fields_of(3)[0].quantise.has_value());
  choice.set(3, want(3));
  CHECK(choice.fields_of(3) == std::vector<WantedField>{{"u", {}}});
  LiveWant other = want(3);
  other.field = "v";
  choice.set(4, other);
  CHECK(choice.fields_of(3).size() == 2);
}
