#include "net/control/control_seal.hpp"

#include <cstring>
#include <span>

#include "sync/base/error.hpp"

namespace tilewall::net {

ControlSeal::ControlSeal(SealKind kind, const ControlKeys& keys)
    : outgoing_(kind, keys.outgoing), incoming_(kind, keys.incoming) {}

Message ControlSeal::seal(std::string text) {
  if (outgoing_.kind() == SealKind::checksum) return {std::move(text), {}};
  const auto bytes = std::as_writable_bytes(std::span(text));
  const SealTag tag = outgoing_.seal(++sealed_, {}, bytes, bytes.data());
  return {std::move(text), {tag.begin(), tag.end()}};
}

std::string ControlSeal::open(Message message) {
  if (incoming_.kind() == SealKind::checksum) return std::move(message.text);
  SealTag tag{};
  if (message.blob.size() == tag.size()) std::memcpy(tag.data(), message.blob.data(), tag.size());
  const bool is_next =
      message.blob.size() == tag.size() &&
      incoming_.open(++opened_, {}, std::as_writable_bytes(std::span(message.text)), tag);
  if (!is_next)
    throw InputError({"message"}, "tag", "the peer's next message",
                     message.blob.empty() ? "one without a tag" : "another");
  return std::move(message.text);
}

MessageLimits ControlSeal::limits(std::uint32_t text_bytes) const noexcept {
  const bool has_tag = incoming_.kind() != SealKind::checksum;
  return {text_bytes, has_tag ? static_cast<std::uint32_t>(sizeof(SealTag)) : 0};
}

}  // namespace tilewall::net
