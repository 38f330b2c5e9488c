// Which shows have to be given a key file.

#include "player/supervisor/show_secret.hpp"

#include <catch2/catch.hpp>

#include "sync/base/error.hpp"

using namespace tilewall;
using namespace tilewall::supervisor;

namespace {

wall::Wall wall_of_hosts(const std::vector<std::string>& addresses) {
  wall::Wall wall;
  for (const std::string& address : addresses) {
    const std::string name = "k" + std::to_string(wall.hosts.size());
    wall.hosts.push_back({name, address});
    wall.panels.emplace_back().host = name;
  }
  return wall;
}

}  // namespace

TEST_CASE("panels on other machines need a key file, and those of this machine none",
          "[supervisor]") {
  CHECK_NOTHROW(require_key_for_hosts(wall_of_hosts({"127.0.0.1", "localhost"}), false, {}));
  const wall::Wall wall = wall_of_hosts({"127.0.0.1", "198.51.100.7"});
  CHECK_THROWS_WITH(require_key_for_hosts(wall, false, {}),
                    Catch::StartsWith("--key-file: expected the wall's key, because k1 "
                                      "(198.51.100.7) is another machine: make one with"));
  CHECK_THROWS_AS(require_key_for_hosts(wall_of_hosts({"nosuch.invalid"}), false, {}), InputError);
  CHECK_NOTHROW(require_key_for_hosts(wall, true, {}));  // all panels are on this machine
  CHECK_NOTHROW(require_key_for_hosts(wall, false, "wall.key"));
}

TEST_CASE("a clock daemon on another machine needs a key file, wherever the panels are",
          "[supervisor]") {
  const bool is_standby = GENERATE(false, true);
  CAPTURE(is_standby);
  wall::Wall wall = wall_of_hosts({"127.0.0.1"});
  std::string& clock = is_standby ? wall.standby_clock_address : wall.clock_address;
  clock = "127.0.0.1:7000";
  CHECK_NOTHROW(require_key_for_hosts(wall, false, {}));
  clock = "198.51.100.7:7000";
  CHECK_THROWS_AS(require_key_for_hosts(wall, false, {}), InputError);
  CHECK_THROWS_AS(require_key_for_hosts(wall, true, {}), InputError);
  CHECK_NOTHROW(require_key_for_hosts(wall, true, "wall.key"));
}
