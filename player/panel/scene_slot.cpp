#include "player/panel/scene_slot.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "sync/base/check.hpp"

namespace tilewall::panel {

SceneSlot::SceneSlot()
    : live_(std::make_shared<const scene::LiveSteps>()),
      changed_fd_(check_sys(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "eventfd")) {}

void SceneSlot::set(ScenePtr scene, std::int64_t join_tick) {
  {
    const std::scoped_lock lock(mutex_);
    if (scene_ && scene_->version > scene->version) return;
    join_tick_ = join_tick;  // after a new connection the director may name a later tick
    if (scene_ && scene_->version == scene->version) return;
    scene_ = std::move(scene);
  }
  changed_.notify_all();
  wake();
}

void SceneSlot::set_live(const scene::LiveStep& step) {
  {
    const std::scoped_lock lock(mutex_);
    scene::LiveSteps steps = *live_;
    const auto found = std::ranges::find(steps, step.source, &scene::LiveStep::source);
    if (found != steps.end() && found->number >= step.number) return;
    if (found != steps.end()) steps.erase(found);
    steps.insert(steps.begin(), step);
    if (steps.size() > scene::max_regions) steps.pop_back();  // of sources that are long gone
    live_ = std::make_shared<const scene::LiveSteps>(std::move(steps));
  }
  changed_.notify_all();
  wake();
}

LiveStepsPtr SceneSlot::live() const {
  const std::scoped_lock lock(mutex_);
  return live_;
}

void SceneSlot::set_prepared(PreparedPtr prepared) {
  {
    const std::scoped_lock lock(mutex_);
    prepared_ = std::move(prepared);
  }
  changed_.notify_all();
}

PreparedPtr SceneSlot::prepared() const {
  const std::scoped_lock lock(mutex_);
  return prepared_;
}

bool SceneSlot::has_newer(std::uint64_t version, const LiveStepsPtr& live) const {
  const std::scoped_lock lock(mutex_);
  return is_newer(version, live);
}

ScenePtr SceneSlot::get() const {
  const std::scoped_lock lock(mutex_);
  return scene_;
}

std::int64_t SceneSlot::join_tick(std::uint64_t epoch) const {
  const std::scoped_lock lock(mutex_);
  return scene_ && scene_->epoch == epoch ? join_tick_ : 0;
}

void SceneSlot::wait_news_until(std::uint64_t version, const LiveStepsPtr& live,
                                const PreparedPtr& prepared, LocalInstant end,
                                const std::stop_token& stop) const {
  const std::chrono::steady_clock::time_point until(end.since_epoch);
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, stop, until,
                      [&] { return is_newer(version, live) || prepared_ != prepared; });
}

void SceneSlot::drain() const noexcept {
  std::uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = ::read(changed_fd_.get(), &count, sizeof count);
}

void SceneSlot::wake() const noexcept {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t put = ::write(changed_fd_.get(), &one, sizeof one);
}

}  // namespace tilewall::panel
