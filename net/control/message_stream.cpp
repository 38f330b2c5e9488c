#include "net/control/message_stream.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
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

void set_non_blocking(int fd) {
  const int flags = check_sys(::fcntl(fd, F_GETFL), "fcntl(F_GETFL)");
  check_sys(::fcntl(fd, F_SETFL, flags | O_NONBLOCK), "fcntl(F_SETFL)");
}

}  // namespace

MessageStream::MessageStream(UniqueFd socket, MessageLimits limits)
    : socket_(std::move(socket)), limits_(limits) {
  set_non_blocking(socket_.get());
  const int on = 1;
  ::setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

void MessageStream::queue(Message message) {
  const MessageHeader header{message_magic, static_cast<std::uint32_t>(message.text.size()),
                             static_cast<std::uint32_t>(message.blob.size())};
  outgoing_bytes_ += sizeof header + message.text.size() + message.blob.size();
  std::vector<std::uint8_t> head(sizeof header + message.text.size());
  std::memcpy(head.data(), &header, sizeof header);
  std::memcpy(head.data() + sizeof header, message.text.data(), message.text.size());
  outgoing_.push_back(std::move(head));
  if (!message.blob.empty()) outgoing_.push_back(std::move(message.blob));
}

StreamStatus MessageStream::write_some() {
  while (!outgoing_.empty()) {
    const std::vector<std::uint8_t>& front = outgoing_.front();
    const ssize_t sent = retry_eintr([&] {
      return ::send(socket_.get(), front.data() + sent_of_front_, front.size() - sent_of_front_,
                    MSG_NOSIGNAL);
    });
    if (sent < 0)
      return errno == EAGAIN || errno == EWOULDBLOCK ? StreamStatus::open : StreamStatus::closed;
    sent_of_front_ += static_cast<std::size_t>(sent);
    outgoing_bytes_ -= static_cast<std::size_t>(sent);
    if (sent_of_front_ < front.size()) return StreamStatus::open;
    outgoing_.pop_front();
    sent_of_front_ = 0;
  }
  return StreamStatus::open;
}

StreamStatus MessageStream::read_some(std::vector<Message>& received) {
  std::uint8_t chunk[receive_chunk_bytes];  // not cleared: most messages are short
  for (std::size_t taken = 0; taken < receive_turn_bytes;) {
    const ssize_t got = retry_eintr([&] { return ::recv(socket_.get(), chunk, sizeof chunk, 0); });
    if (got > 0) {
      taken += static_cast<std::size_t>(got);
      incoming_.insert(incoming_.end(), chunk, chunk + got);
      if (const StreamStatus status = parse(received); status != StreamStatus::open) return status;
      if (static_cast<std::size_t>(got) < sizeof chunk)
        return StreamStatus::open;  // the socket's queue is empty
      continue;
    }
    const bool would_block = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    return would_block ? StreamStatus::open : StreamStatus::closed;
  }
  return StreamStatus::open;
}

StreamStatus MessageStream::parse(std::vector<Message>& received) {
  for (;;) {
    const std::size_t available = incoming_.size() - parsed_;
    MessageHeader header = {};
    if (available < sizeof header) break;
    std::memcpy(&header, incoming_.data() + parsed_, sizeof header);
    if (header.magic != message_magic || header.text_bytes > limits_.text_bytes ||
        header.blob_bytes > limits_.blob_bytes)
      return StreamStatus::malformed;
    const std::size_t whole =
        sizeof header + std::size_t{header.text_bytes} + std::size_t{header.blob_bytes};
    if (available < whole) break;
    const std::uint8_t* text = incoming_.data() + parsed_ + sizeof header;
    const std::uint8_t* blob = text + header.text_bytes;
    received.push_back({std::string(text, blob), {blob, blob + header.blob_bytes}});
    parsed_ += whole;
  }
  incoming_.erase(incoming_.begin(), incoming_.begin() + static_cast<std::ptrdiff_t>(parsed_));
  parsed_ = 0;
  return StreamStatus::open;
}

}  // namespace tilewall::net
