// An HTTP/1.1 server with WebSockets for one site, on one thread (Boost.Beast).
//
// Bounds: `most_connections` at once, of which few may wait for a request, and some stay free for
// hosts and for strangers who log in; headers of 16 KiB, bodies as the site allows, WebSocket
// messages of 64 KiB; a time limit on every stage.
#pragma once

#include <boost/asio/io_context.hpp>
#include <memory>
#include <optional>

#include "player/console/access/tls_files.hpp"
#include "player/console/web_site.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::console {

class WebServer {
 public:
  static constexpr std::size_t most_connections = 200;
  /// Those of guests with a request that is answered, or a channel: in all, and of one address.
  static constexpr std::size_t most_of_guests = 160;
  static constexpr std::size_t most_of_address = 96;
  /// Connections that wait for a request, and those of strangers; the one that has waited longest
  /// is closed for a new one.
  static constexpr std::size_t most_idle = 64;

  /// Serves `site` at a listening socket. The io_context and the site outlive this object. Throws
  /// InputError naming a TLS file that cannot be used.
  WebServer(boost::asio::io_context& io, UniqueFd listening, const std::optional<TlsFiles>& tls,
            WebSite& site);
  ~WebServer();  // NOLINT(bugprone-exception-escape): as in web_server.cpp

  /// The parts of the server that its connections use.
  class Parts;

 private:
  std::shared_ptr<Parts> parts_;
};

}  // namespace tilewall::console
