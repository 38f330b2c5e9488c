#include "player/terminal/control_link.hpp"

#include <chrono>
#include <nlohmann/json.hpp>
#include <utility>

#include "net/socket.hpp"
#include "sync/base/error.hpp"

namespace tilewall::terminal {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::milliseconds connect_limit{500};
// The supervisor, whose thread this is, holds the port; so a new connection is accepted at once.
constexpr std::chrono::milliseconds connect_again_limit{20};
constexpr std::chrono::milliseconds connect_pause{100};
constexpr std::size_t most_waiting = 64;  // keys that are typed while no director is there

}  // namespace

ControlLink::ControlLink(std::string address, const net::AuthKey& key)
    : address_(std::move(address)), key_(key) {
  connect(connect_limit);
}

void ControlLink::connect(std::chrono::milliseconds limit) {
  next_connect_ = std::chrono::steady_clock::now() + connect_pause;
  UniqueFd socket = net::try_connect_tcp(net::resolve(address_, "control.addr"), limit);
  if (!socket.empty()) stream_.emplace(net::SealedStream::client(std::move(socket), key_));
}

void ControlLink::send(Json request) {
  if (stream_ && stream_->is_authenticated())
    stream_->queue({request.dump(), {}});
  else if (waiting_.size() < most_waiting)
    waiting_.push_back(std::move(request));
}

std::vector<Json> ControlLink::step() {
  if (!stream_ && std::chrono::steady_clock::now() >= next_connect_) {
    connect(connect_again_limit);
    renewed_ = stream_.has_value();
  }
  if (!stream_) return {};
  std::vector<net::Message> received;
  std::vector<Json> answers;
  net::StreamStatus status = stream_->read_some(received);
  if (stream_->is_authenticated())
    for (const Json& request : std::exchange(waiting_, {})) stream_->queue({request.dump(), {}});
  for (const net::Message& message : received) {
    Json json = Json::parse(message.text, nullptr, false);
    if (json.is_object())
      answers.push_back(std::move(json));
    else
      status = net::StreamStatus::malformed;
  }
  if (status == net::StreamStatus::open) status = stream_->write_some();
  if (status != net::StreamStatus::open) stream_.reset();
  return answers;
}

}  // namespace tilewall::terminal
