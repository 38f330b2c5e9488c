// What proves the messages of a session's control connection after its handshake: each carries the
// tag of its text, as a packet does, under a key of its own direction and a number that counts the
// messages from 1. So one that was changed, repeated, left out, mixed up with another or sent back
// to who said it is not the next one, and nothing after it is either.
//
// A message's text is the sealed text, its blob the tag. Without a key there is neither.
//
// One owner.
#pragma once

#include <cstdint>
#include <string>

#include "net/control/message_stream.hpp"
#include "net/slab/packet_seal.hpp"

namespace tilewall {

/// The keys of one side: what it sends with, and what its peer does.
struct ControlKeys {
  SessionKey outgoing{};
  SessionKey incoming{};
};

class ControlSeal {
 public:
  /// `kind`: the session's. Throws as PacketSeal does.
  ControlSeal(SealKind kind, const ControlKeys& keys);

  /// The next message to the peer. They are to be sent in the order in which they were sealed.
  [[nodiscard]] Message seal(std::string text);

  /// The text of the peer's next message. Throws InputError where it is not that.
  [[nodiscard]] std::string open(Message message);

  /// What the peer may send, with texts of so many bytes at most.
  [[nodiscard]] MessageLimits limits(std::uint32_t text_bytes) const noexcept;

 private:
  PacketSeal outgoing_;
  PacketSeal incoming_;
  std::uint64_t sealed_ = 0;  // messages
  std::uint64_t opened_ = 0;
};

}  // namespace tilewall
