#include <algorithm>

#include "player/bench/wall_parts.hpp"
#include "sync/base/child_process.hpp"
#include "sync/pacing/wait.hpp"

namespace tilewall::bench {
namespace {

constexpr std::chrono::minutes witness_end_limit{30};
constexpr int max_counted = 254;  // what an exit code holds

int count_late(LocalInstant start, int fps, double seconds) {
  const Nanos period(1'000'000'000 / fps);
  int late = 0;
  for (int i = 0; i < static_cast<int>(seconds * fps); ++i) {
    const LocalInstant due = start + period * i;
    static_cast<void>(sync::wait_until(due, Nanos(0)));
    if (local_now() - due > period / 2) ++late;
  }
  return std::min(late, max_counted);
}

}  // namespace

SleepWitness::SleepWitness(std::size_t processes, int fps, double seconds) {
  const LocalInstant start = local_now() + std::chrono::milliseconds(50);
  for (std::size_t i = 0; i < processes; ++i)
    processes_.push_back(
        start_role("tw-witness", {}, [=] { return count_late(start, fps, seconds); }));
}

int SleepWitness::late_instants() {
  int late = 0;
  for (const pid_t process : processes_) late += wait_for(process, witness_end_limit).exit_code;
  processes_.clear();
  return late;
}

}  // namespace tilewall::bench
