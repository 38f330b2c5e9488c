// By which network interface this host reaches another one.
#pragma once

#include <string>
#include <vector>

#include "net/socket.hpp"

namespace tilewall {

/// As the system would send to that address now: "eth1"; "lo" for an address of this host; "" where
/// there is no route. Sends nothing.
[[nodiscard]] std::string interface_towards(const SocketAddress& address);

/// The devices whose wires carry it: those below a bond, a bridge or a VLAN; itself otherwise.
[[nodiscard]] std::vector<std::string> devices_below(const std::string& interface);

/// All of this host, in the system's order.
[[nodiscard]] std::vector<std::string> interface_names();

}  // namespace tilewall
