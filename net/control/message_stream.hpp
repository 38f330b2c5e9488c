// Control messages over one TCP connection: a length-prefixed text (JSON) and an optional binary
// blob.
//
// Wire, little endian: u32 magic 'TWCM', u32 text_bytes, u32 blob_bytes, text, blob. The socket is
// non-blocking: its owner polls fd() and calls the two *_some functions.
// Threads: one for queue() and write_some(), one for read_some(); no internal locking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <utility>
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

/// Limits on messages from a peer that has not proved the key yet.
inline constexpr MessageLimits unauthenticated_limits{4096, 0};

/// How much memory the unfinished messages of several streams may take together. Threads: one
/// owner, who reads from all of these streams.
class ReceiveBudget {
 public:
  explicit ReceiveBudget(std::size_t limit_bytes) noexcept : limit_bytes_(limit_bytes) {}
  [[nodiscard]] std::size_t used_bytes() const noexcept { return used_bytes_; }

  /// What one stream has taken. It is given back when the share ends.
  class Share {
   public:
    /// Without a budget a share has no limit. The budget outlives the share.
    explicit Share(ReceiveBudget* budget = nullptr) noexcept : budget_(budget) {}
    Share(Share&& other) noexcept
        : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Share& operator=(Share&& other) noexcept {
      std::swap(budget_, other.budget_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Share() { resize(0); }

    /// Whether the budget allows a share of that size.
    [[nodiscard]] bool has_room_for(std::size_t bytes) const noexcept;
    /// Takes more, or gives back. @pre has_room_for(bytes)
    void resize(std::size_t bytes) noexcept;
    [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }

   private:
    ReceiveBudget* budget_;
    std::size_t bytes_ = 0;
  };

 private:
  const std::size_t limit_bytes_;
  std::size_t used_bytes_ = 0;
};

/// `crowded`: the next bytes have no room in the budget for now; they wait in the socket.
enum class StreamStatus { open, closed, malformed, crowded };

class MessageStream {
 public:
  /// Takes a connected TCP socket and makes it non-blocking, without Nagle's delay. `budget` may be
  /// null, and outlives the stream.
  MessageStream(UniqueFd socket, MessageLimits limits, ReceiveBudget* budget = nullptr);

  [[nodiscard]] int fd() const noexcept { return socket_.get(); }

  /// Limits the messages that the peer may send from now on.
  void allow(MessageLimits limits) noexcept { limits_ = limits; }

  /// Appends a message to the send queue. The caller, who knows how much may pile up, bounds it.
  void queue(Message message);
  [[nodiscard]] bool wants_write() const noexcept { return !outgoing_.empty(); }
  [[nodiscard]] std::size_t queued_bytes() const noexcept { return outgoing_bytes_; }
  [[nodiscard]] std::size_t queued_messages() const noexcept { return outgoing_messages_; }

  /// Sends as much as the socket accepts now. `closed` means that the peer is gone.
  StreamStatus write_some();

  /// Gives the socket away, for another protocol that follows the messages. @pre the send queue is
  /// empty, and the peer has sent nothing after the messages received
  [[nodiscard]] UniqueFd release() noexcept { return std::move(socket_); }

  /// Receives what has come, and appends whole messages to `received`. Stops after some MiB, so
  /// that a peer that never stops sending cannot occupy its reader.
  StreamStatus read_some(std::vector<Message>& received);

  /// The same for one message, after which other limits may hold. Appends nothing where none is
  /// whole.
  StreamStatus read_one(std::vector<Message>& received);

  /// Memory that the unfinished message takes.
  [[nodiscard]] std::size_t received_bytes() const noexcept { return share_.bytes(); }

 private:
  struct Outgoing {
    std::vector<std::uint8_t> bytes;
    bool ends_message = true;
  };

  StreamStatus read_up_to(std::size_t most, std::vector<Message>& received);
  StreamStatus parse(std::size_t most, std::vector<Message>& received);
  [[nodiscard]] std::size_t wanted_memory(std::size_t more_bytes) const noexcept;
  void append(std::span<const std::uint8_t> bytes);
  void forget(std::size_t parsed);

  UniqueFd socket_;
  MessageLimits limits_;
  std::deque<Outgoing> outgoing_;  // a large blob stands behind the rest of its message
  std::size_t sent_of_front_ = 0;
  std::size_t outgoing_bytes_ = 0;  // bytes in the send queue
  std::size_t outgoing_messages_ = 0;
  std::vector<std::uint8_t> incoming_;
  std::size_t expected_bytes_ = 0;  // size of the unfinished message; 0 before its header has come
  ReceiveBudget::Share share_;      // incoming_'s memory
};

}  // namespace tilewall::net
