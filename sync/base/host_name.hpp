// What this machine calls itself.
#pragma once

#include <string>

namespace tilewall {

[[nodiscard]] std::string host_name();

}  // namespace tilewall
