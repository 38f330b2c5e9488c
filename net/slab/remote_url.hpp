// tilewall://HOST[:PORT][,HOST[:PORT]...]/NAME[?transport=udp|tcp][&streams=N][&encrypt=yes|no]
//           [&interfaces=NAME[@GBIT_S][,NAME[@GBIT_S]...]]
//
// Several hosts have the same movie: where one dies the next goes on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/interfaces.hpp"
#include "net/slab/handshake.hpp"

namespace tilewall {

inline constexpr std::string_view remote_scheme = "tilewall://";
inline constexpr int default_serve_port = 7642;

struct RemoteUrl {
  std::vector<std::string> servers;  ///< "HOST:PORT"
  std::string name;                  ///< of a movie; "" = the servers themselves
  SlabTransport transport = SlabTransport::udp;
  int streams = 1;                       ///< tcp: connections; not said: one for each interface
  std::vector<NetInterface> interfaces;  ///< tcp: of this host, that the streams are spread over
  bool encrypt = false;
};

[[nodiscard]] bool is_remote(std::string_view input) noexcept;

/// Throws InputError naming the part that is missing or wrong.
[[nodiscard]] RemoteUrl parse_remote_url(std::string_view text);
[[nodiscard]] std::string to_string(const RemoteUrl& url);

}  // namespace tilewall
