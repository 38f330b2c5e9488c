// Which walls need a key of their own before a show starts.

#include "player/supervisor/show_secret.hpp"

#include <catch2/catch.hpp>

#include "sync/base/error.hpp"
#include "wallconfigs/wall.hpp"

using namespace tilewall;
using namespace tilewall::supervisor;

TEST_CASE("a wall with another machine needs its key file, a local show of it does not",
          "[supervisor]") {
  wall::Wall wall;
  wall.panels.resize(2);
  CHECK_NOTHROW(require_key_for_hosts(wall, false, ""));
  wall.hosts.push_back({"here", "127.0.0.1"});
  wall.panels[0].host = "here";
  CHECK_NOTHROW(require_key_for_hosts(wall, false, ""));
  wall.hosts.push_back({"far", "198.51.100.7"});
  wall.panels[1].host = "far";
  CHECK_THROWS_WITH(require_key_for_hosts(wall, false, ""),
                    Catch::StartsWith("--key-file: expected the wall's key, because") &&
                        Catch::Contains("far") && Catch::Contains("198.51.100.7"));
  CHECK_NOTHROW(require_key_for_hosts(wall, true, ""));
  CHECK_NOTHROW(require_key_for_hosts(wall, false, "wall.key"));
}

TEST_CASE("a wall with the clock of another machine needs its key file in any case",
          "[supervisor]") {
  for (const bool is_standby : {false, true}) {
    CAPTURE(is_standby);
    wall::Wall wall;
    wall.panels.resize(1);
    std::string& clock = is_standby ? wall.standby_clock_address : wall.clock_address;
    clock = "127.0.0.1:7641";
    CHECK_NOTHROW(require_key_for_hosts(wall, true, ""));
    clock = "198.51.100.7:7641";
    CHECK_THROWS_WITH(require_key_for_hosts(wall, true, ""), Catch::Contains("--key-file"));
    CHECK_NOTHROW(require_key_for_hosts(wall, true, "wall.key"));
  }
}
