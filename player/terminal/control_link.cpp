#include "player/terminal/control_link.hpp"

#include <chrono>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "net/show_keys.hpp"
#include "net/socket.hpp"
#include "player/scene/messages.hpp"
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

ControlLink::ControlLink(std::string address)
    : address_(std::move(address)), key_(net::key_of(net::Protocol::control)) {
  connect(connect_limit);
}

void ControlLink::connect(std::chrono::milliseconds limit) {
  next_connect_ = std::chrono::steady_clock::now() + connect_pause;
  challenged_ = false;
  UniqueFd socket = net::try_connect_tcp(net::resolve(address_, "control.addr"), limit);
  if (!socket.empty()) stream_.emplace(std::move(socket), net::MessageLimits{});
}

void ControlLink::send(Json request) {
  if (stream_ && challenged_)
    send_now(std::move(request));
  else if (waiting_.size() < most_waiting)
    waiting_.push_back(std::move(request));
}

void ControlLink::send_now(Json request) {
  if (const std::string nonce = std::exchange(tag_nonce_, {}); !nonce.empty()) {
    const std::string text =
        scene::request_text(scene::Challenge{nonce}, request.at("type").get<std::string>());
    request["tag"] = net::to_hex(key_.tag(std::as_bytes(std::span(text))));
  }
  stream_->queue({request.dump(), {}});
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
  for (const net::Message& message : received) {
    Json json = Json::parse(message.text, nullptr, false);
    if (!json.is_object()) {
      status = net::StreamStatus::malformed;
    } else if (!std::exchange(challenged_, true)) {
      tag_nonce_ = json.value("nonce", "");
      for (Json& request : std::exchange(waiting_, {})) send_now(std::move(request));
    } else {
      answers.push_back(std::move(json));
    }
  }
  if (status == net::StreamStatus::open) status = stream_->write_some();
  if (status != net::StreamStatus::open) stream_.reset();
  return answers;
}

}  // namespace tilewall::terminal
