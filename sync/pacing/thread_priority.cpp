#include "sync/pacing/thread_priority.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

// Address at which the linker put the program's code.
extern "C" const char __executable_start;  // NOLINT(bugprone-reserved-identifier): the linker's
extern "C" const char etext;

namespace tilewall::sync {
namespace {

std::uintptr_t number_of(const void* address) noexcept {
  return reinterpret_cast<std::uintptr_t>(address);
}

void lock_pages(const char* first, std::size_t bytes) noexcept {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t before = number_of(first) % page;
  static_cast<void>(::mlock(first - before, before + bytes));
}

/// On Linux "process" 0 is the calling thread alone.
void set_nice(int nice) noexcept { static_cast<void>(::setpriority(PRIO_PROCESS, 0, nice)); }

}  // namespace

bool try_realtime_priority(RealtimeLevel level) noexcept {
  sched_param parameters = {};
  parameters.sched_priority = static_cast<int>(level);
  return ::sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &parameters) == 0;
}

void use_normal_priority() noexcept {
  const sched_param parameters = {};
  // Ordinary users may not clear SCHED_RESET_ON_FORK.
  static_cast<void>(::sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &parameters));
}

const char* how_to_allow_realtime() noexcept {
  return "echo \"$USER - rtprio 41\" | sudo tee /etc/security/limits.d/tilewall.conf   (then log "
         "in "
         "again)";
}

void use_background_priority() noexcept { set_nice(10); }

void use_least_priority() noexcept { set_nice(15); }

void use_finest_timer_slack() noexcept { ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

void keep_code_in_memory() noexcept {
  constexpr std::size_t stack_bytes = 64 * 1024;
  lock_pages(&__executable_start, number_of(&etext) - number_of(&__executable_start));
  lock_pages(static_cast<const char*>(__builtin_frame_address(0)) - stack_bytes, stack_bytes);
}

}  // namespace tilewall::sync
