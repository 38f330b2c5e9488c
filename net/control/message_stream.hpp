// Control messages over one TCP connection: a length-prefixed text (JSON) and an optional binary
// blob.
//
// Wire, little endian: u32 magic 'TWCM', u32 text_bytes, u32 blob_bytes, text, blob. The socket is
// non-blocking: its owner polls fd() and calls the two *_some functions.
// Threads: one owner; no internal locking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall::net {

struct Message {
  std::string text;
  std::vector<std::uint8_t> blob;
};

/// The largest parts that a peer may send. A larger part is malformed.
struct MessageLimits {
  std::uint32_t text_bytes = 16u << 20;
  std::uint32_t blob_bytes = 0;
};

enum class StreamStatus { open, closed, malformed };

class MessageStream {
 public:
  /// Takes a connected TCP socket and makes it non-blocking, without Nagle's delay.
  MessageStream(UniqueFd socket, MessageLimits limits);

  [[nodiscard]] int fd() const noexcept { return socket_.get(); }

  /// Limits the messages that the peer may send from now on.
  void allow(MessageLimits limits) noexcept { limits_ = limits; }

  /// Appends a message to the send queue. The caller, who knows how much may pile up, bounds it.
  void queue(Message message);
  [[nodiscard]] bool wants_write() const noexcept { return !outgoing_.empty(); }
  [[nodiscard]] std::size_t queued_bytes() const noexcept { return outgoing_bytes_; }
  [[nodiscard]] std::size_t queued_messages() const noexcept { return outgoing_.size() / 2; }

  /// Sends as much as the socket accepts now. `closed` means that the peer is gone.
  StreamStatus write_some();

  /// Gives the socket away, for another protocol that follows the messages. @pre the send queue is
  /// empty, and the peer has sent nothing after the messages received
  [[nodiscard]] UniqueFd release() noexcept { return std::move(socket_); }

  /// Receives what has come, and appends whole messages to `received`. Stops after some MiB, so
  /// that a peer that never stops sending cannot occupy its reader.
  StreamStatus read_some(std::vector<Message>& received);

 private:
  StreamStatus parse(std::vector<Message>& received);

  UniqueFd socket_;
  MessageLimits limits_;
  std::deque<std::vector<std::uint8_t>> outgoing_;  // header + text, then blob, of each message
  std::size_t sent_of_front_ = 0;
  std::size_t outgoing_bytes_ = 0;  // bytes in the send queue
  std::vector<std::uint8_t> incoming_;
  std::size_t parsed_ = 0;  // bytes at the front of incoming_ that are parsed
};

}  // namespace tilewall::net
