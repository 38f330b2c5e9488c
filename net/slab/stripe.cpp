#include "net/slab/stripe.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sync/base/check.hpp"

namespace tilewall::net {
namespace {

constexpr std::size_t turn_bytes = 8u << 20;

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK; }

}  // namespace

bool check_stripe(const StripeHeader& header) noexcept {
  const bool kind = header.kind == PacketKind::request || header.kind == PacketKind::data ||
                    header.kind == PacketKind::cancel;
  const bool inside =
      header.kind != PacketKind::data ||
      (header.slab_bytes <= largest_slab_bytes && header.offset <= header.slab_bytes &&
       header.bytes <= header.slab_bytes - header.offset);
  const bool small = header.kind == PacketKind::data || header.bytes <= largest_request_bytes;
  return header.magic == stripe_magic && kind && inside && small &&
         header.bytes <= largest_chunk_bytes;
}

void StripeWriter::start(StripeHeader header, std::span<const std::byte> payload,
                         std::shared_ptr<const void> owner) {
  header.magic = stripe_magic;
  header.bytes = static_cast<std::uint32_t>(payload.size());
  header.sequence = stripe_sequence(stripe_, ++chunks_);
  std::memcpy(head_, &header, sizeof header);
  if (seal_.kind() == SealKind::encrypted) sealed_.resize(payload.size());
  const SealTag tag = seal_.seal(header.sequence, {head_, sizeof header}, payload, sealed_.data());
  std::memcpy(head_ + sizeof header, tag.data(), tag.size());
  if (seal_.kind() == SealKind::encrypted) payload = sealed_;
  owner_ = std::move(owner);
  left_.assign({std::span<const std::byte>(head_), payload});
}

StripeStatus StripeWriter::write_some() {
  while (!left_.empty()) {
    iovec parts[2];
    for (std::size_t i = 0; i < left_.size(); ++i)
      parts[i] = {const_cast<std::byte*>(left_[i].data()), left_[i].size()};
    msghdr message = {};
    message.msg_iov = parts;
    message.msg_iovlen = left_.size();
    const ssize_t sent =
        retry_eintr([&] { return ::sendmsg(socket_, &message, MSG_NOSIGNAL | MSG_DONTWAIT); });
    if (sent < 0) return would_block() ? StripeStatus::open : StripeStatus::closed;
    auto rest = static_cast<std::size_t>(sent);
    while (!left_.empty() && rest >= left_.front().size()) {
      rest -= left_.front().size();
      left_.erase(left_.begin());
    }
    if (!left_.empty()) left_.front() = left_.front().subspan(rest);
  }
  owner_.reset();
  return StripeStatus::open;
}

void StripeReader::forget(std::uint32_t request) {
  const bool is_coming = head_got_ == stripe_head_bytes && header_.request == request;
  if (!is_coming || place_ == nowhere_.data()) return;
  // The bytes received so far are kept, because the tag covers them.
  nowhere_.assign(place_, place_ + payload_got_);
  nowhere_.resize(header_.bytes);
  place_ = nowhere_.data();
}

StripeStatus StripeReader::begin_chunk(const Handler& handler) {
  StripeHeader header;
  std::memcpy(&header, head_, sizeof header);
  if (!check_stripe(header) || header.sequence != stripe_sequence(stripe_, chunks_ + 1)) {
    head_got_ = 0;  // so that forget() does not look for this chunk
    return StripeStatus::malformed;
  }
  header_ = header;
  ++chunks_;
  place_ = handler.place(header_);
  if (place_ == nullptr) {
    nowhere_.resize(header_.bytes);
    place_ = nowhere_.data();
  }
  payload_got_ = 0;
  return header_.bytes == 0 ? end_chunk(handler) : StripeStatus::open;
}

StripeStatus StripeReader::end_chunk(const Handler& handler) {
  SealTag tag;
  std::memcpy(tag.data(), head_ + sizeof header_, tag.size());
  const std::span<std::byte> payload(place_, header_.bytes);
  if (!seal_.open(header_.sequence, {head_, sizeof header_}, payload, tag))
    return StripeStatus::malformed;
  head_got_ = 0;
  handler.done(header_, payload);
  return StripeStatus::open;
}

StripeStatus StripeReader::read_some(const Handler& handler) {
  for (std::size_t taken = 0; taken < turn_bytes;) {
    const bool in_head = head_got_ < stripe_head_bytes;
    std::byte* const to = in_head ? head_ + head_got_ : place_ + payload_got_;
    const std::size_t room = in_head ? stripe_head_bytes - head_got_ : header_.bytes - payload_got_;
    const ssize_t got = retry_eintr([&] { return ::recv(socket_, to, room, MSG_DONTWAIT); });
    if (got == 0) return StripeStatus::closed;
    if (got < 0) return would_block() ? StripeStatus::open : StripeStatus::closed;
    taken += static_cast<std::size_t>(got);
    (in_head ? head_got_ : payload_got_) += static_cast<std::size_t>(got);
    StripeStatus status = StripeStatus::open;
    if (in_head && head_got_ == stripe_head_bytes)
      status = begin_chunk(handler);
    else if (!in_head && payload_got_ == header_.bytes)
      status = end_chunk(handler);
    if (status != StripeStatus::open) return status;
  }
  return StripeStatus::open;
}

}  // namespace tilewall::net
