// The stream of a connection to the console, with TLS or without. One type for both, and one type
// of buffers and handlers below it, so that the web server's library is compiled for them once.
//
// Threads: the thread that runs the io_context.
#pragma once

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/ssl.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

namespace tilewall::console {

/// Up to `most` buffers of any sequence, as a sequence of its own.
template <typename Buffer>
class FewBuffers {
 public:
  static constexpr std::size_t most = 16;

  template <typename Buffers>
  explicit FewBuffers(const Buffers& buffers) {
    const auto end = boost::asio::buffer_sequence_end(buffers);
    for (auto at = boost::asio::buffer_sequence_begin(buffers); at != end && count_ < most; ++at)
      buffers_[count_++] = Buffer(*at);
  }
  [[nodiscard]] const Buffer* begin() const noexcept { return buffers_.data(); }
  [[nodiscard]] const Buffer* end() const noexcept { return buffers_.data() + count_; }

 private:
  std::array<Buffer, most> buffers_;
  std::size_t count_ = 0;
};

/// An AsyncStream as Boost.Beast wants it. Movable.
class WebStream {
 public:
  using Plain = boost::beast::tcp_stream;
  using Tls = boost::beast::ssl_stream<boost::beast::tcp_stream>;
  using executor_type = Plain::executor_type;
  using Handler = std::function<void(boost::beast::error_code)>;
  using TransferHandler = std::function<void(boost::beast::error_code, std::size_t bytes)>;

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
  void handshake(Handler handler);

  /// Of a longer sequence of buffers, the first FewBuffers::most take part.
  template <typename Buffers, typename Op>
  void async_read_some(const Buffers& buffers, Op&& op) {
    read_some(FewBuffers<boost::asio::mutable_buffer>(buffers),
              shared<TransferHandler>(std::forward<Op>(op)));
  }
  template <typename Buffers, typename Op>
  void async_write_some(const Buffers& buffers, Op&& op) {
    write_some(FewBuffers<boost::asio::const_buffer>(buffers),
               shared<TransferHandler>(std::forward<Op>(op)));
  }

  // Found by a WebSocket that closes its stream, or gives up on it.
  friend void beast_close_socket(WebStream& stream) { beast_close_socket(stream.tcp()); }
  friend void teardown(boost::beast::role_type role, WebStream& stream,
                       boost::beast::error_code& error) {
    stream.tear_down(role, error);
  }
  template <typename Op>
  friend void async_teardown(boost::beast::role_type role, WebStream& stream, Op&& op) {
    stream.start_teardown(role, shared<Handler>(std::forward<Op>(op)));
  }

 private:
  /// A copyable handler of an operation that can only be moved.
  template <typename To, typename Op>
  static To shared(Op&& op) {
    return [owned = std::make_shared<std::decay_t<Op>>(std::forward<Op>(op))](auto... results) {
      std::move (*owned)(results...);
    };
  }

  void read_some(const FewBuffers<boost::asio::mutable_buffer>& buffers, TransferHandler handler);
  void write_some(const FewBuffers<boost::asio::const_buffer>& buffers, TransferHandler handler);
  void tear_down(boost::beast::role_type role, boost::beast::error_code& error);
  void start_teardown(boost::beast::role_type role, Handler handler);

  std::variant<Plain, Tls> stream_;
};

}  // namespace tilewall::console
