// tilewall://HOST[:PORT][,HOST[:PORT]...]/NAME[?transport=udp|tcp][&streams=N][&encrypt=yes|no]
//
// Several hosts have the same movie: where one dies the next goes on.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "net/slab/handshake.hpp"

namespace tilewall {

inline constexpr std::string_view remote_scheme = "tilewall://";
inline constexpr int default_serve_port = 7642;

struct RemoteUrl {
  std::vector<std::string> servers;  ///< "HOST:PORT"
  std::string name;                  ///< of a movie; "" = the servers themselves
  SlabTransport transport = SlabTransport::udp;
  int streams = 1;  ///< tcp: connections
  bool encrypt = false;
};

[[nodiscard]] bool is_remote(std::string_view input) noexcept;

/// Throws InputError naming the part that is missing or wrong.
[[nodiscard]] RemoteUrl parse_remote_url(std::string_view text);
[[nodiscard]] std::string to_string(const RemoteUrl& url);

}  // namespace tilewall
