#include "net/interfaces.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>

#include "net/socket.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::net {

namespace {

constexpr std::size_t most_interfaces = 64;

std::optional<SocketAddress> address_of(const std::string& text) {
  SocketAddress address;
  in6_addr v6 = {};
  if (::inet_pton(AF_INET6, text.c_str(), &v6) == 1) {
    auto& raw = reinterpret_cast<sockaddr_in6&>(address.storage);
    raw.sin6_family = AF_INET6;
    raw.sin6_addr = v6;
    address.length = sizeof raw;
    return address;
  }
  in_addr v4 = {};
  if (::inet_pton(AF_INET, text.c_str(), &v4) != 1) return std::nullopt;
  auto& raw = reinterpret_cast<sockaddr_in&>(address.storage);
  raw.sin_family = AF_INET;
  raw.sin_addr = v4;
  address.length = sizeof raw;
  return address;
}

NetInterface parse_one(std::string_view text, const std::string& place, std::string_view field) {
  const auto refuse = [&](std::string_view expected) {
    throw InputError({place}, field, expected, fmt::format("\"{}\"", text));
  };
  NetInterface interface;
  const auto at = text.find('@');
  interface.name = text.substr(0, at);
  if (interface.name.empty()) refuse("NAME or NAME@GBIT_S");
  if (interface.name.size() >= IFNAMSIZ && !address_of(interface.name))
    refuse("the name of an interface, or an address");
  if (at == std::string_view::npos) return interface;
  const std::string_view rate = text.substr(at + 1);
  const auto [end, error] =
      std::from_chars(rate.data(), rate.data() + rate.size(), interface.gbit_s);
  const bool is_number = error == std::errc{} && end == rate.data() + rate.size();
  if (!is_number || !(interface.gbit_s > 0) || interface.gbit_s > fastest_interface_gbit_s)
    refuse(fmt::format("a rate above 0 and up to {:.0f} Gbit/s", fastest_interface_gbit_s));
  return interface;
}

/// Calls `use` with each address of this host until it returns true. Returns whether it did.
template <typename Use>
bool any_address(Use&& use) {
  ifaddrs* first = nullptr;
  check_sys(::getifaddrs(&first), "getifaddrs");
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner(first, &::freeifaddrs);
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next)
    if (one->ifa_addr != nullptr && use(*one)) return true;
  return false;
}

bool bind_to_device(int socket, const char* name) {
  return ::setsockopt(socket, SOL_SOCKET, SO_BINDTODEVICE, name,
                      static_cast<socklen_t>(std::strlen(name))) == 0;
}

bool is_same(const sockaddr& a, const SocketAddress& b) {
  if (a.sa_family != b.family()) return false;
  if (b.family() == AF_INET)
    return reinterpret_cast<const sockaddr_in&>(a).sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in&>(b.storage).sin_addr.s_addr;
  return IN6_ARE_ADDR_EQUAL(&reinterpret_cast<const sockaddr_in6&>(a).sin6_addr,
                            &reinterpret_cast<const sockaddr_in6&>(b.storage).sin6_addr);
}

void bind_to_address(int socket, const SocketAddress& address, const NetInterface& interface) {
  static_cast<void>(any_address([&](const ifaddrs& one) {
    return is_same(*one.ifa_addr, address) && bind_to_device(socket, one.ifa_name);
  }));
  if (::bind(socket, address.raw(), address.length) == 0) return;
  throw InputError({interface.name}, "", "an address of this host", "");
}

void bind_to_name(int socket, const NetInterface& interface, int family) {
  const char* const name = interface.name.c_str();
  if (::if_nametoindex(name) == 0)
    throw InputError({interface.name}, "", "an interface of this host ('ip link' lists them)", "");
  if (bind_to_device(socket, name)) return;
  const socklen_t length = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
  const bool is_bound = any_address([&](const ifaddrs& one) {
    return interface.name == one.ifa_name && one.ifa_addr->sa_family == family &&
           ::bind(socket, one.ifa_addr, length) == 0;
  });
  if (!is_bound)
    throw InputError({interface.name}, "", "an interface with an address of the server's kind", "");
}

}  // namespace

std::vector<NetInterface> parse_interfaces(std::string_view text, const std::string& place,
                                           std::string_view field) {
  std::vector<NetInterface> interfaces;
  for (bool more = true; more;) {
    const auto comma = text.find(',');
    NetInterface interface = parse_one(text.substr(0, comma), place, field);
    for (const NetInterface& other : interfaces)
      if (other.name == interface.name)
        throw InputError({place}, field, "each interface once",
                         fmt::format("\"{}\" twice", interface.name));
    interfaces.push_back(std::move(interface));
    more = comma != std::string_view::npos;
    if (more) text.remove_prefix(comma + 1);
  }
  if (interfaces.size() > most_interfaces)
    throw InputError({place}, field, fmt::format("at most {} interfaces", most_interfaces),
                     std::to_string(interfaces.size()));
  return interfaces;
}

std::string to_string(const std::vector<NetInterface>& interfaces) {
  std::string text;
  for (const NetInterface& interface : interfaces) {
    if (!text.empty()) text += ',';
    text += interface.name;
    if (interface.gbit_s > 0) text += fmt::format("@{}", interface.gbit_s);
  }
  return text;
}

std::vector<InterfaceShare> share_interfaces(const std::vector<NetInterface>& interfaces,
                                             int connections) {
  TW_CHECK(!interfaces.empty() && static_cast<int>(interfaces.size()) <= connections);
  double fastest = 0;
  for (const NetInterface& interface : interfaces) fastest = std::max(fastest, interface.gbit_s);
  const auto weight = [&](std::size_t i) {
    const double rate = interfaces[i].gbit_s > 0 ? interfaces[i].gbit_s : fastest;
    return rate > 0 ? rate : 1.0;
  };
  std::vector<int> counts(interfaces.size(), 0);
  std::vector<InterfaceShare> shares;
  for (std::size_t next = 0; next < static_cast<std::size_t>(connections); ++next) {
    std::size_t chosen = next;
    if (next >= interfaces.size()) {
      chosen = 0;
      for (std::size_t i = 1; i < interfaces.size(); ++i)
        if (weight(i) / (counts[i] + 1) > weight(chosen) / (counts[chosen] + 1)) chosen = i;
    }
    ++counts[chosen];
    shares.push_back({chosen, 0});
  }
  for (InterfaceShare& share : shares)
    share.bytes_s = interfaces[share.interface].gbit_s * 1e9 / 8 / counts[share.interface];
  return shares;
}

void bind_to_interface(int socket, const NetInterface& interface, int family) {
  const auto address = address_of(interface.name);
  if (!address) return bind_to_name(socket, interface, family);
  if (address->family() != family)
    throw InputError({interface.name}, "", "an address of the server's kind", "");
  bind_to_address(socket, *address, interface);
}

namespace {

constexpr int deepest = 4;  // a VLAN on a bridge on a bond of devices
constexpr std::string_view lower_prefix = "lower_";
constexpr const char* loopback_name = "lo";

struct InterfaceListTraits {
  using Raw = ifaddrs*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw list) noexcept { ::freeifaddrs(list); }
};

bool same_host(const sockaddr* a, const sockaddr* b) {
  if (a == nullptr || a->sa_family != b->sa_family) return false;
  if (a->sa_family == AF_INET)
    return reinterpret_cast<const sockaddr_in*>(a)->sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in*>(b)->sin_addr.s_addr;
  if (a->sa_family != AF_INET6) return false;
  return std::memcmp(&reinterpret_cast<const sockaddr_in6*>(a)->sin6_addr,
                     &reinterpret_cast<const sockaddr_in6*>(b)->sin6_addr, sizeof(in6_addr)) == 0;
}

void add_devices_below(const std::string& interface, int depth, std::vector<std::string>& found) {
  std::error_code error;
  std::vector<std::string> lower;
  for (const auto& entry :
       std::filesystem::directory_iterator("/sys/class/net/" + interface, error)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(lower_prefix)) lower.push_back(name.substr(lower_prefix.size()));
  }
  std::ranges::sort(lower);
  if (lower.empty() && std::ranges::find(found, interface) == found.end())
    found.push_back(interface);
  for (const std::string& name : lower)
    if (depth < deepest) add_devices_below(name, depth + 1, found);
}

}  // namespace

std::string interface_towards(const SocketAddress& address) {
  const UniqueFd probe(::socket(address.family(), SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (probe.empty() || ::connect(probe.get(), address.raw(), address.length) != 0) return "";
  const SocketAddress local = local_address(probe.get());
  if (local.loopback() || same_host(local.raw(), address.raw())) return loopback_name;
  ifaddrs* raw = nullptr;
  if (::getifaddrs(&raw) != 0) return "";
  const UniqueHandle<InterfaceListTraits> list(raw);
  for (const ifaddrs* entry = list.get(); entry != nullptr; entry = entry->ifa_next)
    if (same_host(entry->ifa_addr, local.raw())) return entry->ifa_name;
  return "";
}

std::vector<std::string> devices_below(const std::string& interface) {
  std::vector<std::string> found;
  add_devices_below(interface, 0, found);
  return found;
}

std::vector<std::string> interface_names() {
  std::vector<std::string> names;
  struct if_nameindex* const all = ::if_nameindex();
  for (const struct if_nameindex* one = all; one != nullptr && one->if_name != nullptr; ++one)
    names.emplace_back(one->if_name);
  if (all != nullptr) ::if_freenameindex(all);
  return names;
}

}  // namespace tilewall::net
