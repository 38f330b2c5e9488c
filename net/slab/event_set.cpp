#include "net/slab/event_set.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <ctime>

#include "sync/base/check.hpp"

namespace tilewall::net {

EventSet::EventSet() : epoll_(check_sys(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")) {}

void EventSet::watch(int fd, std::uint32_t events) {
  epoll_event event = {};
  event.events = events;
  event.data.fd = fd;
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) == 0) return;
  check_sys(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event), "epoll_ctl");
}

void EventSet::remove(int fd) noexcept { ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr); }

// Pacing needs times below a millisecond, which epoll_wait() does not have. It is for kernels
// before 5.11, and for containers whose filter of system calls does not know epoll_pwait2().
std::span<const epoll_event> EventSet::wait(LocalInstant until) {
  const Nanos left = std::clamp<Nanos>(until - local_now(), Nanos{0}, std::chrono::seconds(1));
  const int most = static_cast<int>(ready_.size());
  int count = -1;
  if (has_fine_wait_) {
    const timespec wait = {std::chrono::floor<std::chrono::seconds>(left).count(),
                           (left % std::chrono::seconds(1)).count()};
    count = ::epoll_pwait2(epoll_.get(), ready_.data(), most, &wait, nullptr);
    if (count < 0 && (errno == ENOSYS || errno == EPERM)) has_fine_wait_ = false;
  }
  if (!has_fine_wait_) {
    const auto wait_ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    count = ::epoll_wait(epoll_.get(), ready_.data(), most, static_cast<int>(wait_ms));
  }
  if (count < 0 && errno == EINTR) return {};
  return {ready_.data(), static_cast<std::size_t>(check_sys(count, "epoll_wait"))};
}

}  // namespace tilewall::net
