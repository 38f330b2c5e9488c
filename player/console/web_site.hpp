// What a web server asks of the site that it serves, without the server's library.
//
// Threads: the server's one thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "player/console/state/outbox.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::console {

/// A request whose headers and body are whole and within the server's limits.
struct WebRequest {
  std::string method;  ///< "GET"
  std::string path;    ///< "/api/v1/status", without a query
  std::string host;    ///< headers; "" = missing
  std::string origin;
  std::string fetch_site;
  std::string cookie;
  std::string authorization;
  std::string person;  ///< `X-Tilewall-Name`
  std::string body;
  std::string address;      ///< the client's, without its port
  bool is_upgrade = false;  ///< to a WebSocket
};

struct WebResponse {
  unsigned status = 200;
  std::string content_type = "application/json";
  SharedText body = nullptr;   ///< null: empty
  UniqueFd file = UniqueFd{};  ///< its whole content is the body in place of `body`; empty: none
  std::vector<std::pair<std::string, std::string>> headers = {};
};

/// How much a site trusts whoever asks.
enum class Standing {
  stranger,  ///< known to nobody: their connection is closed where another one needs its place
  guest,     ///< Some of its places stay free for others
  trusted,
};

/// The server's side of a connection that stays open: a WebSocket, or a stream of events.
class Channel {
 public:
  virtual ~Channel() = default;
  /// Something waits to be sent: the server asks ChannelUser::next() as soon as it can write.
  virtual void wake() = 0;
  /// Closes the connection, and destroys the user before long.
  virtual void close() = 0;
};

/// The site's side of it. Destroyed when the connection is closed.
class ChannelUser {
 public:
  virtual ~ChannelUser() = default;
  /// The next message; empty where none waits now.
  [[nodiscard]] virtual std::optional<Outbox::Message> next() = 0;
  /// Takes a text of a WebSocket; `is_text` is false for a binary frame.
  virtual void receive(std::string_view text, bool is_text) = 0;
};

class WebSite {
 public:
  using Reply = std::function<void(WebResponse response)>;

  virtual ~WebSite() = default;

  /// Takes note of what the server has refused by itself: a request that is malformed, too large or
  /// too slow, or a connection beyond a limit.
  virtual void note_refusal(const std::string& address, const std::string& why) = 0;

  [[nodiscard]] virtual Standing standing_of(const WebRequest& request) = 0;

  /// Answers a request, now or later, by calling `reply` once; a stranger's at once.
  virtual void answer(const WebRequest& request, Reply reply) = 0;

  /// Whether the request, which is no WebSocket's, asks for a stream of events.
  [[nodiscard]] virtual bool is_stream(const WebRequest& request) const = 0;

  /// The response that refuses a WebSocket or a stream of events; empty where it may begin.
  [[nodiscard]] virtual std::optional<WebResponse> channel_refusal_of(
      const WebRequest& request) = 0;

  /// Begins a WebSocket or a stream of events. `channel` outlives the user.
  /// @pre channel_refusal_of() has just refused nothing
  [[nodiscard]] virtual std::unique_ptr<ChannelUser> open(const WebRequest& request,
                                                          Channel& channel) = 0;

  /// The greatest body that the request may have, once its headers are known.
  [[nodiscard]] virtual std::size_t most_body_bytes(const WebRequest& request) = 0;
};

}  // namespace tilewall::console
