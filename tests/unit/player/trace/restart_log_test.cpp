// What is known of a host's processes that died, in a file that outlives them.

#include "player/trace/restart_log.hpp"

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::trace;

TEST_CASE("a log of restarts tells who died and came back", "[host]") {
  const test::TemporaryFolder folder;
  const auto file = folder / "restarts";
  CHECK(read_restart_log(file).empty());
  log_death(file, "caster", "caster");
  log_death(file, "caster", "caster-1");
  log_return(file, "caster", "caster-1");
  log_death(file, "host", "host");
  const auto restarts = read_restart_log(file);
  REQUIRE(restarts.size() == 3);
  CHECK(restarts[0].role == "caster");
  CHECK(restarts[0].back_ns == 0);
  CHECK(restarts[1].name == "caster-1");
  CHECK(restarts[1].back_ns >= restarts[1].died_ns);
  CHECK(restarts[2].role == "host");
}

TEST_CASE("lines of a restart log that make no sense are left out", "[host]") {
  const test::TemporaryFolder folder;
  const auto file = folder / "restarts";
  std::ofstream(file) << "\nback caster caster 7\ndied\ndied host host x\ndied host host 5\n"
                      << "back host host 9\nback host host 11\nfoo host host 12\n";
  const auto restarts = read_restart_log(file);
  REQUIRE(restarts.size() == 1);
  CHECK(restarts[0].died_ns == 5);
  CHECK(restarts[0].back_ns == 9);
}

TEST_CASE("of a process that dies again and again the first deaths are read", "[host]") {
  const test::TemporaryFolder folder;
  const auto file = folder / "restarts";
  for (int i = 0; i < 150; ++i) log_death(file, "host", "host");
  CHECK(read_restart_log(file).size() == 100);
}
