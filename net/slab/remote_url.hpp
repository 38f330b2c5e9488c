// Addresses of movies and volumes on servers, and sessions with these servers:
//
// tilewall://HOST[:PORT][,HOST[:PORT]...]/NAME[?transport=udp|tcp][&streams=N][&encrypt=yes|no]
//           [&interfaces=NAME[@GBIT_S][,NAME[@GBIT_S]...]]
//
// Several hosts must have the same movie: if one fails, the client goes on with the next.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/interfaces.hpp"
#include "net/slab/handshake.hpp"
#include "net/slab/slab_client.hpp"

namespace tilewall::net {

inline constexpr std::string_view remote_scheme = "tilewall://";
inline constexpr int default_serve_port = 7642;

struct RemoteUrl {
  std::vector<std::string> servers;  ///< "HOST:PORT"
  std::string name;                  ///< name of the movie; "" = the servers themselves
  SlabTransport transport = SlabTransport::udp;
  int streams = 1;                       ///< TCP connections; by default one for each interface
  std::vector<NetInterface> interfaces;  ///< TCP: this host's interfaces that carry the streams
  bool encrypt = false;
};

[[nodiscard]] bool is_remote(std::string_view input) noexcept;

/// Throws InputError with the part that is missing or wrong.
[[nodiscard]] RemoteUrl parse_remote_url(std::string_view text);
[[nodiscard]] std::string to_string(const RemoteUrl& url);

/// Whether a server is one of this show's processes, which have its secret, or was started by hand,
/// with the wall's key or without one.
enum class ServerParty { show, outside };

struct RemoteConnection {
  std::chrono::milliseconds limit{2000};          ///< longest connecting to each server
  ThreadPlace receiver = {};                      ///< place of the session's thread
  std::size_t keep_bytes = std::size_t{8} << 20;  ///< memory for the bytes that come next
  ServerParty party = ServerParty::outside;
};

/// Connects to the first server of the URL that answers. Throws InputError or JobError with the
/// server's address.
[[nodiscard]] std::shared_ptr<SlabClient> connect_remote(const RemoteUrl& url,
                                                         const RemoteConnection& how = {});

}  // namespace tilewall::net
