#include "player/director/control_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "net/socket.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/process.hpp"

namespace tilewall::director {
namespace {

using Replace = nlohmann::json::error_handler_t;  // file names may not be UTF-8

constexpr net::MessageLimits unauthenticated_limits = {.text_bytes = 64u << 10, .blob_bytes = 0};
constexpr std::size_t max_connections = 2048;
// A peer that leaves more than this unread is disconnected.
constexpr std::size_t max_queued_messages = 4096;
constexpr std::size_t max_queued_bytes = 64u << 20;

}  // namespace

ControlServer::ControlServer(UniqueFd listening, net::MessageLimits limits, Handler handler)
    : listening_(std::move(listening)), limits_(limits), handler_(std::move(handler)) {
  const int flags = check_sys(::fcntl(listening_.get(), F_GETFL), "fcntl(F_GETFL)");
  check_sys(::fcntl(listening_.get(), F_SETFL, flags | O_NONBLOCK), "fcntl(F_SETFL)");
}

void ControlServer::poll(std::chrono::milliseconds limit, const std::function<void()>& awake) {
  std::vector<pollfd> waiting = {{pause_.active() ? -1 : listening_.get(), POLLIN, 0}};
  limit = std::min(limit, pause_.longest_wait(limit));
  std::vector<ConnectionId> ids = {0};
  for (const auto& [id, stream] : streams_) {
    const int events = POLLIN | (stream.wants_write() ? POLLOUT : 0);
    waiting.push_back({stream.fd(), static_cast<short>(events), 0});
    ids.push_back(id);
  }
  const int ready = ::poll(waiting.data(), waiting.size(), static_cast<int>(limit.count()));
  if (awake) awake();
  if (ready > 0) {
    for (std::size_t i = 1; i < waiting.size(); ++i)
      if (const auto found = streams_.find(ids[i]);
          waiting[i].revents != 0 && found != streams_.end())
        serve(found->first, found->second);
    if (waiting[0].revents != 0) accept_all();
  }
  for (const ConnectionId id : std::exchange(lost_, {})) drop(id);
}

void ControlServer::accept_all() {
  for (;;) {
    UniqueFd accepted(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (accepted.empty()) return pause_accepting(errno);
    if (streams_.size() >= max_connections) continue;
    const ConnectionId id = next_id_++;
    streams_.emplace(id, net::MessageStream(std::move(accepted), unauthenticated_limits));
    handler_.connected(id);
  }
}

void ControlServer::pause_accepting(int error) {
  const bool pauses = pause_.note_failure(error);
  if (!pauses || !handler_.trouble || std::exchange(pause_told_, true)) return;
  handler_.trouble(
      fmt::format("the director cannot accept further connections: {} ({} open files are allowed: "
                  "ulimit -n)",
                  std::strerror(error), open_files_limit()));
}

void ControlServer::trust(ConnectionId id) {
  if (const auto found = streams_.find(id); found != streams_.end()) found->second.allow(limits_);
}

void ControlServer::serve(ConnectionId id, net::MessageStream& stream) {
  std::vector<net::Message> received;
  net::StreamStatus status = stream.read_some(received);
  try {
    for (net::Message& message : received) {
      if (std::find(lost_.begin(), lost_.end(), id) != lost_.end()) break;
      handler_.message(id, parse_json(message.text), std::move(message.blob));
    }
  } catch (const InputError&) {
    status = net::StreamStatus::malformed;
  }
  if (status == net::StreamStatus::open) status = stream.write_some();
  if (status != net::StreamStatus::open) lost_.push_back(id);
}

void ControlServer::send(ConnectionId to, const nlohmann::json& json) {
  if (streams_.contains(to))
    send_message(to, net::Message{json.dump(-1, ' ', false, Replace::replace), {}});
}

void ControlServer::send_message(ConnectionId to, net::Message message) {
  const auto found = streams_.find(to);
  if (found == streams_.end()) return;
  found->second.queue(std::move(message));
  if (found->second.write_some() != net::StreamStatus::open ||
      found->second.queued_messages() > max_queued_messages ||
      found->second.queued_bytes() > max_queued_bytes)
    lost_.push_back(to);
}

std::size_t ControlServer::unread_bytes(ConnectionId id) const {
  const auto found = streams_.find(id);
  return found == streams_.end() ? 0 : found->second.queued_bytes();
}

std::chrono::nanoseconds ControlServer::round_trip(ConnectionId id) const {
  const auto found = streams_.find(id);
  return found == streams_.end() ? std::chrono::nanoseconds(0)
                                 : net::tcp_round_trip(found->second.fd());
}

std::string ControlServer::peer(ConnectionId id) const {
  const auto found = streams_.find(id);
  const auto address =
      found == streams_.end() ? std::nullopt : net::peer_address(found->second.fd());
  return address ? net::to_string(*address) : "";
}

void ControlServer::drop(ConnectionId id) {
  if (streams_.erase(id) > 0) handler_.closed(id);
}

}  // namespace tilewall::director
