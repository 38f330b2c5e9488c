#include "net/control/control_seal.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <span>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::net {
namespace {

// What is sealed, in the highest two bits of its sequence number.
constexpr std::uint64_t lone_text = 0;
constexpr std::uint64_t text_before_blob = std::uint64_t{1} << 62;
constexpr std::uint64_t blob_part = std::uint64_t{2} << 62;

constexpr std::size_t longest_sealed_bytes = std::numeric_limits<std::int32_t>::max();

/// Seals the bytes in place and returns their tag.
SealTag seal_in_place(PacketSeal& seal, std::uint64_t sequence, std::span<std::byte> bytes) {
  TW_CHECK(bytes.size() <= longest_sealed_bytes, "{} bytes", bytes.size());
  return seal.seal(sequence, {}, bytes, bytes.data());
}

/// Takes a tag off the end. @pre the bytes have one
SealTag take_tag(std::vector<std::uint8_t>& bytes) {
  SealTag tag{};
  std::memcpy(tag.data(), bytes.data() + (bytes.size() - tag.size()), tag.size());
  bytes.resize(bytes.size() - tag.size());
  return tag;
}

}  // namespace

ControlSeal::ControlSeal(SealKind kind, const ControlKeys& keys)
    : outgoing_(kind, keys.outgoing), incoming_(kind, keys.incoming) {}

Message ControlSeal::seal(Message message) {
  if (outgoing_.kind() == SealKind::checksum) return message;
  const std::uint64_t number = ++sealed_;
  const bool has_blob = !message.blob.empty();
  const SealTag text = seal_in_place(outgoing_, number | (has_blob ? text_before_blob : lone_text),
                                     std::as_writable_bytes(std::span(message.text)));
  message.blob.reserve(message.blob.size() + 2 * sizeof(SealTag));
  if (has_blob) {
    const SealTag blob = seal_in_place(outgoing_, number | blob_part,
                                       std::as_writable_bytes(std::span(message.blob)));
    message.blob.insert(message.blob.end(), blob.begin(), blob.end());
  }
  message.blob.insert(message.blob.end(), text.begin(), text.end());
  return message;
}

Message ControlSeal::open(Message message) {
  if (incoming_.kind() == SealKind::checksum) return message;
  const std::uint64_t number = ++opened_;
  const bool has_tag = message.blob.size() == sizeof(SealTag);
  const bool has_blob = message.blob.size() > 2 * sizeof(SealTag);
  bool is_next = has_tag || has_blob;
  if (is_next) {
    const SealTag tag = take_tag(message.blob);
    is_next = incoming_.open(number | (has_blob ? text_before_blob : lone_text), {},
                             std::as_writable_bytes(std::span(message.text)), tag);
  }
  if (is_next && has_blob) {
    const SealTag tag = take_tag(message.blob);
    is_next = incoming_.open(number | blob_part, {},
                             std::as_writable_bytes(std::span(message.blob)), tag);
  }
  if (!is_next)
    throw InputError({"message"}, "tag", "the peer's next message",
                     message.blob.empty() && !has_tag ? "one without a tag" : "another");
  return message;
}

MessageLimits ControlSeal::limits(MessageLimits plain) const noexcept {
  if (incoming_.kind() == SealKind::checksum) return plain;
  constexpr std::uint32_t tag_bytes = sizeof(SealTag);
  const std::uint32_t tags = plain.blob_bytes == 0 ? tag_bytes : 2 * tag_bytes;
  return {plain.text_bytes,
          std::min(plain.blob_bytes, std::numeric_limits<std::uint32_t>::max() - tags) + tags};
}

}  // namespace tilewall::net
