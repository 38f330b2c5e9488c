#include "player/terminal/control_link.hpp"

#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "net/secret_variables.hpp"
#include "net/socket.hpp"
#include "player/scene/messages.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

using Json = nlohmann::json;

constexpr std::chrono::milliseconds connect_limit{500};

}  // namespace

ControlLink::ControlLink(const std::string& address)
    : key_(AuthKey::from_environment(control_secret_variable)) {
  UniqueFd socket = try_connect_tcp(resolve(address, "control.addr"), connect_limit);
  if (!socket.empty()) stream_.emplace(std::move(socket), MessageLimits{});
}

void ControlLink::send(Json request) {
  if (!stream_) return;
  if (challenged_)
    send_now(std::move(request));
  else
    waiting_.push_back(std::move(request));
}

void ControlLink::send_now(Json request) {
  if (const std::string nonce = std::exchange(tag_nonce_, {}); key_ && !nonce.empty()) {
    const std::string text = request_text(Challenge{nonce}, request.at("type").get<std::string>());
    request["tag"] = to_hex(key_->tag(std::as_bytes(std::span(text))));
  }
  stream_->queue({request.dump(), {}});
}

std::vector<Json> ControlLink::step() {
  if (!stream_) return {};
  std::vector<Message> received;
  std::vector<Json> answers;
  StreamStatus status = stream_->read_some(received);
  for (const Message& message : received) {
    Json json = Json::parse(message.text, nullptr, false);
    if (!json.is_object()) {
      status = StreamStatus::malformed;
    } else if (!std::exchange(challenged_, true)) {
      tag_nonce_ = json.value("nonce", "");
      for (Json& request : std::exchange(waiting_, {})) send_now(std::move(request));
    } else {
      answers.push_back(std::move(json));
    }
  }
  if (status == StreamStatus::open) status = stream_->write_some();
  if (status != StreamStatus::open) stream_.reset();
  return answers;
}

}  // namespace tilewall
