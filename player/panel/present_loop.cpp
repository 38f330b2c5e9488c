#include "player/panel/present_loop.hpp"

#include <tuple>
#include <utility>

#include "sync/pacing/wait.hpp"
#include "sync/trace/trace.hpp"

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
      overlay_(config.name, ring.image(0).size_px),
      snapshots_left_(config.snapshot_frames) {}

void PresentLoop::step() {
  for (const OperatorKey key : presenter_.poll_keys()) callbacks_.key(key);
  const auto picture = ring_.front(idle_wait);
  const ScenePtr scene = scenes_.get();
  if (!picture || !scene) return;
  if (discard(*picture, *scene)) {
    trace_instant("dropped frame", {picture->frame, picture->tick});
    overlay_.add_dropped();
    ring_.pop_front();
    prepared_.reset();
    return;
  }
  prepare(*picture, scene);
  const auto due = due_of(*picture, *scene);
  if (!due || *due >= never) return pause(local_now() + idle_wait);
  const LocalInstant due_local = clock_.mapping().to_local(*due);
  const LocalInstant turn_end = local_now() + idle_wait;
  const LocalInstant commit = presenter_.swap_instant(due_local);
  if (commit - AwakeTime::longest > turn_end) return pause(turn_end);
  pacer_.wait_until(commit);
  show(*picture, due_local);
}

void PresentLoop::pause(LocalInstant until) {
  std::ignore = wait_until(until, Nanos(0), scenes_.changed_fd());
  scenes_.drain();
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

std::optional<GlobalInstant> PresentLoop::due_of(const DecodedPicture& picture,
                                                 const Scene& scene) {
  const bool newest = picture.schedule == scene.schedule;
  const Timeline& timeline = timeline_of(newest || !shown_scene_ ? scene : *shown_scene_);
  const GlobalInstant due = timeline.due(picture.tick);
  if (config_.late != LatePolicy::slow || timeline.paused()) return due;
  const auto delay = gate_.delay_of(picture.schedule, picture.tick);
  return delay ? std::optional(due + *delay) : std::nullopt;
}

void PresentLoop::prepare(const DecodedPicture& picture, const ScenePtr& scene) {
  const bool has_overlay = scene->overlay.visible_at(due_of(picture, *scene).value_or(never));
  const bool same = prepared_ && prepared_->schedule == picture.schedule &&
                    prepared_->tick == picture.tick && prepared_->buffer == picture.buffer &&
                    prepared_inset_.empty() != has_overlay;
  if (!same) {
    const LocalInstant began = local_now();
    prepared_inset_ = has_overlay ? overlay_for(picture) : Inset{};
    presenter_.prepare(ring_.image(picture.buffer), prepared_inset_);
    prepared_ = picture;
    prepared_at_ = local_now();
    trace_span("prepare", began, prepared_at_, {picture.frame, picture.tick});
  }
  if (picture.schedule != scene->schedule) return;
  shown_scene_ = scene;
  if (std::exchange(primed_version_, scene->version) != scene->version)
    callbacks_.primed(scene->version);
}

Inset PresentLoop::overlay_for(const DecodedPicture& picture) {
  return overlay_.paint(
      {picture.frame, ring_.ready(), ring_.buffers(), picture.level, callbacks_.clock()},
      local_now());
}

void PresentLoop::show(const DecodedPicture& picture, LocalInstant due) {
  const LocalInstant began = local_now();
  const LocalInstant swapped = presenter_.swap();
  pacer_.committed();
  trace_swap(picture, began, swapped, due);
  overlay_.add_swap(swapped, swapped - due, is_late(swapped - due));
  const GlobalInstant stamp = clock_.mapping().to_global(swapped);
  log_.add(picture.schedule,
           {picture.tick, picture.frame, stamp.since_epoch.count(), picture.hash});
  take_snapshots(picture);
  ring_.pop_front();
  prepared_.reset();
}

void PresentLoop::trace_swap(const DecodedPicture& picture, LocalInstant began,
                             LocalInstant swapped, LocalInstant due) const {
  const TraceLabels labels{picture.frame, picture.tick};
  trace_span("wait for instant", prepared_at_, began, labels);
  trace_span("swap", began, swapped, labels);
  trace_counter("lateness us", static_cast<double>((swapped - due).count()) / 1e3);
  if (is_late(swapped - due)) trace_instant("late frame", labels);
}

bool PresentLoop::is_late(Nanos lateness) const {
  const Timeline& timeline = timeline_of(*shown_scene_);
  return !timeline.paused() && lateness > timeline.period() / 2;
}

bool PresentLoop::skipped(std::int64_t frame, const DecodedPicture& picture) const {
  if (shown_schedule_ != picture.schedule) return false;
  const Timeline& timeline = timeline_of(*shown_scene_);
  for (std::int64_t tick = shown_tick_ + 1; tick < picture.tick; ++tick)
    if (timeline.frame_of(tick) == frame) return true;
  return false;
}

void PresentLoop::take_snapshots(const DecodedPicture& picture) {
  const auto passed =
      [&](std::int64_t wanted) {  // a skipped frame is answered by the next one shown
        return wanted == picture.frame || skipped(wanted, picture);
      };
  const ImageView image = ring_.image(picture.buffer);
  const std::size_t bytes = image.stride_bytes * static_cast<std::size_t>(image.size_px.height);
  for (const std::int64_t wanted : snapshots_left_)
    if (passed(wanted)) {
      PanelSnapshot copy{
          wanted, picture.frame, image.size_px, {image.pixels, image.pixels + bytes}};
      const ImageView copied{copy.pixels.data(), image.size_px, image.stride_bytes};
      copy_inset(prepared_inset_, Rotation::deg0, nullptr, copied);
      callbacks_.snapshot(std::move(copy));
    }
  std::erase_if(snapshots_left_, passed);
  shown_schedule_ = picture.schedule;
  shown_tick_ = picture.tick;
}

}  // namespace tilewall
