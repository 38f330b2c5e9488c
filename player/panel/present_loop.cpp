#include "player/panel/present_loop.hpp"

#include <algorithm>

#include "sync/pacing/wait.hpp"

namespace tilewall {
namespace {

constexpr std::chrono::milliseconds idle_wait{10};  // between looks at keys while nothing is due

const Timeline& timeline_of(const Scene& scene) { return scene.regions.front().timeline; }

}  // namespace

PresentLoop::PresentLoop(const PanelConfig& config, const GlobalClock& clock, SceneSlot& scenes,
                         PictureRing& ring, ReleaseGate& gate, ShownLog& log, Presenter& presenter,
                         Callbacks callbacks)
    : config_(config),
      clock_(clock),
      scenes_(scenes),
      ring_(ring),
      gate_(gate),
      log_(log),
      presenter_(presenter),
      callbacks_(std::move(callbacks)),
      snapshots_left_(config.snapshot_frames) {
  std::sort(snapshots_left_.begin(), snapshots_left_.end());
}

void PresentLoop::step() {
  for (const WallKey key : presenter_.poll_keys()) callbacks_.key(key);
  const auto picture = ring_.front(idle_wait);
  const ScenePtr scene = scenes_.get();
  if (!picture || !scene) return;
  if (discard(*picture, *scene)) {
    ring_.pop_front();
    prepared_.reset();
    return;
  }
  prepare(*picture, *scene);
  const auto due = due_of(*picture, *scene);
  if (!due || *due >= never) {
    wait_until(local_now() + idle_wait, {.wake_fd = scenes_.changed_fd()});
    return scenes_.drain();
  }
  const LocalInstant due_local = clock_.mapping().to_local(*due);
  const LocalInstant turn_end = local_now() + idle_wait;
  if (due_local - Nanos(config_.spin_ns) > turn_end) {
    wait_until(turn_end, {.wake_fd = scenes_.changed_fd()});
    return scenes_.drain();
  }
  wait_until(due_local, {.spin = Nanos(config_.spin_ns)});
  show(*picture);
}

bool PresentLoop::discard(const DecodedPicture& picture, const Scene& scene) {
  if (picture.schedule < scene.schedule) {
    // Pictures of the scene before go on being shown until the new one starts.
    if (!shown_scene_ || shown_scene_->schedule != picture.schedule) return true;
    const auto due = due_of(picture, *shown_scene_);
    return !due || *due >= timeline_of(scene).start;
  }
  if (config_.late != LatePolicy::drop) return false;
  const auto following = ring_.second();
  if (!following || following->schedule != picture.schedule) return false;
  const auto due = due_of(*following, scene);
  return due && *due <= clock_.mapping().to_global(local_now());
}

std::optional<GlobalInstant> PresentLoop::due_of(const DecodedPicture& picture, const Scene& scene) {
  const bool newest = picture.schedule == scene.schedule;
  const Timeline& timeline = timeline_of(newest || !shown_scene_ ? scene : *shown_scene_);
  const GlobalInstant due = timeline.due(picture.tick);
  if (config_.late != LatePolicy::slow || timeline.paused()) return due;
  const auto delay = gate_.delay_of(picture.schedule, picture.tick);
  return delay ? std::optional(due + *delay) : std::nullopt;
}

void PresentLoop::prepare(const DecodedPicture& picture, const Scene& scene) {
  const bool same = prepared_ && prepared_->schedule == picture.schedule &&
                    prepared_->tick == picture.tick && prepared_->buffer == picture.buffer;
  if (!same) {
    presenter_.prepare(ring_.image(picture.buffer));
    prepared_ = picture;
  }
  if (picture.schedule == scene.schedule && primed_version_ != scene.version) {
    primed_version_ = scene.version;
    callbacks_.primed(scene.version);
  }
  if (picture.schedule == scene.schedule) shown_scene_ = scenes_.get();
}

void PresentLoop::show(const DecodedPicture& picture) {
  const LocalInstant swapped = presenter_.swap();
  const GlobalInstant stamp = clock_.mapping().to_global(swapped);
  log_.add(picture.schedule, {picture.tick, picture.frame, stamp.since_epoch.count(), picture.hash});
  take_snapshots(picture);
  ring_.pop_front();
  prepared_.reset();
}

void PresentLoop::take_snapshots(const DecodedPicture& picture) {
  // A skipped frame is answered with the one shown in its place.
  while (!snapshots_left_.empty() && snapshots_left_.front() <= picture.frame) {
    const ImageView image = ring_.image(picture.buffer);
    const std::size_t bytes = image.stride_bytes * static_cast<std::size_t>(image.size_px.height);
    callbacks_.snapshot({snapshots_left_.front(), picture.frame, image.size_px,
                         {image.pixels, image.pixels + bytes}});
    snapshots_left_.erase(snapshots_left_.begin());
  }
}

}  // namespace tilewall
