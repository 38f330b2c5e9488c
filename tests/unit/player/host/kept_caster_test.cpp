// A volume's caster process as the host service keeps it.

#include "player/host/kept_caster.hpp"

#include <poll.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <thread>

#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::host;
using namespace tilewall::test;

TEST_CASE(
    "a caster that dies at once again and again is left alone until it is to show another thing",
    "[volume]") {
  const TemporaryFolder folder;
  CasterPlace place{folder / "socket", folder / "caster.log", folder / "pid"};
  place.limits = {std::chrono::seconds(60), 3, std::chrono::milliseconds(20),
                  std::chrono::seconds(60), std::chrono::milliseconds(50)};
  place.more_arguments = {"--no-pair"};  // each process says so in a line of its log, and ends
  KeptCaster caster("no volume", place);
  const UniqueFd waits = caster.connect();
  const auto look = [&] {
    while (const auto end = reap_any()) caster.take_end(*end);
    caster.look();
  };
  const auto deaths = [&] {
    std::ifstream log(folder / "caster.log");
    return std::count(std::istreambuf_iterator<char>(log), {}, '\n');
  };
  const auto comes_to_rest = [&] {
    return eventually([&] {
      look();
      return !caster.trouble().empty();
    });
  };
  REQUIRE(comes_to_rest());
  CHECK(deaths() == 3);
  CHECK(
      caster.trouble() ==
      "a volume's caster died 3 times within 60 s, last with exit code 1 (logs/caster.log); it is "
      "started again in 60 s, or when another picture is wanted");
  pollfd waiting = {waits.get(), POLLIN, 0};
  CHECK(::poll(&waiting, 1, 0) == 1);  // who waited is told to ask again

  for (int i = 0; i < 10; ++i) {
    look();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  CHECK(deaths() == 3);
  caster.rouse();
  REQUIRE(eventually([&] {
    look();
    return caster.trouble().empty();
  }));
  REQUIRE(comes_to_rest());
  CHECK(deaths() == 6);
}
