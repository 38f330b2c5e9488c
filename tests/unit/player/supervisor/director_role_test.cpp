// How long a director that has died is waited for.

#include "player/supervisor/director_role.hpp"

#include <catch2/catch.hpp>

using namespace tilewall::supervisor;
using namespace std::chrono_literals;

TEST_CASE("a director's pauses begin after the third death, and grow fourfold to two seconds",
          "[supervisor]") {
  std::vector<std::chrono::milliseconds> pauses;
  for (std::size_t deaths = 1; deaths <= 8; ++deaths)
    pauses.push_back(DirectorRole::pause_after(deaths));
  CHECK(pauses ==
        std::vector<std::chrono::milliseconds>{0ms, 0ms, 0ms, 50ms, 200ms, 800ms, 2s, 2s});
}

TEST_CASE("a director that is killed while it waits for its next start is not started again",
          "[supervisor]") {
  DirectorRole role;
  CHECK_FALSE(role.is_on());
  CHECK_FALSE(role.take_end(1.5));
  CHECK(role.is_on());
  CHECK(role.memory().deaths_s == std::vector<double>{1.5});
  role.kill();
  CHECK_FALSE(role.is_on());
  CHECK(role.take_end(2.5));  // it is over
}
