// A library to preload: gives a process other clocks than the machine's, with offset and drift, as
// ClockSkew says, so that programs need no hook of their own for it.
//
// Replaced: clock_gettime, clock_nanosleep and condition variables' waits to an instant, and the
// kernel's stamps of received datagrams. Waits for a span of time (poll, epoll) are left: what they
// err by the drift is less than a sleep errs anyway.

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/errqueue.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/emulation/clock_skew.hpp"

namespace {

using tilewall::test::ClockSkew;

constexpr std::int64_t second_ns = 1'000'000'000;

[[noreturn]] void give_up(const char* what) {
  std::fprintf(stderr, "skewed_clock: %s\n", what);
  std::_Exit(127);
}

const ClockSkew* map_skew() {
  const char* const path = std::getenv(tilewall::test::clock_skew_variable);
  const int fd = path == nullptr ? -1 : ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) give_up("TILEWALL_TEST_CLOCK_SKEW: expected a file");
  void* const at = ::mmap(nullptr, sizeof(ClockSkew), PROT_READ, MAP_SHARED, fd, 0);
  ::close(fd);
  if (at == MAP_FAILED) give_up("mmap failed");
  const auto* const skew = static_cast<const ClockSkew*>(at);
  if (skew->magic != ClockSkew::magic_value) give_up("not a file of clock skew");
  return skew;
}

const ClockSkew& skew() {
  static const ClockSkew* const mapped = map_skew();
  return *mapped;
}

/// A reader of foreign files opens none once it is confined, so the file is mapped before main().
[[gnu::constructor]] void map_early() { skew(); }

template <typename Function>
Function next(const char* name) {
  void* const found = ::dlsym(RTLD_NEXT, name);
  if (found == nullptr) give_up(name);
  return reinterpret_cast<Function>(found);
}

std::int64_t to_ns(const timespec& value) { return value.tv_sec * second_ns + value.tv_nsec; }

timespec to_timespec(std::int64_t ns) { return {ns / second_ns, ns % second_ns}; }

bool is_monotonic(clockid_t clock) {
  return clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME;
}

bool is_realtime(clockid_t clock) {
  return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
}

/// An instant of one of the host's clocks as the machine's kernel is to wait for it.
timespec machine_instant(clockid_t clock, const timespec& host) {
  if (is_monotonic(clock)) return to_timespec(skew().machine_monotonic_ns(to_ns(host)));
  if (is_realtime(clock)) return to_timespec(skew().machine_realtime_ns(to_ns(host)));
  return host;
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  static const auto real = next<int (*)(clockid_t, timespec*)>("clock_gettime");
  const int result = real(clock, now);
  if (result != 0) return result;
  if (is_monotonic(clock)) *now = to_timespec(skew().monotonic_ns(to_ns(*now)));
  if (is_realtime(clock)) *now = to_timespec(skew().realtime_ns(to_ns(*now)));
  return result;
}

int clock_nanosleep(clockid_t clock, int flags, const timespec* wait, timespec* left) {
  static const auto real =
      next<int (*)(clockid_t, int, const timespec*, timespec*)>("clock_nanosleep");
  if (flags != TIMER_ABSTIME) return real(clock, flags, wait, left);
  const timespec instant = machine_instant(clock, *wait);
  return real(clock, flags, &instant, left);
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* until) {
  static const auto real =
      next<int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>(
          "pthread_cond_clockwait");
  const timespec instant = machine_instant(clock, *until);
  return real(condition, mutex, clock, &instant);
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                           const timespec* until) {
  static const auto real =
      next<int (*)(pthread_cond_t*, pthread_mutex_t*, const timespec*)>("pthread_cond_timedwait");
  const timespec instant = machine_instant(CLOCK_REALTIME, *until);
  return real(condition, mutex, &instant);
}

ssize_t recvmsg(int socket, msghdr* message, int flags) {
  static const auto real = next<ssize_t (*)(int, msghdr*, int)>("recvmsg");
  const ssize_t got = real(socket, message, flags);
  if (got < 0) return got;
  for (cmsghdr* part = CMSG_FIRSTHDR(message); part != nullptr; part = CMSG_NXTHDR(message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_TIMESTAMPING) continue;
    scm_timestamping stamps = {};
    std::memcpy(&stamps, CMSG_DATA(part), sizeof stamps);
    if (stamps.ts[0].tv_sec == 0) continue;
    const timespec shown =
        to_timespec(skew().realtime_ns(stamps.ts[0].tv_sec * second_ns + stamps.ts[0].tv_nsec));
    stamps.ts[0].tv_sec = shown.tv_sec;
    stamps.ts[0].tv_nsec = shown.tv_nsec;
    std::memcpy(CMSG_DATA(part), &stamps, sizeof stamps);
  }
  return got;
}

}  // extern "C"
