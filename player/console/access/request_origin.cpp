#include "player/console/access/request_origin.hpp"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>

namespace tilewall::console {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// The addresses of this machine's interfaces, IPv6 in brackets.
std::vector<std::string> interface_addresses() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, void (*)(ifaddrs*)> list(first, ::freeifaddrs);
  std::vector<std::string> found;
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr) continue;
    std::array<char, INET6_ADDRSTRLEN> text = {};
    if (one->ifa_addr->sa_family == AF_INET) {
      const auto* const v4 = reinterpret_cast<const sockaddr_in*>(one->ifa_addr);
      if (::inet_ntop(AF_INET, &v4->sin_addr, text.data(), text.size()) != nullptr)
        found.emplace_back(text.data());
    } else if (one->ifa_addr->sa_family == AF_INET6) {
      const auto* const v6 = reinterpret_cast<const sockaddr_in6*>(one->ifa_addr);
      if (::inet_ntop(AF_INET6, &v6->sin6_addr, text.data(), text.size()) != nullptr)
        found.push_back("[" + std::string(text.data()) + "]");
    }
  }
  return found;
}

/// Whether the name and port are those at which the console listens.
bool is_listening_name(const OwnNames& own, std::string_view host) {
  const std::string wanted = lower(host);
  const std::string port = ":" + std::to_string(own.port);
  const bool is_usual_port = own.port == (own.tls ? 443 : 80);
  return std::ranges::any_of(own.hosts, [&](const std::string& name) {
    return wanted == name + port || (is_usual_port && wanted == name);
  });
}

}  // namespace

bool is_own_host(const OwnNames& own, std::string_view host) {
  const bool is_url =
      !own.url.empty() && lower(host) == lower(own.url.substr(own.url.find("//") + 2));
  return is_url || is_listening_name(own, host);
}

bool is_own_page(const OwnNames& own, const OriginHeaders& headers) {
  if (!headers.fetch_site.empty() && headers.fetch_site != "same-origin") return false;
  if (headers.origin.empty()) return headers.fetch_site == "same-origin";
  if (!own.url.empty() && lower(headers.origin) == lower(own.url)) return true;
  const std::string_view scheme = own.tls ? "https://" : "http://";
  return headers.origin.starts_with(scheme) &&
         is_listening_name(own, headers.origin.substr(scheme.size()));
}

OwnNames own_names(const std::string& address, std::uint16_t port, bool tls) {
  OwnNames own{{lower(address)}, port, tls};
  const bool is_wildcard = address == "0.0.0.0" || address == "[::]";
  const bool is_loopback = address.starts_with("127.") || address == "[::1]";
  if (is_loopback || is_wildcard) own.hosts.emplace_back("localhost");
  if (is_loopback) return own;
  std::array<char, 256> name = {};
  if (::gethostname(name.data(), name.size() - 1) == 0) {
    const std::string full = lower(name.data());
    own.hosts.push_back(full);
    own.hosts.push_back(full.substr(0, full.find('.')));
  }
  if (is_wildcard)
    for (std::string& one : interface_addresses()) own.hosts.push_back(std::move(one));
  return own;
}

}  // namespace tilewall::console
