#include "net/control/sealed_stream.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "sync/base/error.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::net {

SealedStream::SealedStream(UniqueFd socket, const AuthKey& key, ControlSide side,
                           MessageLimits limits, ReceiveBudget* budget)
    : side_(side),
      key_(key),
      stream_(std::move(socket), unauthenticated_limits, budget),
      limits_(limits) {}

SealedStream SealedStream::client(UniqueFd socket, const AuthKey& key, MessageLimits limits) {
  return {std::move(socket), key, ControlSide::client, limits, nullptr};
}

SealedStream SealedStream::server(UniqueFd socket, const AuthKey& key, SealKind seal,
                                  MessageLimits limits, ReceiveBudget* budget) {
  SealedStream stream(std::move(socket), key, ControlSide::server, limits, budget);
  stream.challenge_ = ControlChallenge{random_nonce_hex(), seal};
  stream.stream_.queue({to_json(*stream.challenge_).dump(), {}});
  return stream;
}

void SealedStream::allow(MessageLimits limits) noexcept {
  limits_ = limits;
  if (seal_) stream_.allow(seal_->limits(limits));
}

void SealedStream::queue(Message message) {
  if (seal_) return stream_.queue(seal_->seal(std::move(message)));
  waiting_bytes_ += message.text.size() + message.blob.size();
  waiting_.push_back(std::move(message));
}

StreamStatus SealedStream::read_some(std::vector<Message>& received) {
  if (!trouble_.empty()) return StreamStatus::malformed;
  if (!seal_) {
    const StreamStatus status = shake_hands();
    if (!seal_) return status;
  }
  std::vector<Message> sealed;
  const StreamStatus status = stream_.read_some(sealed);
  try {
    for (Message& message : sealed) received.push_back(seal_->open(std::move(message)));
  } catch (const InputError& error) {
    return fail(error.what());
  }
  if (status == StreamStatus::malformed) return fail("message: expected a control message");
  return status;
}

/// Takes the messages of the handshake that have come, one by one: the next one may be sealed.
StreamStatus SealedStream::shake_hands() {
  for (;;) {
    std::vector<Message> greeting;
    const StreamStatus status = stream_.read_one(greeting);
    if (status == StreamStatus::malformed) return fail("message: expected a control message");
    if (greeting.empty()) return status;
    try {
      take_greeting(greeting.front().text);
    } catch (const InputError& error) {
      return fail(error.what());
    }
    if (stream_.write_some() != StreamStatus::open) return StreamStatus::closed;
    if (seal_) return StreamStatus::open;
  }
}

void SealedStream::take_greeting(const std::string& text) {
  const nlohmann::json message = parse_json(text);
  if (side_ == ControlSide::server) {
    handshake_.emplace(ControlHandshake::from_answer(key_, *challenge_, message));
    stream_.queue({handshake_->welcome().dump(), {}});
    return begin();
  }
  if (handshake_) {
    handshake_->check_welcome(message);
    return begin();
  }
  challenge_ = control_challenge_from_json(message);
  handshake_.emplace(key_, *challenge_, random_nonce_hex());
  stream_.queue({handshake_->answer().dump(), {}});
}

void SealedStream::begin() {
  seal_.emplace(handshake_->seal(side_));
  allow(limits_);
  waiting_bytes_ = 0;
  for (Message& message : std::exchange(waiting_, {})) queue(std::move(message));
}

/// Tells the peer, where it cannot take it for a sealed message, and ends the connection.
StreamStatus SealedStream::fail(const std::string& why) {
  trouble_ = why;
  if (!seal_ && side_ == ControlSide::server) {
    const nlohmann::json refusal = {{"type", "refused"}, {"error", why}};
    stream_.queue({json_text(refusal), {}});
    static_cast<void>(stream_.write_some());
  }
  return StreamStatus::malformed;
}

}  // namespace tilewall::net
