#include "player/console/wall_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "net/control/sealed_stream.hpp"
#include "net/socket.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/role_log.hpp"

namespace tilewall::console {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using Json = nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds connect_pause{100};
constexpr std::chrono::milliseconds more_pause{20};  // each time that a connection soon fails
constexpr std::chrono::milliseconds longest_connect_pause{1000};
constexpr std::chrono::seconds lasting{5};  // a connection that is good
constexpr std::chrono::milliseconds late_look{500};
constexpr std::uint64_t subscribe_id = 0;  // No other request has this number.
constexpr std::size_t most_waiting = 4096;
// A status of 500 panels has some 500 KB, a picture of a panel at most 1 MiB.
constexpr net::MessageLimits message_limits{16U << 20, 2U << 20};

}  // namespace

/// A connection that the director has not closed.
struct WallLink::Connection {
  Connection(asio::io_context& io, UniqueFd socket, const net::AuthKey& key)
      : stream(net::SealedStream::client(std::move(socket), key, message_limits)),
        descriptor(io, stream.fd()) {}
  ~Connection() { descriptor.release(); }  // the stream closes the socket
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  net::SealedStream stream;
  asio::posix::stream_descriptor descriptor;
  bool is_greeted = false;  // requests may be sent
  bool is_writing = false;
  bool is_refused = false;  // `subscribe`
  const SteadyClock::time_point since = SteadyClock::now();
};

WallLink::WallLink(asio::io_context& io, std::filesystem::path run_dir, Callbacks callbacks,
                   std::chrono::milliseconds subscribe_pause)
    : io_(io),
      place_(std::move(run_dir)),
      callbacks_(std::move(callbacks)),
      subscribe_pause_(subscribe_pause),
      connect_timer_(io),
      late_timer_(io),
      subscribe_timer_(io),
      pause_(connect_pause) {
  begin_connecting();
  give_up_late();
}

WallLink::~WallLink() = default;

void WallLink::ask(Json request, Answer answer, std::chrono::seconds limit) {
  add(std::move(request), std::move(answer), limit, false);
}

void WallLink::ask_this_one(Json request, Answer answer) {
  add(std::move(request), std::move(answer), usual_limit, true);
}

void WallLink::add(Json request, Answer answer, std::chrono::seconds limit, bool is_for_this_one) {
  if (waiting_.size() >= most_waiting)
    return answer({{"type", "away"}, {"error", "too many requests wait for the wall's director"}});
  const std::uint64_t id = ++last_id_;
  request["id"] = id;
  const auto [entry, added] = waiting_.emplace(
      id,
      Waiting{std::move(request), std::move(answer), SteadyClock::now() + limit, is_for_this_one});
  if (connection_ && connection_->is_greeted) send(entry->second.request);
}

void WallLink::connect_later() {
  connect_timer_.expires_after(pause_);
  connect_timer_.async_wait([this](error_code error) {
    if (!error) begin_connecting();
  });
}

void WallLink::begin_connecting() try {
  UniqueFd socket =
      net::begin_connect_tcp(net::resolve(place_.address(), net::control_address_file));
  if (socket.empty()) return connect_later();
  const int fd = socket.release();
  connecting_ = std::make_unique<asio::posix::stream_descriptor>(io_, fd);
  connecting_->async_wait(asio::posix::stream_descriptor::wait_write, [this, fd](error_code error) {
    connecting_->release();
    UniqueFd connected(fd);
    if (error || net::connect_error(fd) != 0) return connect_later();
    finish_connecting(std::move(connected));
  });
} catch (const std::exception& error) {
  if (!std::exchange(has_told_trouble_, true)) log_line("{}", error.what());
  connect_later();
}

void WallLink::finish_connecting(UniqueFd socket) try {
  connection_ = std::make_shared<Connection>(io_, std::move(socket), place_.key());
  wait_for_data();
} catch (const std::exception& error) {
  if (!std::exchange(has_told_trouble_, true)) log_line("{}", error.what());
  connect_later();
}

// A wait may be over, and its handler queued, when the connection is lost by another handler.

void WallLink::wait_for_data() {
  connection_->descriptor.async_wait(
      asio::posix::stream_descriptor::wait_read,
      [this, of = std::weak_ptr<Connection>(connection_)](error_code error) {
        if (!error && !of.expired()) take_data();
      });
}

void WallLink::take_data() {
  std::vector<net::Message> received;
  const net::StreamStatus status = connection_->stream.read_some(received);
  try {
    if (connection_->stream.is_authenticated() && !connection_->is_greeted) greet();
    for (const net::Message& message : received) take(message);
  } catch (const std::exception& error) {  // also where memory is short
    return lose(error.what());
  }
  if (status != net::StreamStatus::open)
    return lose(status == net::StreamStatus::closed ? "the director has gone"
                                                    : connection_->stream.trouble());
  wait_for_data();
}

void WallLink::take(const net::Message& message) {
  const Json json = parse_json(message.text);
  if (!json.is_object()) throw InputError({"director"}, "", "a message", shown_json(json));
  const Json type = json.value("type", Json());
  if (type == "event") return callbacks_.event(json);
  if (type == "picture") return callbacks_.picture(json, message.blob);
  const Json id = json.value("id", Json());
  if (id == subscribe_id) return take_subscription(json);
  const auto found =
      id.is_number_unsigned() ? waiting_.find(id.get<std::uint64_t>()) : waiting_.end();
  if (found == waiting_.end()) return;  // an answer that came too late
  const Answer answer = std::move(found->second.answer);
  waiting_.erase(found);
  answer(json);
}

void WallLink::greet() {
  connection_->is_greeted = true;
  subscribe();
  for (const auto& [id, waiting] : waiting_) send(waiting.request);
  callbacks_.connected();
}

void WallLink::subscribe() { send({{"type", "subscribe"}, {"id", subscribe_id}}); }

/// The director may have too many subscribers now, and fewer later.
void WallLink::take_subscription(const Json& answer) {
  if (answer.value("type", "") == "done") {
    connection_->is_refused = false;
    return;
  }
  if (!std::exchange(connection_->is_refused, true))
    log_line("no events of the wall: {}", answer.value("error", ""));
  subscribe_timer_.expires_after(subscribe_pause_);
  subscribe_timer_.async_wait(
      [this, of = std::weak_ptr<Connection>(connection_)](error_code error) {
        if (!error && !of.expired()) subscribe();
      });
}

void WallLink::send(const Json& request) {
  connection_->stream.queue({json_text(request), {}});
  write();
}

void WallLink::write() {
  if (connection_->is_writing) return;
  // What is wrong with the connection is found when it is read.
  static_cast<void>(connection_->stream.write_some());
  if (!connection_->stream.wants_write()) return;
  connection_->is_writing = true;
  connection_->descriptor.async_wait(
      asio::posix::stream_descriptor::wait_write,
      [this, of = std::weak_ptr<Connection>(connection_)](error_code error) {
        if (error || of.expired()) return;
        connection_->is_writing = false;
        write();
      });
}

void WallLink::lose(const std::string& why) {
  const bool has_lasted = SteadyClock::now() > connection_->since + lasting;
  pause_ = has_lasted ? connect_pause : std::min(pause_ + more_pause, longest_connect_pause);
  if (has_lasted) has_told_trouble_ = false;
  if (!std::exchange(has_told_trouble_, true)) log_line("the wall's control port: {}", why);
  connection_.reset();
  std::vector<Answer> left;
  for (auto entry = waiting_.begin(); entry != waiting_.end();) {
    if (!entry->second.is_for_this_one) {
      ++entry;
      continue;
    }
    left.push_back(std::move(entry->second.answer));
    entry = waiting_.erase(entry);
  }
  callbacks_.away();
  for (const Answer& answer : left) answer({{"type", "away"}, {"error", why}});
  connect_later();
}

/// Answers requests that have waited for too long.
void WallLink::give_up_late() {
  const auto now = SteadyClock::now();
  std::vector<Answer> late;
  for (auto entry = waiting_.begin(); entry != waiting_.end();) {
    if (entry->second.until > now) {
      ++entry;
      continue;
    }
    late.push_back(std::move(entry->second.answer));
    entry = waiting_.erase(entry);
  }
  for (const Answer& answer : late)
    answer({{"type", "away"}, {"error", "the wall's director did not answer in time"}});
  late_timer_.expires_after(late_look);
  late_timer_.async_wait([this](error_code error) {
    if (!error) give_up_late();
  });
}

}  // namespace tilewall::console
