// The forms of host names, addresses and X displays in a wall file. They are strict, because these
// texts end up on command lines: none begins with a dash, or has a space or a quote.
#pragma once

#include <string_view>

namespace tilewall::wall {

/// Whether the text is a host name or address: "render1.lab", "10.0.0.7", "fe80::1".
[[nodiscard]] bool is_host_name(std::string_view text) noexcept;

/// Whether the text is "render1:7400" or "[fe80::1]:7400", with a port from 1 to 65535.
[[nodiscard]] bool is_host_port(std::string_view text) noexcept;

/// Whether the text is an X display: ":0", ":0.1" or "host:10.0".
[[nodiscard]] bool is_x_display(std::string_view text) noexcept;

}  // namespace tilewall::wall
