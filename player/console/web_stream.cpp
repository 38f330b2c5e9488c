#include "player/console/web_stream.hpp"

#include <boost/beast/websocket/ssl.hpp>
#include <boost/beast/websocket/teardown.hpp>

namespace tilewall::console {

void WebStream::handshake(Handler handler) {
  std::get<Tls>(stream_).async_handshake(boost::asio::ssl::stream_base::server, std::move(handler));
}

void WebStream::read_some(const FewBuffers<boost::asio::mutable_buffer>& buffers,
                          TransferHandler handler) {
  std::visit([&](auto& stream) { stream.async_read_some(buffers, std::move(handler)); }, stream_);
}

void WebStream::write_some(const FewBuffers<boost::asio::const_buffer>& buffers,
                           TransferHandler handler) {
  std::visit([&](auto& stream) { stream.async_write_some(buffers, std::move(handler)); }, stream_);
}

void WebStream::tear_down(boost::beast::role_type role, boost::beast::error_code& error) {
  using boost::beast::websocket::teardown;
  if (has_tls())
    teardown(role, std::get<Tls>(stream_), error);
  else
    teardown(role, std::get<Plain>(stream_).socket(), error);
}

void WebStream::start_teardown(boost::beast::role_type role, Handler handler) {
  using boost::beast::websocket::async_teardown;
  if (has_tls())
    async_teardown(role, std::get<Tls>(stream_), std::move(handler));
  else
    async_teardown(role, std::get<Plain>(stream_).socket(), std::move(handler));
}

}  // namespace tilewall::console
