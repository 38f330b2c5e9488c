// Sources are compiled so that a product and a sum are rounded twice. This one alone is optimized
// for processors that could do both at once.

#include <catch2/catch.hpp>
#include <limits>

namespace {

template <typename Number>
[[gnu::noinline]] Number product_and_sum(Number a, Number b, Number c) {
  return a * b + c;
}

/// The product is 1 - e^2, of which the square is below what the number holds.
template <typename Number>
Number rounded_once_or_twice(Number e) {
  return product_and_sum(1 + e, 1 - e, Number{-1});
}

}  // namespace

TEST_CASE("a product and a sum are rounded twice, whatever the processor has", "[volume]") {
#ifdef __x86_64__
  if (!__builtin_cpu_supports("fma")) {
    WARN("skipped: this processor rounds them twice in any case");
    return;
  }
#endif
  CHECK(rounded_once_or_twice(0x1p-30) == 0.0);
  CHECK(rounded_once_or_twice(0x1p-13F) == 0.0F);
}
