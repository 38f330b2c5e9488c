#include "net/route.hpp"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

namespace tilewall {
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

}  // namespace tilewall
