#include "tests/support/sanitized.hpp"

namespace tilewall::test {

bool sanitized() {
#ifdef TILEWALL_SANITIZED
  return true;
#else
  return false;
#endif
}

}  // namespace tilewall::test
