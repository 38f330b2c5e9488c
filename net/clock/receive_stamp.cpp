#include "net/clock/receive_stamp.hpp"

#include <linux/errqueue.h>
#include <linux/net_tstamp.h>
#include <sys/socket.h>
#include <time.h>

#include <algorithm>
#include <cstring>

#include "sync/base/check.hpp"

namespace tilewall::net {
namespace {

Nanos to_nanos(const timespec& value) noexcept {
  return std::chrono::seconds{value.tv_sec} + Nanos{value.tv_nsec};
}

Nanos width(const ClockPair& pair) noexcept { return pair.after - pair.before; }

/// Real minus local time lies within [least, most].
Nanos least_difference(const ClockPair& pair) noexcept {
  return pair.realtime - pair.after.since_epoch;
}
Nanos most_difference(const ClockPair& pair) noexcept {
  return pair.realtime - pair.before.since_epoch;
}

std::optional<Nanos> kernel_stamp(msghdr& message) noexcept {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPING) continue;
    scm_timestamping stamps = {};
    if (part->cmsg_len < CMSG_LEN(sizeof stamps)) return std::nullopt;
    std::memcpy(&stamps, CMSG_DATA(part), sizeof stamps);
    const timespec& software = stamps.ts[0];
    if (software.tv_sec != 0) return to_nanos(software);
  }
  return std::nullopt;
}

}  // namespace

ClockPair read_clock_pair() noexcept {
  constexpr int tries = 3;  // one may be interrupted; three hardly
  ClockPair best;
  for (int i = 0; i < tries; ++i) {
    ClockPair pair;
    timespec real = {};
    pair.before = local_now();
    ::clock_gettime(CLOCK_REALTIME, &real);
    pair.after = local_now();
    pair.realtime = to_nanos(real);
    if (i == 0 || width(pair) < width(best)) best = pair;
  }
  return best;
}

std::optional<LocalInstant> to_local(Nanos realtime_stamp, const ClockPair& earlier,
                                     const ClockPair& later) noexcept {
  const Nanos least = std::max(least_difference(earlier), least_difference(later));
  const Nanos most = std::min(most_difference(earlier), most_difference(later));
  if (least > most + Nanos{1}) return std::nullopt;  // each clock's reading is cut to a nanosecond
  const LocalInstant local{realtime_stamp - least};
  if (local < earlier.before || local > later.after) return std::nullopt;
  return local;
}

StampedReceiver::StampedReceiver(int fd) noexcept : fd_(fd), earlier_(read_clock_pair()) {
  const int flags = SOF_TIMESTAMPING_RX_SOFTWARE | SOF_TIMESTAMPING_SOFTWARE;
  ::setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPING, &flags, sizeof flags);
}

std::optional<ReceivedDatagram> StampedReceiver::receive(std::span<std::byte> buffer) noexcept {
  alignas(cmsghdr) char control[256];
  ReceivedDatagram datagram;
  iovec part = {buffer.data(), buffer.size()};
  msghdr message = {};
  message.msg_name = &datagram.from.storage;
  message.msg_namelen = sizeof datagram.from.storage;
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t got =
      retry_eintr([&] { return ::recvmsg(fd_, &message, MSG_DONTWAIT | MSG_TRUNC); });
  if (got < 0) return std::nullopt;
  datagram.size_bytes = static_cast<std::size_t>(got);
  datagram.received = local_now();
  datagram.from.length = message.msg_namelen;
  if (const auto stamp = kernel_stamp(message))
    if (const auto local = to_local(*stamp, earlier_, read_clock_pair()))
      datagram.received = std::min(*local, datagram.received);
  return datagram;
}

}  // namespace tilewall::net
