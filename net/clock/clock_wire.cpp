#include "net/clock/clock_wire.hpp"

#include <cstring>

namespace tilewall {
namespace {

std::span<const std::byte> signed_part(const ClockMessage& message) noexcept {
  return std::as_bytes(std::span(&message, 1)).first(offsetof(ClockMessage, tag));
}

}  // namespace

ClockDecodeStatus decode(std::span<const std::byte> datagram, ClockMessage& out) noexcept {
  if (datagram.size() != sizeof(ClockMessage)) return ClockDecodeStatus::wrong_length;
  ClockMessage message;
  std::memcpy(&message, datagram.data(), sizeof message);
  if (message.magic != ClockMessage::magic_value) return ClockDecodeStatus::wrong_magic;
  if (message.version != ClockMessage::version_value) return ClockDecodeStatus::wrong_version;
  if (message.length_bytes != sizeof message) return ClockDecodeStatus::wrong_length;
  if (message.kind != ClockMessageKind::request && message.kind != ClockMessageKind::reply)
    return ClockDecodeStatus::wrong_kind;
  out = message;
  return ClockDecodeStatus::ok;
}

void sign(ClockMessage& message, const std::optional<AuthKey>& key) noexcept {
  message.tag = key ? key->tag(signed_part(message)) : AuthTag{};
}

bool is_authentic(const ClockMessage& message, const std::optional<AuthKey>& key) noexcept {
  return key ? key->matches(signed_part(message), message.tag) : message.tag == AuthTag{};
}

}  // namespace tilewall
