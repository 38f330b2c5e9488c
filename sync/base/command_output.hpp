// What another program prints.
#pragma once

#include <string>

namespace tilewall {

/// Runs it by the shell and waits. All of its standard output; what there is where it fails, and ""
/// where it cannot be started.
[[nodiscard]] std::string output_of(const std::string& command);

}  // namespace tilewall
