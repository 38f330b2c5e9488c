// Numbers as people type them for a command: "1,2.5,-3".
#pragma once

#include <string>
#include <vector>

namespace tilewall {

/// Numbers between commas, none over `largest` in size; empty when it is anything else. Without a
/// limit: the longest side of a movie.
[[nodiscard]] std::vector<double> parse_number_list(const std::string& text, double largest = 1e6);

}  // namespace tilewall
