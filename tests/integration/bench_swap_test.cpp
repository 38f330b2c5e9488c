// The benchmarks of swapping and presenting, short: that they run and say what they promise.

#include <catch2/catch.hpp>

#include "tests/support/show.hpp"

using namespace tilewall;
using namespace tilewall::test;

namespace {

nlohmann::json bench(const Words& more) {
  Words words = {tilewall_program, "bench"};
  words.insert(words.end(), more.begin(), more.end());
  const ProgramResult result = run_program(words, std::chrono::seconds(60));
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  return nlohmann::json::parse(result.out, nullptr, false);
}

}  // namespace

TEST_CASE("bench swap compares the clock and MPI_Barrier", "[bench]") {
  const auto report = bench({"swap", "--panels", "3", "--seconds", "1", "--json"});
  REQUIRE(report.is_object());
  for (const char* key : {"clock_us", "barrier_us"}) {
    CAPTURE(key);
    const auto& skew = report.at(key);
    CHECK(skew.at("p50") <= skew.at("p99"));
    CHECK(skew.at("p99") <= skew.at("max"));
  }
  CHECK(report.at("cpu_share") > 0.0);
  CHECK(report.at("barrier_cpu_share") > 0.0);
  CHECK(report.at("rows").size() == 2);
  CHECK(report.at("panels") == 3);
}

TEST_CASE("bench upload has a row for every presenter, or why not", "[bench]") {
  const auto report = bench({"upload", "--runs", "2", "--json"});
  REQUIRE(report.is_object());
  REQUIRE(report.at("rows").size() == 5);
  CHECK(report.at("rows").at(1).at("mbyte_s") > 0.0);
  for (const auto& row : report.at("rows")) CHECK((row.contains("ms") != row.contains("skipped")));
}
