// Finds dotted keys too deep to parse: toml++ nests one table per part without a limit and destroys
// them recursively, so that a line of "a.a.a..." overflows the stack.
#pragma once

#include <optional>
#include <string_view>

namespace tilewall::wall {

/// The line (from 1) of the first chain of more than `max_parts` parts joined by dots; empty when
/// there is none. Strings and comments are skipped as TOML 1.0 delimits them.
[[nodiscard]] std::optional<int> find_deep_key(std::string_view toml, int max_parts);

}  // namespace tilewall::wall
