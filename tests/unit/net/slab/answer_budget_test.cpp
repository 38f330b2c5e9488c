// How a server's memory for answers is shared among its sessions.

#include "net/slab/answer_budget.hpp"

#include <catch2/catch.hpp>

using namespace tilewall;
using namespace tilewall::net;

TEST_CASE("a session that holds nothing may take all that is free", "[slab]") {
  AnswerBudget budget({1000, 400});
  CHECK(budget.can_ever_fit(1000));
  CHECK_FALSE(budget.can_ever_fit(1001));
  CHECK_FALSE(budget.try_take(1, 1001));
  CHECK(budget.is_short());
  CHECK(budget.try_take(1, 1000));  // more than a session may have by and by
  CHECK(budget.held_bytes() == 1000);
  CHECK_FALSE(budget.try_take(2, 1));
  budget.give_back(1, 1000);
  CHECK(budget.held_bytes() == 0);
  CHECK_FALSE(budget.is_short());
  CHECK(budget.try_take(2, 1000));
}

TEST_CASE("a session gets more only up to its limit, and up to what is free", "[slab]") {
  AnswerBudget budget({1000, 400});
  CHECK(budget.try_take(1, 100));
  CHECK(budget.try_take(1, 300));  // its limit
  CHECK_FALSE(budget.try_take(1, 1));
  CHECK(budget.try_take(2, 150));
  CHECK(budget.try_take(2, 150));  // 300 are free after it
  CHECK(budget.held_bytes() == 700);
  CHECK_FALSE(budget.try_take(2, 1));  // it would hold 301 where 300 are free
  CHECK(budget.try_take(3, 300));
  budget.give_back(1, 400);
  CHECK(budget.held_bytes() == 600);
  CHECK(budget.try_take(2, 100));  // 400 are free
  CHECK_FALSE(budget.try_take(2, 1));
}

TEST_CASE("room is told of once, after something did not fit", "[slab]") {
  AnswerBudget budget({100, 100});
  int calls = 0;
  budget.on_room([&] { ++calls; });
  REQUIRE(budget.try_take(1, 60));
  budget.give_back(1, 30);
  CHECK(calls == 0);
  CHECK_FALSE(budget.try_take(2, 90));
  CHECK(budget.is_short());
  budget.give_back(1, 10);
  CHECK(calls == 1);
  CHECK_FALSE(budget.is_short());
  budget.give_back(1, 20);
  CHECK(calls == 1);
  CHECK(budget.held_bytes() == 0);
  REQUIRE(budget.try_take(1, 100));
  CHECK_FALSE(budget.try_take(2, 1));
  budget.on_room(nullptr);
  budget.give_back(1, 100);
  CHECK(calls == 1);
}

TEST_CASE("a lent answer gives its bytes back when its last holder lets go", "[slab]") {
  const auto budget = std::make_shared<AnswerBudget>(AnswerBudget::Limits{100, 100});
  REQUIRE(budget->try_take(7, 80));
  const auto slab = std::make_shared<const SlabBuffer>();
  auto lent = budget->lend(7, 80, slab);
  CHECK(lent.get() == slab.get());
  auto second = lent;
  lent.reset();
  CHECK(budget->held_bytes() == 80);
  CHECK(slab.use_count() == 2);
  second.reset();
  CHECK(budget->held_bytes() == 0);
  CHECK(slab.use_count() == 1);
}
