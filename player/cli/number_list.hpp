// Numbers as people type them for a command: "1,2.5,-3".
#pragma once

#include <string>
#include <vector>

namespace tilewall {

/// Numbers between commas, none over 1e6 in size; empty when it is anything else.
[[nodiscard]] std::vector<double> parse_number_list(const std::string& text);

}  // namespace tilewall
