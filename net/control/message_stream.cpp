#include "net/control/message_stream.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <limits>
#include <type_traits>

#include "sync/base/check.hpp"

namespace tilewall::net {
namespace {

struct MessageHeader {       // offset
  std::uint32_t magic;       //  0  'TWCM'
  std::uint32_t text_bytes;  //  4
  std::uint32_t blob_bytes;  //  8
};
static_assert(sizeof(MessageHeader) == 12 && offsetof(MessageHeader, text_bytes) == 4 &&
              offsetof(MessageHeader, blob_bytes) == 8);
static_assert(std::is_trivially_copyable_v<MessageHeader> &&
              std::has_unique_object_representations_v<MessageHeader>);
constexpr std::uint32_t message_magic = 0x4d435754;  // "TWCM" in memory order
constexpr std::size_t receive_chunk_bytes = 64 * 1024;
constexpr std::size_t receive_turn_bytes = 4u << 20;
// Memory that stays with a stream that has nothing to parse.
constexpr std::size_t kept_bytes = 16 * 1024;
// A longer blob is sent by itself, because copying it costs more than another call.
constexpr std::size_t short_blob_bytes = 4096;

void set_non_blocking(int fd) {
  const int flags = check_sys(::fcntl(fd, F_GETFL), "fcntl(F_GETFL)");
  check_sys(::fcntl(fd, F_SETFL, flags | O_NONBLOCK), "fcntl(F_SETFL)");
}

}  // namespace

bool ReceiveBudget::Share::has_room_for(std::size_t bytes) const noexcept {
  return budget_ == nullptr || bytes <= bytes_ ||
         budget_->used_bytes_ - bytes_ + bytes <= budget_->limit_bytes_;
}

void ReceiveBudget::Share::resize(std::size_t bytes) noexcept {
  if (budget_ != nullptr) budget_->used_bytes_ += bytes - bytes_;
  bytes_ = bytes;
}

MessageStream::MessageStream(UniqueFd socket, MessageLimits limits, ReceiveBudget* budget)
    : socket_(std::move(socket)), limits_(limits), share_(budget) {
  set_non_blocking(socket_.get());
  const int on = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void MessageStream::queue(Message message) {
  const MessageHeader header{message_magic, static_cast<std::uint32_t>(message.text.size()),
                             static_cast<std::uint32_t>(message.blob.size())};
  outgoing_bytes_ += sizeof header + message.text.size() + message.blob.size();
  ++outgoing_messages_;
  const bool is_short = message.blob.size() <= short_blob_bytes;
  std::vector<std::uint8_t> head;
  head.reserve(sizeof header + message.text.size() + (is_short ? message.blob.size() : 0));
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&header);
  head.insert(head.end(), bytes, bytes + sizeof header);
  head.insert(head.end(), message.text.begin(), message.text.end());
  if (is_short) head.insert(head.end(), message.blob.begin(), message.blob.end());
  outgoing_.push_back({std::move(head), is_short});
  if (!is_short) outgoing_.push_back({std::move(message.blob), true});
}

StreamStatus MessageStream::write_some() {
  while (!outgoing_.empty()) {
    const std::vector<std::uint8_t>& front = outgoing_.front().bytes;
    const ssize_t sent = retry_eintr([&] {
      return ::send(socket_.get(), front.data() + sent_of_front_, front.size() - sent_of_front_,
                    MSG_NOSIGNAL);
    });
    if (sent < 0)
      return errno == EAGAIN || errno == EWOULDBLOCK ? StreamStatus::open : StreamStatus::closed;
    sent_of_front_ += static_cast<std::size_t>(sent);
    outgoing_bytes_ -= static_cast<std::size_t>(sent);
    if (sent_of_front_ < front.size()) return StreamStatus::open;
    if (outgoing_.front().ends_message) --outgoing_messages_;
    outgoing_.pop_front();
    sent_of_front_ = 0;
  }
  return StreamStatus::open;
}

StreamStatus MessageStream::read_some(std::vector<Message>& received) {
  return read_up_to(std::numeric_limits<std::size_t>::max(), received);
}

StreamStatus MessageStream::read_one(std::vector<Message>& received) {
  return read_up_to(received.size() + 1, received);
}

/// Receives until `received` has `most` messages.
StreamStatus MessageStream::read_up_to(std::size_t most, std::vector<Message>& received) {
  if (const StreamStatus left = parse(most, received); left != StreamStatus::open) return left;
  std::uint8_t chunk[receive_chunk_bytes];  // not cleared: most messages are short
  for (std::size_t taken = 0; taken < receive_turn_bytes && received.size() < most;) {
    if (!share_.has_room_for(wanted_memory(sizeof chunk))) return StreamStatus::crowded;
    const ssize_t got = retry_eintr([&] { return ::recv(socket_.get(), chunk, sizeof chunk, 0); });
    if (got > 0) {
      taken += static_cast<std::size_t>(got);
      append({chunk, static_cast<std::size_t>(got)});
      if (const StreamStatus status = parse(most, received); status != StreamStatus::open)
        return status;
      if (static_cast<std::size_t>(got) < sizeof chunk)
        return StreamStatus::open;  // the socket's queue is empty
      continue;
    }
    const bool would_block = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    return would_block ? StreamStatus::open : StreamStatus::closed;
  }
  return StreamStatus::open;
}

/// The memory of incoming_ once it holds so many bytes more. It grows by halves, so that few bytes
/// of a long message take little and the last ones are not copied often.
std::size_t MessageStream::wanted_memory(std::size_t more_bytes) const noexcept {
  const std::size_t needed = incoming_.size() + more_bytes;
  if (needed <= incoming_.capacity()) return incoming_.capacity();
  const std::size_t grown = incoming_.capacity() + incoming_.capacity() / 2;
  return std::max(needed, std::min(grown, expected_bytes_));
}

void MessageStream::append(std::span<const std::uint8_t> bytes) {
  incoming_.reserve(wanted_memory(bytes.size()));
  incoming_.insert(incoming_.end(), bytes.begin(), bytes.end());
  share_.resize(incoming_.capacity());
}

/// Parses messages until `received` has `most`.
StreamStatus MessageStream::parse(std::size_t most, std::vector<Message>& received) {
  std::size_t parsed = 0;
  while (received.size() < most) {
    const std::size_t available = incoming_.size() - parsed;
    MessageHeader header = {};
    expected_bytes_ = 0;
    if (available < sizeof header) break;
    std::memcpy(&header, incoming_.data() + parsed, sizeof header);
    if (header.magic != message_magic || header.text_bytes > limits_.text_bytes ||
        header.blob_bytes > limits_.blob_bytes) {
      forget(parsed);
      return StreamStatus::malformed;
    }
    expected_bytes_ =
        sizeof header + std::size_t{header.text_bytes} + std::size_t{header.blob_bytes};
    if (available < expected_bytes_) break;
    const std::uint8_t* text = incoming_.data() + parsed + sizeof header;
    const std::uint8_t* blob = text + header.text_bytes;
    received.push_back({std::string(text, blob), {blob, blob + header.blob_bytes}});
    parsed += expected_bytes_;
  }
  forget(parsed);
  return StreamStatus::open;
}

/// Forgets parsed bytes, and gives back memory that a long message took.
void MessageStream::forget(std::size_t parsed) {
  if (parsed == 0) return;
  incoming_.erase(incoming_.begin(), incoming_.begin() + static_cast<std::ptrdiff_t>(parsed));
  if (incoming_.capacity() > kept_bytes && incoming_.size() <= kept_bytes)
    incoming_ = std::vector<std::uint8_t>(incoming_);
  share_.resize(incoming_.capacity());
}

}  // namespace tilewall::net
