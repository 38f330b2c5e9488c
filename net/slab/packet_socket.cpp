#include "net/slab/packet_socket.hpp"

#include <fcntl.h>
#include <netinet/udp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sync/base/check.hpp"

namespace tilewall::net {
namespace {

constexpr std::size_t largest_datagram_bytes = 65'507;
constexpr std::size_t most_segments = 64;  // the kernel's UDP_MAX_SEGMENTS
constexpr int socket_buffer_bytes = 32 << 20;
constexpr std::uint32_t jumbo_packet_bytes = 8952;  // 9000 less 48 for headers of IPv6 and UDP
constexpr std::uint32_t usual_packet_bytes = 1452;  // 1500 less 48 for headers of IPv6 and UDP

/// Enlarges a buffer beyond the kernel's limit if this process may (CAP_NET_ADMIN), else up to it.
void enlarge(int socket, int forced, int asked) {
  const int bytes = socket_buffer_bytes;
  if (::setsockopt(socket, SOL_SOCKET, forced, &bytes, sizeof bytes) != 0)
    ::setsockopt(socket, SOL_SOCKET, asked, &bytes, sizeof bytes);
}

/// Size of the packets that GRO merged into a datagram of `size` bytes; `size` if there was one.
std::size_t segment_bytes_of(const msghdr& message, std::size_t size) {
  for (cmsghdr* control = CMSG_FIRSTHDR(&message); control != nullptr;
       control = CMSG_NXTHDR(const_cast<msghdr*>(&message), control)) {
    if (control->cmsg_level != SOL_UDP || control->cmsg_type != UDP_GRO) continue;
    int segment = 0;
    std::memcpy(&segment, CMSG_DATA(control), sizeof segment);
    return segment > 0 ? static_cast<std::size_t>(segment) : size;
  }
  return size;
}

}  // namespace

std::uint32_t packet_bytes_to(const SocketAddress& peer) {
  const UniqueFd socket = connect_udp(peer);
  int mtu = 0;
  socklen_t length = sizeof mtu;
  const bool v6 = peer.family() == AF_INET6;
  const int asked =
      ::getsockopt(socket.get(), v6 ? static_cast<int>(IPPROTO_IPV6) : static_cast<int>(IPPROTO_IP),
                   v6 ? IPV6_MTU : IP_MTU, &mtu, &length);
  return asked == 0 && mtu >= 9000 ? jumbo_packet_bytes : usual_packet_bytes;
}

std::size_t prepare_packet_socket(int socket) {
  enlarge(socket, SO_RCVBUFFORCE, SO_RCVBUF);
  enlarge(socket, SO_SNDBUFFORCE, SO_SNDBUF);
  const int on = 1;
  ::setsockopt(socket, SOL_UDP, UDP_GRO, &on, sizeof on);
  const int flags = check_sys(::fcntl(socket, F_GETFL), "fcntl(F_GETFL)");
  check_sys(::fcntl(socket, F_SETFL, flags | O_NONBLOCK), "fcntl(F_SETFL)");
  int bytes = 0;
  socklen_t length = sizeof bytes;
  check_sys(::getsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, &length), "SO_RCVBUF");
  return static_cast<std::size_t>(bytes);
}

std::size_t PacketSender::batch_of(std::size_t packet_bytes) noexcept {
  return std::clamp<std::size_t>(largest_datagram_bytes / packet_bytes, 1, most_segments);
}

bool PacketSender::send_one_by_one(std::span<const OutgoingPacket> batch, const SocketAddress* to) {
  for (std::size_t i = 0; i < batch.size(); ++i)
    if (!send(batch.subspan(i, 1), to)) return i > 0;  // the rest counts as lost
  return true;
}

bool PacketSender::send(std::span<const OutgoingPacket> batch, const SocketAddress* to) {
  iovec parts[2 * most_segments];
  for (std::size_t i = 0; i < batch.size(); ++i) {
    parts[2 * i] = {const_cast<std::byte*>(batch[i].head), packet_head_bytes};
    parts[2 * i + 1] = {const_cast<std::byte*>(batch[i].payload.data()), batch[i].payload.size()};
  }
  if (!segments_ && batch.size() > 1) return send_one_by_one(batch, to);
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(std::uint16_t))] = {};
  msghdr message = {};
  if (to != nullptr) {
    message.msg_name = const_cast<sockaddr*>(to->raw());
    message.msg_namelen = to->length;
  }
  message.msg_iov = parts;
  message.msg_iovlen = 2 * batch.size();
  if (batch.size() > 1) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* const header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_UDP;
    header->cmsg_type = UDP_SEGMENT;
    header->cmsg_len = CMSG_LEN(sizeof(std::uint16_t));
    const auto segment =
        static_cast<std::uint16_t>(packet_head_bytes + batch.front().payload.size());
    std::memcpy(CMSG_DATA(header), &segment, sizeof segment);
  }
  const ssize_t sent = retry_eintr([&] { return ::sendmsg(socket_, &message, MSG_DONTWAIT); });
  if (sent >= 0) return true;
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS) return false;
  if (batch.size() == 1 || (errno != EINVAL && errno != EIO && errno != EMSGSIZE)) return true;
  // EIO: the device cannot segment, for any client. EINVAL and EMSGSIZE concern this client's path,
  // whose MTU is smaller than the packet: single packets pass it as IP fragments.
  segments_ = errno != EIO;
  return send_one_by_one(batch, to);
}

PacketReceiver::PacketReceiver(int socket, std::uint32_t piece_bytes)
    : socket_(socket), piece_bytes_(piece_bytes) {
  const std::size_t most =
      std::min(largest_datagram_bytes / (packet_head_bytes + piece_bytes) + 1, most_segments);
  heads_.resize(most * packet_head_bytes);
  payloads_.resize(most * piece_bytes);
  line_.resize(65'536);
  places_.resize(most);
  packets_.reserve(largest_datagram_bytes / packet_head_bytes);
}

void PacketReceiver::add(std::span<const std::byte> head, std::span<std::byte> payload) {
  PacketHeader header = {};
  if (head.size() == packet_head_bytes) std::memcpy(&header, head.data(), sizeof header);
  const auto parsed = head.size() == packet_head_bytes
                          ? check_packet(header, packet_head_bytes + payload.size())
                          : false;
  if (!parsed) {
    ++malformed_;
    return;
  }
  IncomingPacket packet{header, head.first(sizeof(PacketHeader)), {}, payload};
  std::memcpy(packet.tag.data(), head.data() + sizeof(PacketHeader), packet_tag_bytes);
  packets_.push_back(packet);
}

// For packets of the expected size: the kernel wrote each head and payload to its own place.
void PacketReceiver::parse_together(std::size_t size, std::size_t packet_bytes,
                                    std::span<std::byte* const> at) {
  for (std::size_t i = 0; i * packet_bytes < size; ++i) {
    const std::size_t whole = std::min(packet_bytes, size - i * packet_bytes);
    const std::span<const std::byte> head(heads_.data() + i * packet_head_bytes,
                                          std::min(whole, packet_head_bytes));
    add(head, {at[i], whole - head.size()});
  }
}

// For packets of another size: the kernel scattered their bytes at the wrong boundaries, so they
// are put together in arrival order and cut again at `packet_bytes`.
void PacketReceiver::parse_in_line(std::size_t size, std::size_t packet_bytes,
                                   std::span<std::byte* const> at) {
  std::size_t done = 0;
  for (std::size_t i = 0; i < at.size() && done < size; ++i) {
    const std::size_t head = std::min(packet_head_bytes, size - done);
    std::memcpy(line_.data() + done, heads_.data() + i * packet_head_bytes, head);
    done += head;
    const std::size_t payload = std::min(piece_bytes_, size - done);
    std::memcpy(line_.data() + done, at[i], payload);
    done += payload;
  }
  for (std::size_t begin = 0; begin < size; begin += packet_bytes) {
    const std::size_t whole = std::min(packet_bytes, size - begin);
    const std::size_t head = std::min(whole, packet_head_bytes);
    add({line_.data() + begin, head}, {line_.data() + begin + head, whole - head});
  }
}

std::span<IncomingPacket> PacketReceiver::receive(std::span<std::byte* const> expected,
                                                  SocketAddress* from) {
  packets_.clear();
  iovec parts[2 * most_segments];
  for (std::size_t i = 0; i < places_.size(); ++i) {
    const bool is_expected = i < expected.size() && expected[i] != nullptr;
    places_[i] = is_expected ? expected[i] : payloads_.data() + i * piece_bytes_;
    parts[2 * i] = {heads_.data() + i * packet_head_bytes, packet_head_bytes};
    parts[2 * i + 1] = {places_[i], piece_bytes_};
  }
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  if (from != nullptr) {
    from->length = sizeof from->storage;
    message.msg_name = from->raw();
    message.msg_namelen = from->length;
  }
  message.msg_iov = parts;
  message.msg_iovlen = 2 * places_.size();
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got = retry_eintr([&] { return ::recvmsg(socket_, &message, MSG_DONTWAIT); });
  got_anything_ = got >= 0;
  if (got <= 0) return {};
  if (from != nullptr) from->length = message.msg_namelen;
  const auto size = static_cast<std::size_t>(got);
  const std::size_t packet_bytes = segment_bytes_of(message, size);
  const bool as_expected = packet_bytes >= size || packet_bytes == packet_head_bytes + piece_bytes_;
  const bool truncated = (message.msg_flags & MSG_TRUNC) != 0;
  if (truncated || (!as_expected && packet_bytes <= packet_head_bytes))
    ++malformed_;
  else if (as_expected && packet_bytes <= packet_head_bytes + piece_bytes_)
    parse_together(size, packet_bytes, places_);
  else
    parse_in_line(size, packet_bytes, places_);
  return packets_;
}

}  // namespace tilewall::net
