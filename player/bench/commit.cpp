#include "player/bench/common.hpp"

namespace tilewall::bench {

const char* source_commit() noexcept { return TILEWALL_COMMIT; }

}  // namespace tilewall::bench
