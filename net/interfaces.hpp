// A host's ways out, as users name them, and how connections side by side are spread over them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/socket.hpp"

namespace tilewall::net {

struct NetInterface {
  std::string name;   ///< "eth0", or an address of this host
  double gbit_s = 0;  ///< what it carries; 0: nobody said

  bool operator==(const NetInterface&) const = default;
};

inline constexpr double fastest_interface_gbit_s = 1000;

/// "eth0@10,eth1@10" or "10.0.0.2,10.0.1.2": names or addresses, each with its rate in Gbit/s or
/// without. Whether this host has them shows when one is used. Throws InputError, which names
/// `place` and `field`: no name, one that cannot be or comes twice, a rate that is none.
[[nodiscard]] std::vector<NetInterface> parse_interfaces(std::string_view text,
                                                         const std::string& place,
                                                         std::string_view field);
[[nodiscard]] std::string to_string(const std::vector<NetInterface>& interfaces);

/// Where one of several connections goes.
struct InterfaceShare {
  std::size_t interface = 0;
  double bytes_s = 0;  ///< its part of what the interface carries; 0: nobody said
};

/// One connection for each interface, then each further one to where it gets the most: the
/// interfaces' rates divided by their connections (D'Hondt). One without a rate counts as the
/// fastest does. @pre 1 <= interfaces.size() <= connections
[[nodiscard]] std::vector<InterfaceShare> share_interfaces(
    const std::vector<NetInterface>& interfaces, int connections);

/// What the socket, not yet connected, sends goes out there: bound to the device, or where this
/// user may not do that, to the device's address, which routes may follow. An address binds to
/// both. `family`: AF_INET or AF_INET6. Throws InputError where this host has no such interface, or
/// it has no address of that family.
void bind_to_interface(int socket, const NetInterface& interface, int family);

// By which network interface this host reaches another one.

/// As the system would send to that address now: "eth1"; "lo" for an address of this host; "" where
/// there is no route. Sends nothing.
[[nodiscard]] std::string interface_towards(const SocketAddress& address);

/// The devices whose wires carry it: those below a bond, a bridge or a VLAN; itself otherwise.
[[nodiscard]] std::vector<std::string> devices_below(const std::string& interface);

/// All of this host, in the system's order.
[[nodiscard]] std::vector<std::string> interface_names();

}  // namespace tilewall::net
