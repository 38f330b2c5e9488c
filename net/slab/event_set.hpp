// The descriptors that a network thread waits for, as an epoll set.
//
// Threads: one owner.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <cstdint>
#include <span>

#include "sync/base/handle.hpp"
#include "sync/global_time.hpp"

namespace tilewall::net {

class EventSet {
 public:
  /// Throws JobError where the system refuses a set.
  EventSet();

  /// Adds a descriptor, or changes what it is watched for: EPOLLIN, EPOLLOUT, both, or 0 for
  /// failures alone. Throws JobError where the system refuses that.
  void watch(int fd, std::uint32_t events);
  /// Takes a descriptor out. To be called before it is closed: where a process was forked, closing
  /// alone does not take it out, and the set would tell for ever that it is ready.
  void remove(int fd) noexcept;

  /// Waits until a descriptor is ready or `until` has come, for a second at most. Returns what is
  /// ready, with the descriptor in `data.fd`; valid until the next call. Throws JobError where the
  /// set cannot be waited for.
  [[nodiscard]] std::span<const epoll_event> wait(LocalInstant until);

 private:
  const UniqueFd epoll_;
  std::array<epoll_event, 64> ready_{};
  bool has_fine_wait_ = true;  // whether the kernel has epoll_pwait2()
};

}  // namespace tilewall::net
