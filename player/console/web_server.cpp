#include "player/console/web_server.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <limits>
#include <list>
#include <map>
#include <utility>

#include "player/console/web_responses.hpp"
#include "player/console/web_stream.hpp"

namespace tilewall::console {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using Tcp = asio::ip::tcp;
using beast::error_code;

constexpr std::chrono::seconds handshake_limit{10};
constexpr std::chrono::seconds request_limit{30};  // with the pause before the next request
constexpr std::chrono::seconds write_limit{30};
constexpr std::chrono::seconds stranger_write_limit{10};
// A client other than a stranger takes a long response at this rate or faster.
constexpr std::size_t least_bytes_per_s = std::size_t{256} * 1024;
constexpr std::chrono::seconds linger_limit{2};
constexpr std::size_t most_ignored_bytes = std::size_t{1} << 20;  // of a request that was refused
constexpr std::chrono::seconds ping_interval{15};
constexpr std::chrono::milliseconds accept_pause{100};  // after accept() failed
constexpr std::uint32_t most_header_bytes = 16384;
constexpr std::size_t most_message_bytes = 65536;

std::string string_of(beast::string_view text) { return {text.data(), text.size()}; }

/// The headers of a request; its body is empty yet.
WebRequest web_request(const http::request<http::string_body>& from, std::string address) {
  const auto header = [&](auto name) { return string_of(from[name]); };
  WebRequest request;
  request.method = string_of(from.method_string());
  request.path = string_of(from.target());
  request.path = request.path.substr(0, request.path.find('?'));
  request.host = header(http::field::host);
  request.origin = header(http::field::origin);
  request.fetch_site = header("Sec-Fetch-Site");
  request.cookie = header(http::field::cookie);
  request.authorization = header(http::field::authorization);
  request.person = header("X-Tilewall-Name");
  request.address = std::move(address);
  return request;
}

/// The response without its body.
template <typename Body>
http::response<Body> head_of(const WebResponse& from, unsigned version, bool keep_alive) {
  http::response<Body> response(static_cast<http::status>(from.status), version);
  response.set(http::field::content_type, from.content_type);
  response.set(http::field::cache_control, "no-store");
  for (const auto& [name, value] : from.headers) response.set(name, value);
  response.keep_alive(keep_alive);
  return response;
}

/// The peer's, without its port; "unknown" where the peer has gone.
std::string address_of(const Tcp::socket& socket) {
  error_code error;
  const auto peer = socket.remote_endpoint(error);
  return error ? std::string("unknown") : peer.address().to_string();
}

void close_now(beast::tcp_stream& stream) {
  error_code ignored;
  stream.socket().shutdown(Tcp::socket::shutdown_both, ignored);
  stream.socket().close(ignored);
}

}  // namespace

class WebServer::Parts : public std::enable_shared_from_this<Parts> {
 public:
  /// A connection that waits for a request, or for the rest of one, can be closed for another one;
  /// one that writes to a stranger, too.
  class IdleConnection {
   public:
    virtual ~IdleConnection() = default;
    virtual void close_idle() = 0;
  };
  using IdleList = std::list<std::weak_ptr<IdleConnection>>;

  Parts(asio::io_context& io, UniqueFd listening, const std::optional<TlsFiles>& tls, WebSite& site)
      : site_(&site), acceptor_(io), pause_(io) {
    if (tls) use_tls(*tls);
    sockaddr_storage storage = {};
    socklen_t length = sizeof storage;
    ::getsockname(listening.get(), reinterpret_cast<sockaddr*>(&storage), &length);
    acceptor_.assign(storage.ss_family == AF_INET6 ? Tcp::v6() : Tcp::v4(), listening.release());
  }

  void accept();
  /// No connection asks the site any more.
  void end() {
    site_ = nullptr;
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
  }

  /// Null once the server has ended.
  [[nodiscard]] WebSite* site() const noexcept { return site_; }

  /// Counts a connection while it lives.
  [[nodiscard]] std::shared_ptr<void> count() {
    ++connections_;
    return {nullptr, [self = shared_from_this()](void*) { --self->connections_; }};
  }

  /// Counts a connection of a guest while it is held; null where there are too many.
  [[nodiscard]] std::shared_ptr<void> hold(const std::string& address) {
    const auto found = held_.find(address);
    if (held_by_guests_ >= most_of_guests ||
        (found != held_.end() && found->second >= most_of_address))
      return nullptr;
    ++held_by_guests_;
    ++held_[address];
    return {static_cast<void*>(this), [self = shared_from_this(), address](void*) {
              --self->held_by_guests_;
              if (--self->held_[address] == 0) self->held_.erase(address);
            }};
  }

  /// Adds a connection that waits for a request, and closes the one that has waited longest where
  /// there are too many.
  void note_idle(const std::shared_ptr<IdleConnection>& connection) {
    note_busy(connection.get());
    while (idle_.size() >= most_idle) close_oldest_idle();
    idle_.push_back(connection);
  }
  /// Returns false where there is none.
  bool close_oldest_idle() {
    while (!idle_.empty()) {
      const auto oldest = idle_.front().lock();
      idle_.pop_front();
      if (!oldest) continue;
      oldest->close_idle();
      return true;
    }
    return false;
  }
  /// Forgets one by its connection, as the list may have dropped it.
  void note_busy(const IdleConnection* connection) {
    idle_.remove_if([&](const std::weak_ptr<IdleConnection>& one) {
      const auto alive = one.lock();
      return !alive || alive.get() == connection;
    });
  }

 private:
  void use_tls(const TlsFiles& files) {
    check_tls_files(files);
    tls_.emplace(asio::ssl::context::tls_server);
    tls_->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                      asio::ssl::context::no_tlsv1_1);
    tls_->use_certificate_chain_file(files.certificate.string());
    tls_->use_private_key_file(files.key.string(), asio::ssl::context::pem);
  }

  void serve(Tcp::socket socket);

  WebSite* site_;
  Tcp::acceptor acceptor_;
  asio::steady_timer pause_;
  std::optional<asio::ssl::context> tls_;
  std::size_t connections_ = 0;
  std::size_t held_by_guests_ = 0;
  std::map<std::string, std::size_t> held_;  // those of each address
  IdleList idle_;
};

namespace {

/// What a connection counts as while it lives.
struct Counted {
  std::shared_ptr<void> connection;
  std::shared_ptr<void> guest;  ///< null: not one of a guest
};

/// A WebSocket.
class SocketConnection final : public Channel,
                               public std::enable_shared_from_this<SocketConnection> {
 public:
  SocketConnection(WebStream stream, Counted counted)
      : socket_(std::move(stream)), counted_(std::move(counted)) {}

  void start(WebServer::Parts& server, const WebRequest& request,
             const http::request<http::string_body>& upgrade) {
    user_ = server.site()->open(request, *this);
    socket_.next_layer().tcp().expires_never();  // the WebSocket has limits of its own
    websocket::stream_base::timeout limits =
        websocket::stream_base::timeout::suggested(beast::role_type::server);
    limits.handshake_timeout = handshake_limit;
    limits.idle_timeout = 2 * ping_interval;
    limits.keep_alive_pings = true;
    socket_.set_option(limits);
    socket_.read_message_max(most_message_bytes);
    socket_.auto_fragment(false);  // else each 4 KiB of a picture are a frame and a call
    socket_.async_accept(upgrade, [self = shared_from_this()](error_code error) {
      if (error) return self->end();
      self->is_open_ = true;
      self->read();
      self->write();
    });
  }

  void wake() override {
    asio::post(socket_.get_executor(), [self = shared_from_this()] { self->write(); });
  }
  void close() override {
    asio::post(socket_.get_executor(), [self = shared_from_this()] { self->end(); });
  }

 private:
  void read() {
    socket_.async_read(buffer_, [self = shared_from_this()](error_code error, std::size_t) {
      if (error || !self->user_) return self->end();
      const auto data = self->buffer_.data();
      self->user_->receive({static_cast<const char*>(data.data()), data.size()},
                           self->socket_.got_text());
      self->buffer_.consume(self->buffer_.size());
      self->read();
    });
  }

  void write() {
    if (!is_open_ || sending_ || !user_) return;
    auto message = user_->next();
    if (!message) return;
    sending_ = std::move(message->data);
    socket_.binary(message->is_binary);
    socket_.async_write(asio::buffer(*sending_),
                        [self = shared_from_this()](error_code error, std::size_t) {
                          self->sending_ = nullptr;
                          if (error) return self->end();
                          self->write();
                        });
  }

  void end() {
    user_.reset();
    is_open_ = false;
    close_now(socket_.next_layer().tcp());
  }

  // Compressing pictures again, or many small states, would cost more than it saves.
  websocket::stream<WebStream, false> socket_;
  const Counted counted_;
  std::unique_ptr<ChannelUser> user_;
  beast::flat_buffer buffer_;
  SharedText sending_;  // null: nothing is being sent
  bool is_open_ = false;
};

/// A stream of server-sent events.
class EventConnection final : public Channel, public std::enable_shared_from_this<EventConnection> {
 public:
  EventConnection(WebStream stream, Counted counted)
      : stream_(std::move(stream)), counted_(std::move(counted)), ping_(stream_.get_executor()) {}

  void start(WebServer::Parts& server, const WebRequest& request) {
    user_ = server.site()->open(request, *this);
    read();  // before anything is sent: the time limit of a write would hold for this read, too
    send(std::make_shared<const std::string>(
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-store\r\n"
        "Connection: close\r\n\r\n"));
    keep_alive();
  }

  void wake() override {
    asio::post(stream_.get_executor(), [self = shared_from_this()] { self->write(); });
  }
  void close() override {
    asio::post(stream_.get_executor(), [self = shared_from_this()] { self->end(); });
  }

 private:
  void write() {
    if (sending_ || !user_) return;
    if (auto message = user_->next()) send(std::move(message->data));
  }

  void send(SharedText text) {
    sending_ = std::move(text);
    stream_.tcp().expires_after(write_limit);
    asio::async_write(stream_, asio::buffer(*sending_),
                      [self = shared_from_this()](error_code error, std::size_t) {
                        self->sending_ = nullptr;
                        self->stream_.tcp().expires_never();
                        if (error) return self->end();
                        self->write();
                      });
  }

  /// Finds out that the client is gone; it has nothing to say.
  void read() {
    stream_.async_read_some(asio::buffer(ignored_),
                            [self = shared_from_this()](error_code, std::size_t) { self->end(); });
  }

  /// Sends a comment now and then, so that nothing between takes the connection for dead.
  void keep_alive() {
    ping_.expires_after(ping_interval);
    ping_.async_wait([self = shared_from_this()](error_code error) {
      if (error || !self->user_) return;
      if (!self->sending_) self->send(std::make_shared<const std::string>(":\n\n"));
      self->keep_alive();
    });
  }

  void end() {
    user_.reset();
    ping_.cancel();
    close_now(stream_.tcp());
  }

  WebStream stream_;
  const Counted counted_;
  asio::steady_timer ping_;
  std::unique_ptr<ChannelUser> user_;
  std::array<char, 64> ignored_ = {};
  SharedText sending_;  // null: nothing is being sent
};

/// A connection that speaks HTTP, until it becomes one of those above.
class HttpConnection final : public WebServer::Parts::IdleConnection,
                             public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(WebStream stream, std::shared_ptr<WebServer::Parts> server)
      : stream_(std::move(stream)),
        server_(std::move(server)),
        counted_{server_->count(), nullptr} {
    address_ = address_of(stream_.tcp().socket());
  }
  ~HttpConnection() override { server_->note_busy(this); }
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void start() {
    if (!stream_.has_tls()) return read();
    server_->note_idle(shared_from_this());
    stream_.tcp().expires_after(handshake_limit);
    stream_.handshake([self = shared_from_this()](error_code error) {
      if (!error) return self->read();
      self->note_refusal("no TLS handshake");
    });
  }

  void close_idle() override { close_now(stream_.tcp()); }

 private:
  using Parser = http::request_parser<http::string_body>;
  using TextBody = http::span_body<const char>;  // refers to a text that others may share

  void read() {
    // Browsers keep connections for later requests: one that waits for its next request can be
    // closed for another client, like one that waits for its first.
    server_->note_idle(shared_from_this());
    counted_.guest.reset();
    standing_ = Standing::stranger;
    parser_.emplace();
    parser_->header_limit(most_header_bytes);
    // The site's limit is known once the headers are. Without a limit, version 1.74 refuses all.
    parser_->body_limit(std::numeric_limits<std::uint64_t>::max());
    stream_.tcp().expires_after(request_limit);
    http::async_read_header(stream_, buffer_, *parser_,
                            [self = shared_from_this()](error_code error, std::size_t) {
                              if (error) return self->fail(error);
                              self->read_body();
                            });
  }

  void read_body() {
    if (server_->site() == nullptr) return;
    request_ = web_request(parser_->get(), address_);
    const std::size_t most = server_->site()->most_body_bytes(request_);
    const auto length = parser_->content_length();
    if (length && *length > most) return refuse(413, "the body is too large");
    parser_->body_limit(most);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](error_code error, std::size_t) {
                       if (error) return self->fail(error);
                       self->take();
                     });
  }

  void take() {
    WebSite* const site = server_->site();
    if (site == nullptr) return;
    stream_.tcp().expires_never();  // the site has limits of its own
    request_.is_upgrade = websocket::is_upgrade(parser_->get());
    standing_ = site->standing_of(request_);
    if (standing_ == Standing::guest) {
      counted_.guest = server_->hold(address_);
      if (!counted_.guest) {
        standing_ = Standing::stranger;
        return refuse(429, "there are too many connections");
      }
    }
    if (standing_ != Standing::stranger) server_->note_busy(this);
    if (request_.is_upgrade || site->is_stream(request_)) return open_channel(*site);
    const bool keep_alive = parser_->get().keep_alive();
    request_.body = std::move(parser_->get().body());
    site->answer(request_, [self = shared_from_this(), keep_alive](WebResponse response) {
      asio::post(self->stream_.get_executor(),
                 [self, keep_alive, response = std::move(response)]() mutable {
                   self->reply(std::move(response), keep_alive);
                 });
    });
  }

  void open_channel(WebSite& site) {
    if (auto refusal = site.channel_refusal_of(request_)) return reply(std::move(*refusal), false);
    server_->note_busy(this);
    if (request_.is_upgrade) {
      auto socket = std::make_shared<SocketConnection>(std::move(stream_), counted_);
      return socket->start(*server_, request_, parser_->get());
    }
    auto events = std::make_shared<EventConnection>(std::move(stream_), counted_);
    events->start(*server_, request_);
  }

  void note_refusal(const std::string& why) {
    if (WebSite* const site = server_->site()) site->note_refusal(address_, why);
  }

  void refuse(unsigned status, const std::string& why) {
    note_refusal(why);
    reply(error_response(status, why), false);
  }

  void reply(WebResponse response, bool keep_alive) {
    sent_ = std::move(response);
    if (!sent_.file.empty()) return reply_with_file(keep_alive);
    const std::string_view text = sent_.body ? std::string_view(*sent_.body) : "";
    reply_with_text(text, text.size(), keep_alive);
  }

  /// Sends a response whose body has so many bytes: the text, unless the client wants headers
  /// alone.
  void reply_with_text(std::string_view text, std::uint64_t body_bytes, bool keep_alive) {
    auto& head =
        text_response_.emplace(head_of<TextBody>(sent_, parser_->get().version(), keep_alive));
    if (!wants_headers_alone()) head.body() = {text.data(), text.size()};
    head.content_length(body_bytes);
    write(head, body_bytes, keep_alive);
  }

  [[nodiscard]] bool wants_headers_alone() const {
    return parser_->get().method() == http::verb::head;
  }

  /// Reads the file in small blocks as the client takes it.
  void reply_with_file(bool keep_alive) {
    auto& head = file_response_.emplace(
        head_of<http::file_body>(sent_, parser_->get().version(), keep_alive));
    beast::file_posix file;
    file.native_handle(sent_.file.release());
    error_code error;
    head.body().reset(std::move(file), error);
    if (error) return reply(error_response(503, "the file cannot be read"), false);
    const std::uint64_t size = head.body().size();
    if (wants_headers_alone()) return reply_with_text("", size, keep_alive);
    head.content_length(size);
    write(head, size, keep_alive);
  }

  template <typename Response>
  void write(Response& response, std::uint64_t body_bytes, bool keep_alive) {
    const std::chrono::seconds length(body_bytes / least_bytes_per_s);
    stream_.tcp().expires_after(standing_ == Standing::stranger ? stranger_write_limit
                                                                : write_limit + length);
    http::async_write(stream_, response,
                      [self = shared_from_this(), keep_alive](error_code error, std::size_t) {
                        self->text_response_.reset();
                        self->file_response_.reset();
                        self->sent_ = {};
                        if (error) return close_now(self->stream_.tcp());
                        if (!keep_alive) return self->linger();
                        self->read();
                      });
  }

  /// Ends the connection once the client has read the response. Closed at once, with a part of the
  /// request unread, it would be reset, and the client might lose the response.
  void linger() {
    error_code ignored;
    stream_.tcp().socket().shutdown(Tcp::socket::shutdown_send, ignored);
    stream_.tcp().expires_after(linger_limit);
    left_to_ignore_ = most_ignored_bytes;
    counted_.guest.reset();
    server_->note_idle(shared_from_this());
    ignore_rest();
  }

  void ignore_rest() {
    stream_.tcp().async_read_some(asio::buffer(ignored_),
                                  [self = shared_from_this()](error_code error, std::size_t bytes) {
                                    self->left_to_ignore_ -= std::min(bytes, self->left_to_ignore_);
                                    if (error || self->left_to_ignore_ == 0)
                                      return close_now(self->stream_.tcp());
                                    self->ignore_rest();
                                  });
  }

  void fail(error_code error) {
    if (error == http::error::body_limit || error == http::error::header_limit)
      return refuse(413, "the request is too large");
    // What is malformed gets an answer; what was closed or took too long does not.
    const bool is_malformed =
        error.category() == http::make_error_code(http::error::bad_method).category() &&
        error != http::error::end_of_stream && error != http::error::partial_message;
    if (is_malformed) return refuse(400, "malformed HTTP");
    if (error == beast::error::timeout && parser_->got_some()) note_refusal("it took too long");
    close_now(stream_.tcp());
  }

  WebStream stream_;
  const std::shared_ptr<WebServer::Parts> server_;
  Counted counted_;
  std::string address_;
  beast::flat_buffer buffer_;
  std::optional<Parser> parser_;
  WebRequest request_;
  Standing standing_ = Standing::stranger;  // of whoever sent the request
  WebResponse sent_;                        // the body of text_response_
  std::optional<http::response<TextBody>> text_response_;
  std::optional<http::response<http::file_body>> file_response_;
  std::array<char, 4096> ignored_ = {};
  std::size_t left_to_ignore_ = 0;
};

}  // namespace

void WebServer::Parts::accept() {
  acceptor_.async_accept([self = shared_from_this()](error_code error, Tcp::socket socket) {
    if (!self->acceptor_.is_open()) return;
    if (!error) {
      self->serve(std::move(socket));
      return self->accept();
    }
    // Descriptors are short, or the peer has gone already.
    self->pause_.expires_after(accept_pause);
    self->pause_.async_wait([self](error_code stopped) {
      if (!stopped) self->accept();
    });
  });
}

void WebServer::Parts::serve(Tcp::socket socket) {
  error_code ignored;
  if (connections_ >= most_connections && !close_oldest_idle()) {
    if (site_ != nullptr)
      site_->note_refusal(address_of(socket), "the console has 200 connections");
    static constexpr std::string_view full =
        "HTTP/1.1 503 Service Unavailable\r\nContent-Type: application/json\r\n"
        "Content-Length: 46\r\nConnection: close\r\n\r\n"
        "{\"error\": \"the console has 200 connections\"}\r\n";
    socket.non_blocking(true, ignored);
    socket.send(asio::buffer(full), 0, ignored);
    return;
  }
  socket.set_option(Tcp::no_delay(true), ignored);
  beast::tcp_stream stream(std::move(socket));
  WebStream secured = tls_ ? WebStream(std::move(stream), *tls_) : WebStream(std::move(stream));
  std::make_shared<HttpConnection>(std::move(secured), shared_from_this())->start();
}

WebServer::WebServer(asio::io_context& io, UniqueFd listening, const std::optional<TlsFiles>& tls,
                     WebSite& site)
    : parts_(std::make_shared<Parts>(io, std::move(listening), tls, site)) {
  parts_->accept();
}

// NOLINTNEXTLINE(bugprone-exception-escape): closing sockets and timers throws nothing.
WebServer::~WebServer() { parts_->end(); }

}  // namespace tilewall::console
