// Tells requests of the console's own page from those that another page makes a browser send
// (cross-site request forgery), and from those that reach the console under another page's name
// (DNS rebinding).
//
// Threads: everything is constant.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewall::console {

/// The names under which a console is reached.
struct OwnNames {
  std::vector<std::string> hosts;  ///< lower case: "127.0.0.1", "[::1]", "localhost", "wall7"
  std::uint16_t port = 0;
  bool tls = false;
  std::string url = {};  ///< what browsers call it: "https://wall.example.org"; "" = nothing else
};

/// Whether a request's header `Host` is one of the names, with the port.
[[nodiscard]] bool is_own_host(const OwnNames& own, std::string_view host);

/// The headers of a request by which browsers tell where it comes from; "" = missing.
struct OriginHeaders {
  std::string_view origin;      ///< `Origin`
  std::string_view fetch_site;  ///< `Sec-Fetch-Site`
};

/// Whether a request that carries a cookie and changes something comes from the console's own page.
/// Where both headers are missing, it does not.
[[nodiscard]] bool is_own_page(const OwnNames& own, const OriginHeaders& headers);

/// The names of a console that listens at `address`, "HOST" or "[v6]" without a port: itself and
/// localhost for loopback; for other addresses also this machine's names, and for a wildcard all
/// its addresses.
[[nodiscard]] OwnNames own_names(const std::string& address, std::uint16_t port, bool tls);

}  // namespace tilewall::console
