// Seals the messages of a session's control connection after its handshake. Each message carries
// the tag of its text, as a packet does, under a key of its direction and a sequence number that
// counts the direction's messages from 1. A message that was changed, repeated, left out, swapped
// or sent back to its sender fails this check, and so do all messages after it.
//
// The message's text holds the sealed text, its blob the tag. Without a key, texts are plain and
// blobs empty.
//
// Threads: one owner.
#pragma once

#include <cstdint>
#include <string>

#include "net/control/message_stream.hpp"
#include "net/seal/packet_seal.hpp"

namespace tilewall::net {

/// The keys of one side.
struct ControlKeys {
  SessionKey outgoing{};  ///< seals this side's messages
  SessionKey incoming{};  ///< opens the peer's messages
};

class ControlSeal {
 public:
  /// `kind` is the session's. Throws as PacketSeal does.
  ControlSeal(SealKind kind, const ControlKeys& keys);

  /// Seals the next message to the peer. Messages must be sent in the order of these calls.
  [[nodiscard]] Message seal(std::string text);

  /// Returns the text of the peer's next message. Throws InputError if the tag shows that it is not
  /// that message.
  [[nodiscard]] std::string open(Message message);

  /// Limits for the peer's messages: texts of at most `text_bytes`, and room for a tag if needed.
  [[nodiscard]] MessageLimits limits(std::uint32_t text_bytes) const noexcept;

 private:
  PacketSeal outgoing_;
  PacketSeal incoming_;
  std::uint64_t sealed_ = 0;  // messages so far
  std::uint64_t opened_ = 0;  // messages so far
};

}  // namespace tilewall::net
