// The benchmarks of swapping and presenting, short: that they run and say what they promise. And
// that all benchmarks are among those that tests/bench/run runs.

#include <catch2/catch.hpp>
#include <sstream>

#include "sync/base/file.hpp"
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

TEST_CASE("tests/bench/run runs every benchmark, and has rows for each in its table", "[bench]") {
  const std::string source = TILEWALL_SOURCE_DIR;
  const std::string run = read_text_file(source + "/tests/bench/run", 1 << 20);
  const std::string table = read_text_file(source + "/tests/bench/table.jq", 1 << 20);
  std::istringstream help(run_program({tilewall_program, "bench", "--help"}).out);
  std::string line;
  while (std::getline(help, line) && line != "Subcommands:") {
  }
  int benchmarks = 0;
  while (std::getline(help, line) && line.starts_with("  ")) {
    const std::string name = line.substr(2, line.find(' ', 2) - 2);
    CAPTURE(name);
    ++benchmarks;
    CHECK(run.find("bench " + name + " ") != std::string::npos);
    CHECK(table.find('"' + name + '"') != std::string::npos);
  }
  CHECK(benchmarks >= 14);
}
