#include "player/panel/present_loop.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "sync/pacing/wait.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall {
namespace {

constexpr std::chrono::milliseconds window_turn{10};  // between looks at keys while nothing is due
constexpr std::chrono::milliseconds headless_turn{40};  // where there are none
// The end of a wait for an instant, which cannot be interrupted.
constexpr std::chrono::milliseconds last_sleep{3};
// Staying awake takes 2 % of a core at most: all of AwakeTime's up to 66 pictures a second.
constexpr int awake_divisor = 50;
// Before a hint comes or goes over a picture that stays, to prepare that.
constexpr std::chrono::milliseconds hint_lead{30};

/// The hint that is visible at that instant; "" = none.
std::string hint_at(const Scene& scene, GlobalInstant at) {
  const bool visible = scene.hint && !scene.blank && scene.hint->visible_at(at);
  return visible ? scene.hint->text : "";
}

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
      turn_(config.headless ? headless_turn : window_turn),
      overlay_(config.name, ring.image(0).size_px),
      snapshots_left_(config.snapshot_frames) {}

void PresentLoop::step() {
  take_input();
  const auto picture = ring_.front(turn_);
  const ScenePtr scene = scenes_.get();
  if (!scene) return;
  if (!picture) return renew_held(*scene);
  if (std::exchange(cleared_version_, scene->version) != scene->version)
    ring_.drop_behind_front([&](const DecodedPicture& one) { return outdated(one, *scene); });
  if (discard(*picture, *scene)) return leave_out(*picture, *scene);
  prepare(*picture, scene);
  const auto due = due_of(*picture, *scene);
  const LocalInstant now = local_now();
  if (!due || *due >= never) return pause(now + turn_);
  const LocalInstant due_local = clock_.mapping().to_local(*due);
  const LocalInstant commit = presenter_.swap_instant(due_local);
  if (commit - last_sleep > now) return pause(std::min(commit - last_sleep, now + turn_));
  pacer_.wait_until(commit, most_awake());
  show(*picture, due_local);
}

void PresentLoop::take_input() {
  const ScenePtr scene = scenes_.get();
  const PanelMap map = scene ? config_.places.in(scene->bezels, scene->content).map : PanelMap();
  for (const OperatorInput& input : presenter_.poll_input()) {
    if (const auto* key = std::get_if<OperatorKey>(&input))
      callbacks_.key(*key);
    else
      pointer_.add(std::get<PointerEvent>(input), map);
  }
  if (const auto pointer = pointer_.take(local_now())) callbacks_.pointer(*pointer);
}

void PresentLoop::leave_out(const DecodedPicture& picture, const Scene& scene) {
  trace_instant("dropped frame", {picture.frame, picture.tick});
  const bool is_missed = picture.epoch != scene.epoch || scene.shows(picture.tick);
  if (is_missed) overlay_.add_dropped();
  if (is_missed && picture.epoch == scene.epoch)
    callbacks_.late(
        cause_of(picture, clock_.mapping().to_local(scene.tick_grid.due(picture.tick))));
  ring_.pop_front();
  prepared_.reset();
}

void PresentLoop::pause(LocalInstant until) {
  if (watch_until(until, scenes_.changed_fd()) == WaitEnd::interrupted) scenes_.drain();
}

bool PresentLoop::outdated(const DecodedPicture& picture, const Scene& scene) {
  // Of the scene that is shown, all panels leave out the same ticks.
  if (picture.epoch >= scene.epoch)
    return picture.epoch == scene.epoch && !scene.shows(picture.tick);
  // Pictures of the scene before go on being shown until the new one takes effect.
  if (!shown_scene_ || shown_scene_->epoch != picture.epoch) return true;
  const auto due = due_of(picture, *shown_scene_);
  return !due || *due >= scene.since;
}

bool PresentLoop::discard(const DecodedPicture& picture, const Scene& scene) {
  if (outdated(picture, scene)) return true;
  if (picture.epoch < scene.epoch) return false;
  if (config_.late == LatePolicy::slow) return false;
  const auto following = ring_.second();
  if (!following || following->epoch != picture.epoch) return false;
  const auto due = due_of(*following, scene);
  return due && *due <= clock_.mapping().to_global(local_now());
}

std::optional<GlobalInstant> PresentLoop::due_of(const DecodedPicture& picture,
                                                 const Scene& scene) {
  const bool newest = picture.epoch == scene.epoch;
  const TickGrid& tick_grid = (newest || !shown_scene_ ? scene : *shown_scene_).tick_grid;
  const GlobalInstant due = tick_grid.due(picture.tick);
  if (config_.late != LatePolicy::slow || tick_grid.paused())
    return std::max(due, picture.not_before);
  const auto delay = gate_.delay_of(picture.epoch, picture.tick);
  return delay ? std::optional(std::max(due + *delay, picture.not_before)) : std::nullopt;
}

void PresentLoop::prepare(const DecodedPicture& picture, const ScenePtr& scene) {
  Marks marks = marks_of(picture, *scene);
  const bool same = prepared_ && prepared_->epoch == picture.epoch &&
                    prepared_->tick == picture.tick && prepared_->buffer == picture.buffer &&
                    prepared_marks_ == marks;
  if (!same) {
    const LocalInstant began = local_now();
    prepared_inset_ = inset_for(picture, marks, *scene);
    prepared_marks_ = std::move(marks);
    presenter_.prepare(ring_.image(picture.buffer), prepared_inset_);
    prepared_ = picture;
    prepared_at_ = local_now();
    present_time_ += prepared_at_ - began;
    trace_span("prepare", began, prepared_at_, {picture.frame, picture.tick});
  }
  if (picture.epoch != scene->epoch) return;
  shown_scene_ = scene;
  if (std::exchange(primed_version_, scene->version) != scene->version)
    callbacks_.primed(scene->version);
}

/// A picture that comes late, or again, is shown now rather than when it was due.
PresentLoop::Marks PresentLoop::marks_of(const DecodedPicture& picture, const Scene& scene) {
  const GlobalInstant due = due_of(picture, scene).value_or(never);
  const GlobalInstant shown = std::max(due, clock_.mapping().to_global(local_now()));
  return {scene.overlay.visible_at(due), hint_at(scene, shown)};
}

Inset PresentLoop::inset_for(const DecodedPicture& picture, const Marks& marks,
                             const Scene& scene) {
  if (!marks.figures) return marks.hint.empty() ? Inset{} : overlay_.paint_hint(marks.hint);
  return overlay_.paint({picture.frame, ring_.ready(), ring_.buffers(), picture.level,
                         callbacks_.clock(), to_text(scene.decimation, picture.tick)},
                        local_now(), marks.hint);
}

void PresentLoop::renew_held(const Scene& scene) {
  if (held_.empty()) return;
  const GlobalInstant now = clock_.mapping().to_global(local_now());
  const std::string wanted = hint_at(scene, now + hint_lead);
  if (wanted == shown_hint_) return;
  const GlobalInstant at = wanted.empty() ? shown_hint_until_ : scene.hint->since;
  prepared_marks_ = {scene.overlay.visible_at(now), wanted};
  prepared_inset_ = inset_for(held_.picture(), prepared_marks_, scene);
  prepared_.reset();
  presenter_.prepare(held_.image(), prepared_inset_);
  pacer_.wait_until(
      presenter_.swap_instant(clock_.mapping().to_local(std::min(at, now + hint_lead))));
  presenter_.swap();
  pacer_.committed();
  note_hint(scene);
}

void PresentLoop::note_hint(const Scene& scene) {
  shown_hint_ = prepared_marks_.hint;
  if (scene.hint) shown_hint_until_ = scene.hint->until;
}

void PresentLoop::show(const DecodedPicture& picture, LocalInstant due) {
  const LocalInstant began = local_now();
  const LocalInstant swapped = presenter_.swap();
  pacer_.committed();
  present_time_ += swapped - began;
  trace_swap(picture, began, swapped, due);
  const bool late = !picture.is_again && is_late(picture.tick, swapped - due);
  overlay_.add_swap(swapped, swapped - due, late);
  if (!picture.is_again) {
    if (late || picture.is_stale) callbacks_.late(cause_of(picture, due));
    const GlobalInstant stamp = clock_.mapping().to_global(swapped);
    log_.add(picture.epoch, {picture.tick, picture.frame, stamp.since_epoch.count(), picture.hash,
                             picture.damage});
  }
  take_snapshots(picture);
  const ScenePtr scene = scenes_.get();
  note_hint(*scene);
  held_.note_shown(picture, ring_.image(picture.buffer), *scene);
  ring_.pop_front();
  prepared_.reset();
}

void PresentLoop::trace_swap(const DecodedPicture& picture, LocalInstant began,
                             LocalInstant swapped, LocalInstant due) const {
  const TraceLabels labels{picture.frame, picture.tick};
  trace_span("wait for instant", prepared_at_, began, labels);
  trace_span("swap", began, swapped, labels);
  trace_counter("lateness us", static_cast<double>((swapped - due).count()) / 1e3);
  if (is_late(picture.tick, swapped - due)) trace_instant("late frame", labels);
}

Nanos PresentLoop::most_awake() const {
  const TickGrid& tick_grid = shown_scene_->tick_grid;
  return tick_grid.paused() ? AwakeTime::longest : tick_grid.period() / awake_divisor;
}

bool PresentLoop::is_late(std::int64_t tick, Nanos lateness) const {
  return !shown_scene_->tick_grid.paused() && lateness > shown_scene_->shown_period(tick) / 2;
}

LateCause PresentLoop::cause_of(const DecodedPicture& picture, LocalInstant due) {
  if (picture.is_stale) return LateCause::decoder;
  return picture.ready_at > due ? LateCause::decode : LateCause::swap;
}

bool PresentLoop::skipped(std::int64_t frame, const DecodedPicture& picture) const {
  if (shown_epoch_ != picture.epoch) return false;
  const FrameTicks ticks = shown_scene_->ticks_of(shown_scene_->regions.front());
  for (std::int64_t tick = shown_tick_ + 1; tick < picture.tick; ++tick)
    if (ticks.frame_of(tick) == frame) return true;
  return false;
}

void PresentLoop::take_snapshot(const DecodedPicture& picture, std::uint64_t number,
                                std::int64_t wanted_frame) {
  const ImageView image = ring_.image(picture.buffer);
  const std::size_t bytes = image.stride_bytes * static_cast<std::size_t>(image.size_px.height);
  PanelSnapshot copy{number,
                     wanted_frame,
                     picture.frame,
                     picture.epoch,
                     picture.tick,
                     image.size_px,
                     {image.pixels, image.pixels + bytes}};
  const ImageView copied{copy.pixels.data(), image.size_px, image.stride_bytes};
  copy_inset(prepared_inset_, Rotation::deg0, nullptr, copied);
  callbacks_.snapshot(std::move(copy));
}

void PresentLoop::take_snapshots(const DecodedPicture& picture) {
  const auto passed =
      [&](std::int64_t wanted) {  // a skipped frame is answered by the next one shown
        return wanted == picture.frame || skipped(wanted, picture);
      };
  for (const std::int64_t wanted : snapshots_left_)
    if (passed(wanted)) take_snapshot(picture, 0, wanted);
  for (const SnapshotOrder& order : callbacks_.orders(picture))
    take_snapshot(picture, order.number, picture.frame);
  std::erase_if(snapshots_left_, passed);
  shown_epoch_ = picture.epoch;
  shown_tick_ = picture.tick;
}

}  // namespace tilewall
