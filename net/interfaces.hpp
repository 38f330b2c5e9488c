// The network interfaces that users name, and how parallel connections are spread over them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/socket.hpp"

namespace tilewall::net {

struct NetInterface {
  std::string name;   ///< "eth0", or an address of this host
  double gbit_s = 0;  ///< Rate in Gbit/s; 0: not given

  bool operator==(const NetInterface&) const = default;
};

inline constexpr double fastest_interface_gbit_s = 1000;

/// Parses "eth0@10,eth1@10" or "10.0.0.2,10.0.1.2": names or addresses, each with its rate in
/// Gbit/s or without. Whether this host has the interface is found out when one is used. Throws
/// InputError naming `place` and `field` for a missing, impossible or repeated name and for a bad
/// rate.
[[nodiscard]] std::vector<NetInterface> parse_interfaces(std::string_view text,
                                                         const std::string& place,
                                                         std::string_view field);
[[nodiscard]] std::string to_string(const std::vector<NetInterface>& interfaces);

/// The interface of one of several connections.
struct InterfaceShare {
  std::size_t interface = 0;
  /// This connection's share of the interface's rate, in bytes/s; 0: no rate was given.
  double bytes_s = 0;
};

/// Gives each interface one connection, then each further connection to the interface where it gets
/// the highest rate: the interface's rate divided by its connections (D'Hondt). An interface
/// without a rate counts as fast as the fastest. @pre 1 <= interfaces.size() <= connections
[[nodiscard]] std::vector<InterfaceShare> share_interfaces(
    const std::vector<NetInterface>& interfaces, int connections);

/// Makes a socket that is not connected yet send through an interface. Binds it to the device or,
/// where this user may not do that, to the device's address, which works where routing follows
/// source addresses. An interface given as an address is bound in both ways. `family`: AF_INET or
/// AF_INET6. Throws InputError where this host has no such interface, or the interface no address
/// of that family.
void bind_to_interface(int socket, const NetInterface& interface, int family);

// The interface by which this host reaches another one.

/// The interface by which the system would send to `address` now, such as "eth1"; "lo" for an
/// address of this host; "" where there is no route. Sends nothing.
[[nodiscard]] std::string interface_towards(const SocketAddress& address);

/// The devices whose wires carry an interface: those below a bond, a bridge or a VLAN; otherwise
/// itself.
[[nodiscard]] std::vector<std::string> devices_below(const std::string& interface);

/// The interfaces of this host, in the system's order.
[[nodiscard]] std::vector<std::string> interface_names();

}  // namespace tilewall::net
