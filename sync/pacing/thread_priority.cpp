#include "sync/pacing/thread_priority.hpp"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>

// Address at which the linker put the program's code.
extern "C" const char __executable_start;
extern "C" const char etext;

namespace tilewall::sync {
namespace {

void lock_pages(std::uintptr_t first, std::uintptr_t end) noexcept {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = first / page * page;
  static_cast<void>(::mlock(reinterpret_cast<const void*>(begin), end - begin));
}

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

void use_background_priority() noexcept {
  constexpr int background_nice = 10;
  // On Linux "process" 0 is the calling thread alone.
  static_cast<void>(::setpriority(PRIO_PROCESS, 0, background_nice));
}

void use_finest_timer_slack() noexcept { ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

void keep_code_in_memory() noexcept {
  constexpr std::uintptr_t stack_bytes = 64 * 1024;
  lock_pages(reinterpret_cast<std::uintptr_t>(&__executable_start),
             reinterpret_cast<std::uintptr_t>(&etext));
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  lock_pages(here - stack_bytes, here);
}

}  // namespace tilewall::sync
