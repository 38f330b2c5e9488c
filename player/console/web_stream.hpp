// The stream of a connection to the console, with TLS or without. One type for both, so that the
// web server's library is compiled for it once.
//
// Threads: the thread that runs the io_context.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/teardown.hpp>
#include <utility>
#include <variant>

namespace tilewall::console {

/// An AsyncStream as Boost.Beast wants it. Movable.
class WebStream {
 public:
  using Plain = boost::beast::tcp_stream;
  using Tls = boost::beast::ssl_stream<boost::beast::tcp_stream>;
  using executor_type = Plain::executor_type;

  explicit WebStream(Plain stream) : stream_(std::move(stream)) {}
  /// The context outlives the stream, which needs a handshake() first.
  WebStream(Plain stream, boost::asio::ssl::context& tls)
      : stream_(std::in_place_type<Tls>, std::move(stream), tls) {}

  [[nodiscard]] bool has_tls() const noexcept { return std::holds_alternative<Tls>(stream_); }
  /// The stream below TLS, which has the time limits.
  [[nodiscard]] Plain& tcp() {
    return has_tls() ? std::get<Tls>(stream_).next_layer() : std::get<Plain>(stream_);
  }
  [[nodiscard]] executor_type get_executor() { return tcp().get_executor(); }

  /// @pre has_tls()
  template <typename Handler>
  void handshake(Handler&& handler) {
    std::get<Tls>(stream_).async_handshake(boost::asio::ssl::stream_base::server,
                                           std::forward<Handler>(handler));
  }

  template <typename Buffers, typename Handler>
  auto async_read_some(const Buffers& buffers, Handler&& handler) {
    return std::visit(
        [&](auto& stream) {
          return stream.async_read_some(buffers, std::forward<Handler>(handler));
        },
        stream_);
  }
  template <typename Buffers, typename Handler>
  auto async_write_some(const Buffers& buffers, Handler&& handler) {
    return std::visit(
        [&](auto& stream) {
          return stream.async_write_some(buffers, std::forward<Handler>(handler));
        },
        stream_);
  }

  // Found by a WebSocket that closes its stream, or gives up on it.
  friend void beast_close_socket(WebStream& stream) { beast_close_socket(stream.tcp()); }
  friend void teardown(boost::beast::role_type role, WebStream& stream,
                       boost::beast::error_code& error) {
    using boost::beast::websocket::teardown;
    if (stream.has_tls())
      teardown(role, std::get<Tls>(stream.stream_), error);
    else
      teardown(role, std::get<Plain>(stream.stream_).socket(), error);
  }
  template <typename Handler>
  friend void async_teardown(boost::beast::role_type role, WebStream& stream, Handler&& handler) {
    using boost::beast::websocket::async_teardown;
    if (stream.has_tls())
      async_teardown(role, std::get<Tls>(stream.stream_), std::forward<Handler>(handler));
    else
      async_teardown(role, std::get<Plain>(stream.stream_).socket(),
                     std::forward<Handler>(handler));
  }

 private:
  std::variant<Plain, Tls> stream_;
};

}  // namespace tilewall::console
