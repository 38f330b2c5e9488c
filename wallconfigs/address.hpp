// The forms of host names, addresses and X displays that a wall file may name. Strict, as they end
// up on command lines: nothing begins with a dash, nothing has a space or a quote.
#pragma once

#include <string_view>

namespace tilewall::wall {

/// "render1.lab", "10.0.0.7", "fe80::1".
[[nodiscard]] bool is_host_name(std::string_view text) noexcept;

/// "render1:7400" or "[fe80::1]:7400"; port 1 to 65535.
[[nodiscard]] bool is_host_port(std::string_view text) noexcept;

/// ":0", ":0.1" or "host:10.0".
[[nodiscard]] bool is_x_display(std::string_view text) noexcept;

}  // namespace tilewall::wall
