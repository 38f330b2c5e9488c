#include "net/slab/eviction.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

namespace tilewall::net {
namespace {

using Host = std::array<std::byte, sizeof(in6_addr)>;

Host host_of(const SocketAddress& address) {
  Host host = {};
  if (address.family() == AF_INET6)
    std::memcpy(host.data(), &reinterpret_cast<const sockaddr_in6&>(address.storage).sin6_addr,
                sizeof(in6_addr));
  else
    std::memcpy(host.data(), &reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr,
                sizeof(in_addr));
  return host;
}

}  // namespace

std::size_t evicted_of(std::span<const UnprovedPeer> peers) {
  struct Oldest {
    std::size_t count = 0;
    std::size_t index = 0;
  };
  std::map<Host, Oldest> hosts;
  for (std::size_t i = 0; i < peers.size(); ++i) {
    Oldest& host = hosts[host_of(peers[i].from)];
    if (host.count++ == 0 || peers[i].since < peers[host.index].since) host.index = i;
  }
  const auto most = std::max_element(hosts.begin(), hosts.end(), [](const auto& a, const auto& b) {
    return a.second.count < b.second.count;
  });
  return most->second.index;
}

}  // namespace tilewall::net
