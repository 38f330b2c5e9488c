// Every decoder of what comes from outside, with good inputs and with what they turn into when bits
// flip, ends are cut off, and parts are exchanged.

#include <catch2/catch.hpp>
#include <set>

#include "tests/fuzz/mutants.hpp"

using namespace tilewall::fuzz;

namespace {

constexpr MutantCounts counts{100, 400, 100, 250};

}  // namespace

// What the sanitizer of undefined behaviour finds otherwise only stands in the output.
extern "C" const char* __ubsan_default_options() { return "halt_on_error=1:print_stacktrace=1"; }

TEST_CASE("decoders take what is good, and refuse what became of it", "[fuzz]") {
  std::set<std::string> names;
  for (const Decoder& decoder : all_decoders()) {
    CAPTURE(decoder.name);
    CHECK(names.insert(decoder.name).second);
    REQUIRE_FALSE(decoder.good.empty());
    for (const Bytes& good : decoder.good) {
      calls = {};
      REQUIRE_NOTHROW(decoder.decode(good));
      CHECK((calls.made == 0 || calls.taken > 0));
    }
    for (const Bytes& refused : decoder.refused) CHECK_NOTHROW(decoder.decode(refused));
    std::size_t mutants = 0;
    std::string thrown;
    for_each_mutant(decoder, counts, [&](std::span<const std::byte> mutant) {
      ++mutants;
      try {
        decoder.decode(mutant);
      } catch (const std::exception& error) {
        if (thrown.empty()) thrown = error.what() + (": " + std::string(text_of(mutant)));
      }
    });
    CAPTURE(thrown);
    CHECK(thrown == "");
    CHECK(mutants >= counts.changed);
  }
}
