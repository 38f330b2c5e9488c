// Seals control messages in both directions after a handshake. Each message carries the tag of its
// text, as a packet does, under a key of its direction and a sequence number that counts the
// direction's messages from 1. A message that was changed, repeated, left out, swapped or sent back
// to its sender fails this check, and so do all messages after it.
//
// The message's text holds the sealed text, its blob ends with the text's tag. A message with a
// blob has the sealed blob and the blob's tag before that. Two bits of the sequence number tell
// what was sealed. They are 0 for the text of a message without a blob, 1 for the text of one with
// a blob, and 2 for a blob. So nobody can take the blob off a message, or give it another. Without
// a key, texts and blobs are plain.
//
// Threads: one for seal(), and one for open().
#pragma once

#include <cstdint>

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
  /// Throws as PacketSeal does.
  ControlSeal(SealKind kind, const ControlKeys& keys);

  /// Seals the next message to the peer. Messages must be sent in the order of these calls. @pre
  /// the blob has less than 2 GiB
  [[nodiscard]] Message seal(Message message);

  /// Returns the peer's next message as it was before it was sealed. Throws InputError if a tag
  /// shows that it is not that message.
  [[nodiscard]] Message open(Message message);

  /// Limits for sealed messages, whose contents have the limits `plain`.
  [[nodiscard]] MessageLimits limits(MessageLimits plain) const noexcept;

 private:
  PacketSeal outgoing_;
  PacketSeal incoming_;
  std::uint64_t sealed_ = 0;  // messages so far
  std::uint64_t opened_ = 0;  // messages so far
};

}  // namespace tilewall::net
