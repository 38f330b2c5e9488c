// A connection to the control port, or the director's side of one: a MessageStream that first does
// the handshake (control_handshake.hpp) and then seals every message in both directions.
//
// Its users see only their own messages. A connection whose peer has another key, or on whose way a
// byte was changed, ends with trouble(); nothing that came after the fault is received.
// Threads: as MessageStream once is_authenticated() was true, one thread before.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "net/auth_key.hpp"
#include "net/control/control_handshake.hpp"
#include "net/control/control_seal.hpp"
#include "net/control/message_stream.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::net {

class SealedStream {
 public:
  /// The side that connected. `limits` holds for the peer's messages after the handshake.
  [[nodiscard]] static SealedStream client(UniqueFd socket, const AuthKey& key,
                                           MessageLimits limits = {});
  /// The side that listens: sends the challenge with the next write_some(). `seal` is no checksum.
  /// `budget` may be null, and outlives the stream.
  [[nodiscard]] static SealedStream server(UniqueFd socket, const AuthKey& key, SealKind seal,
                                           MessageLimits limits = {},
                                           ReceiveBudget* budget = nullptr);

  [[nodiscard]] int fd() const noexcept { return stream_.fd(); }
  /// Whether the peer has proved the key.
  [[nodiscard]] bool is_authenticated() const noexcept { return seal_.has_value(); }

  /// Limits the messages that an authenticated peer may send from now on.
  void allow(MessageLimits limits) noexcept;

  /// Appends a message to the send queue. Before the end of the handshake messages wait. The
  /// caller, who knows how much may pile up, bounds it.
  void queue(Message message);
  [[nodiscard]] bool wants_write() const noexcept { return stream_.wants_write(); }
  [[nodiscard]] std::size_t queued_bytes() const noexcept {
    return stream_.queued_bytes() + waiting_bytes_;
  }
  [[nodiscard]] std::size_t queued_messages() const noexcept {
    return stream_.queued_messages() + waiting_.size();
  }

  /// As MessageStream's. A handshake is continued by read_some(), and its messages are sent there.
  StreamStatus write_some() { return stream_.write_some(); }
  StreamStatus read_some(std::vector<Message>& received);

  /// Why the connection is malformed, one line; "" where it is not.
  [[nodiscard]] const std::string& trouble() const noexcept { return trouble_; }

  /// Memory that the unfinished message takes.
  [[nodiscard]] std::size_t received_bytes() const noexcept { return stream_.received_bytes(); }

 private:
  SealedStream(UniqueFd socket, const AuthKey& key, ControlSide side, MessageLimits limits,
               ReceiveBudget* budget);
  StreamStatus shake_hands();
  void take_greeting(const std::string& text);
  void begin();
  StreamStatus fail(const std::string& why);

  const ControlSide side_;
  AuthKey key_;
  MessageStream stream_;
  MessageLimits limits_;
  std::optional<ControlChallenge> challenge_;  // empty: the client has not received it yet
  std::optional<ControlHandshake> handshake_;  // empty: the client has not answered yet
  std::optional<ControlSeal> seal_;            // empty: the handshake has not ended
  std::vector<Message> waiting_;               // until then
  std::size_t waiting_bytes_ = 0;
  std::string trouble_;
};

}  // namespace tilewall::net
