#include "player/panel/scene_slot.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include "sync/base/check.hpp"

namespace tilewall::panel {

SceneSlot::SceneSlot()
    : changed_fd_(check_sys(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC), "eventfd")) {}

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

ScenePtr SceneSlot::get() const {
  const std::scoped_lock lock(mutex_);
  return scene_;
}

std::int64_t SceneSlot::join_tick(std::uint64_t epoch) const {
  const std::scoped_lock lock(mutex_);
  return scene_ && scene_->epoch == epoch ? join_tick_ : 0;
}

ScenePtr SceneSlot::wait_newer(std::uint64_t version, const std::stop_token& stop) const {
  std::unique_lock lock(mutex_);
  const bool newer = changed_.wait(lock, stop, [&] { return scene_ && scene_->version > version; });
  return newer ? scene_ : nullptr;
}

void SceneSlot::wait_newer_until(std::uint64_t version, LocalInstant end,
                                 const std::stop_token& stop) const {
  const std::chrono::steady_clock::time_point until(end.since_epoch);
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, stop, until, [&] { return scene_ && scene_->version > version; });
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
