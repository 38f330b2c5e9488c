#include "net/clock/clock_conversation.hpp"

#include <sodium.h>

#include "sync/base/check.hpp"

namespace tilewall::net {

ClockConversation::ClockConversation(std::optional<AuthKey> key) : key_(key) {
  TW_CHECK(::sodium_init() >= 0);
  prepare();
}

ClockMessage ClockConversation::ask(LocalInstant now) noexcept {
  ClockMessage request;
  request.sequence = next_sequence_++;
  request.nonce = next_nonce_;
  request.client_sent_ns = now.since_epoch.count();
  Question& question = questions_[request.sequence % questions_.size()];
  if (question.is_open) lost_++;
  question = {request.sequence, request.nonce, now, true};
  sign(request, key_);
  return request;
}

void ClockConversation::prepare() noexcept { ::randombytes_buf(&next_nonce_, sizeof next_nonce_); }

std::optional<ClockReply> ClockConversation::take(std::span<const std::byte> datagram,
                                                  LocalInstant received) noexcept {
  ClockMessage reply;
  if (decode(datagram, reply) != ClockDecodeStatus::ok) return std::nullopt;
  Question& question = questions_[reply.sequence % questions_.size()];
  if (reply.kind != ClockMessageKind::reply || !question.is_open ||
      reply.sequence != question.sequence || reply.nonce != question.nonce ||
      reply.client_sent_ns != question.sent.since_epoch.count() || !is_authentic(reply, key_))
    return std::nullopt;
  const auto word = word_of(reply);
  if (!word) return std::nullopt;
  question.is_open = false;
  return ClockReply{
      {question.sent, {Nanos{reply.daemon_received_ns}}, {Nanos{reply.daemon_sent_ns}}, received},
      *word};
}

void ClockConversation::give_up_old(LocalInstant now) noexcept {
  for (Question& question : questions_) {
    if (!question.is_open || now - question.sent < reply_limit) continue;
    question.is_open = false;
    lost_++;
  }
}

}  // namespace tilewall::net
