// Instants of a show that starts a second into global time.
#pragma once

#include "sync/global_time.hpp"

namespace tilewall::test {

inline constexpr GlobalInstant start{Nanos(1'000'000'000)};

[[nodiscard]] inline GlobalInstant at_ms(std::int64_t ms) { return start + Nanos(ms * 1'000'000); }

}  // namespace tilewall::test
