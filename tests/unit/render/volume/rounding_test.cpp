// Sources are compiled so that a product and a sum are rounded twice. This one alone is optimized
// for processors that could do both at once.

#include <catch2/catch.hpp>

namespace {

/// The product is 1 - e^2, of which the square is below what the number holds. The compiler does
/// not know the factors, so that it cannot compute the result itself.
template <typename Number>
Number product_and_sum(Number e) {
  const volatile Number a = 1 + e;
  const volatile Number b = 1 - e;
  const volatile Number c = -1;
  return a * b + c;
}

}  // namespace

TEST_CASE("a product and a sum are rounded twice, whatever the processor has", "[volume]") {
#ifdef __x86_64__
  if (!__builtin_cpu_supports("fma")) {
    WARN("skipped: this processor rounds them twice in any case");
    return;
  }
#endif
  CHECK(product_and_sum(0x1p-30) == 0.0);
  CHECK(product_and_sum(0x1p-13F) == 0.0F);
}
