#include "player/host/stall_watch.hpp"

#include <algorithm>

namespace tilewall::host {
namespace {

// CPU time within blocked_limit. A decoder that only looks for work uses less.
constexpr std::chrono::milliseconds idle_cpu{100};
// A blocked decoder was ready to run in less than a quarter of the looks within blocked_limit. A
// starved one is ready to run nearly always.
constexpr std::size_t least_running_share = 4;
// Wait for a CPU within blocked_limit. An idle thread waits for one only when it wakes.
constexpr std::chrono::milliseconds idle_wait{150};
// After a longer gap between two looks the watcher was stopped itself.
constexpr std::chrono::seconds longest_look_gap{1};
// After a longer gap the watcher is starved, and so are the processes that it watches.
constexpr std::chrono::milliseconds usual_look_gap{200};

}  // namespace

void StallWatch::started(std::uint64_t progress, TimePoint now) noexcept { begin(progress, now); }

void StallWatch::begin(std::uint64_t progress, TimePoint now) noexcept {
  progress_ = progress;
  looked_at_ = now;
  progress_at_ = watched_;
  looks_.clear();
}

bool StallWatch::hangs(Task task, std::uint64_t progress, TimePoint now,
                       const std::function<ProcessActivity()>& activity) {
  const bool was_away = now - looked_at_ > longest_look_gap;
  watched_ += std::min<std::chrono::nanoseconds>(now - looked_at_, usual_look_gap);
  looked_at_ = now;
  idle_looks_ = task == Task::none ? idle_looks_ + 1 : 0;
  if (idle_looks_ == 1) return false;  // a single look without a task: between two frames
  if (task == Task::none || progress != progress_ || was_away) {
    begin(progress, now);
    return false;
  }
  const Look look{watched_, activity()};
  if (looks_.empty()) cpu_at_progress_ = look.activity.cpu;
  looks_.push_back(look);
  while (looks_.size() > 1 && looks_[1].at <= watched_ - blocked_limit) looks_.pop_front();
  const auto since = watched_ - progress_at_;
  if (since > busy_limit && look.activity.cpu - cpu_at_progress_ > busy_cpu_limit) return true;
  return since > (task == Task::open_file ? open_limit : blocked_limit) && is_blocked();
}

bool StallWatch::is_blocked() const noexcept {
  if (looks_.back().at - looks_.front().at < blocked_limit) return false;
  const ProcessActivity& before = looks_.front().activity;
  const ProcessActivity& now = looks_.back().activity;
  if (now.cpu - before.cpu >= idle_cpu || now.waited - before.waited >= idle_wait) return false;
  if (now.full_waits != before.full_waits) return false;
  const auto running = static_cast<std::size_t>(
      std::ranges::count_if(looks_, [](const Look& look) { return look.activity.runs; }));
  return running * least_running_share < looks_.size();
}

}  // namespace tilewall::host
