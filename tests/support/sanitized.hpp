// Whether a sanitizer watches the code that is tested.
#pragma once

namespace tilewall::test {

/// True in the builds of sanitizers. Not a macro: their tests may have been compiled by another
/// build.
[[nodiscard]] bool sanitized();

}  // namespace tilewall::test
