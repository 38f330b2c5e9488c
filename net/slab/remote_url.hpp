// tilewall://HOST[:PORT][,HOST[:PORT]...]/NAME[?transport=udp|tcp][&streams=N][&encrypt=yes|no]
//           [&interfaces=NAME[@GBIT_S][,NAME[@GBIT_S]...]]
//
// Several hosts have the same movie: where one dies the next goes on.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "net/interfaces.hpp"
#include "net/secret_variables.hpp"
#include "net/slab/handshake.hpp"
#include "net/slab/slab_client.hpp"

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

// Sessions with the servers that a tilewall:// address names.

/// From now on this process and those it starts know servers by the key in the file; "" = none.
/// Throws InputError.
void use_stream_key(const std::filesystem::path& key_file);

struct RemoteConnection {
  std::chrono::milliseconds limit{2000};              ///< for each server
  ThreadPlace receiver = {};                          ///< where the session's thread runs
  std::size_t keep_bytes = std::size_t{8} << 20;      ///< memory for the bytes that come next
  const char* key_variable = stream_secret_variable;  ///< environment variable with the key
};

/// A session with the servers of a URL. Throws InputError or JobError naming them.
[[nodiscard]] std::shared_ptr<SlabClient> connect_remote(const RemoteUrl& url,
                                                         const RemoteConnection& how = {});

}  // namespace tilewall
