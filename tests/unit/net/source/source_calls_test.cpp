// The library as simulations in C and C++ link it.

#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"

using namespace tilewall;
using namespace tilewall::test;

TEST_CASE("wrong calls in C give a code and a line, and write nothing", "[source]") {
  const ProgramResult result = run_program({program_path("source_calls")});
  CHECK(result.out == "");
  CHECK(result.err == "");
  CHECK(result.exit_code == 0);
}

TEST_CASE("the example simulation runs without a wall", "[source]") {
  const ProgramResult result = run_program(
      {program_path("gray_scott"), "--grid", "16", "--steps", "5", "--listen", "127.0.0.1:1"});
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("step 5 of 5") && Catch::Contains("0 walls"));
  const ProgramResult wrong = run_program({program_path("gray_scott"), "--grid", "3"});
  CHECK(wrong.exit_code == 2);
  CHECK_THAT(wrong.err, Catch::Contains("--grid: expected 8 to 8192, found 3"));
}
