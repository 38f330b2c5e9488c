#include "player/panel/present_loop.hpp"

#include <algorithm>
#include <utility>

#include "sync/pacing/wait.hpp"
#include "sync/trace/trace.hpp"

namespace tilewall::panel {
namespace {

// The longest turn: with a window the loop has to look for keys.
constexpr std::chrono::milliseconds window_turn{10};
constexpr std::chrono::milliseconds headless_turn{40};
// The end of a wait for an instant; it cannot be interrupted.
constexpr std::chrono::milliseconds last_sleep{3};
// Time before an instant in which a picture for watchers is copied without a risk.
constexpr std::chrono::milliseconds copy_time{12};
// The time to prepare a picture that stays with another hint, before the hint comes or goes.
constexpr std::chrono::milliseconds hint_lead{30};

/// The text of the hint that is visible at `at`, else of the volumes' progress on the panel that
/// has it; "" = none.
std::string hint_at(const scene::Scene& scene, const std::string& panel, GlobalInstant at) {
  if (scene.is_black()) return "";
  if (scene.hint && scene.hint->visible_at(at)) return scene.hint->text;
  return scene.progress.panel == panel ? scene.progress.text : "";
}

}  // namespace

PresentLoop::PresentLoop(const scene::PanelConfig& config, const GlobalClock& clock,
                         SceneSlot& scenes, PictureRing& ring, ReleaseGate& gate, ShownLog& log,
                         present::Presenter& presenter, PanelPictures& pictures,
                         Callbacks callbacks)
    : name_(config.name),
      places_(config.places),
      clock_(clock),
      scenes_(scenes),
      ring_(ring),
      log_(log),
      presenter_(presenter),
      callbacks_(std::move(callbacks)),
      turn_(config.headless ? headless_turn : window_turn),
      timing_(config.late, gate),
      back_buffer_(presenter, ring, config.name, callbacks_.clock),
      snapshots_(config.snapshot_frames),
      watched_(pictures, ring) {}

void PresentLoop::step() {
  take_input();
  const auto picture = ring_.front(turn_);
  const ScenePtr scene = scenes_.get();
  if (!scene) return;
  if (!picture) {
    tell_unchanged(*scene);
    renew_held(*scene);
    return watched_.step(back_buffer_.inset());
  }
  // A new scene outdates pictures that are due after it takes effect. They go at once, not when
  // their turn comes: the decode thread needs their buffers for the new scene's first pictures.
  if (std::exchange(cleared_version_, scene->version) != scene->version)
    ring_.drop_behind_front(
        [&](const DecodedPicture& one) { return timing_.is_outdated(one, *scene); });
  if (discard(*picture, *scene)) return leave_out(*picture, *scene);
  // All slow work comes before the wait, so that only the swap is left at the instant.
  prepare(*picture, scene);
  const auto due = timing_.due_of(*picture, *scene);
  const LocalInstant now = local_now();
  if (!due || *due >= scene::never) return pause(now + turn_);
  const LocalInstant due_local = clock_.mapping().to_local(*due);
  const LocalInstant commit = presenter_.swap_instant(due_local);
  // Far from the instant the loop pauses, since a new scene may outdate the picture meanwhile. Only
  // the last 3 ms are one wait, which nothing may interrupt. Turns of 10 ms up to the instant had
  // cost several context switches for each picture.
  if (commit - last_sleep > now) {
    if (commit - copy_time > now) watched_.step(back_buffer_.inset());
    return pause(std::min(commit - last_sleep, now + turn_));
  }
  pacer_.wait_until(commit, timing_.most_awake());
  show(*picture, due_local);
  tell_swapped(*picture, *due);
}

void PresentLoop::take_input() {
  const ScenePtr scene = scenes_.get();
  const wall::PanelMap map =
      scene ? places_.in(scene->bezels, scene->content).map : wall::PanelMap();
  for (const present::OperatorInput& input : presenter_.poll_input()) {
    if (const auto* key = std::get_if<present::OperatorKey>(&input))
      callbacks_.key(*key);
    else
      pointer_.add(std::get<present::PointerEvent>(input), map);
  }
  if (const auto pointer = pointer_.take(local_now())) callbacks_.pointer(*pointer);
}

void PresentLoop::leave_out(const DecodedPicture& picture, const scene::Scene& scene) {
  sync::trace_instant("dropped frame", {picture.frame, picture.tick});
  const bool is_missed = picture.epoch != scene.epoch || scene.shows(picture.tick);
  if (is_missed) back_buffer_.overlay().add_dropped();
  if (is_missed && picture.epoch == scene.epoch)
    callbacks_.late(
        late_cause(picture, clock_.mapping().to_local(scene.tick_grid.due(picture.tick))),
        scene.epoch);
  ring_.pop_front();
  back_buffer_.forget();
}

void PresentLoop::pause(LocalInstant until) {
  if (sync::watch_until(until, scenes_.changed_fd()) == sync::WaitEnd::interrupted) scenes_.drain();
}

bool PresentLoop::discard(const DecodedPicture& picture, const scene::Scene& scene) {
  return timing_.is_outdated(picture, scene) ||
         timing_.is_overtaken(picture, ring_.second(), scene,
                              clock_.mapping().to_global(local_now()));
}

void PresentLoop::prepare(const DecodedPicture& picture, const ScenePtr& scene) {
  back_buffer_.prepare(picture, marks_of(picture, *scene), *scene);
  if (picture.epoch != scene->epoch) return;
  timing_.set_shown_scene(scene);
  if (std::exchange(primed_version_, scene->version) != scene->version)
    callbacks_.primed(scene->version);
}

/// The marks of a picture. A late or repeated picture gets the hint of the present, not of its due
/// instant.
PictureMarks PresentLoop::marks_of(const DecodedPicture& picture, const scene::Scene& scene) {
  const GlobalInstant due = timing_.due_of(picture, scene).value_or(scene::never);
  const GlobalInstant shown = std::max(due, clock_.mapping().to_global(local_now()));
  return {scene.overlay.visible_at(due), hint_at(scene, name_, shown)};
}

void PresentLoop::renew_held(const scene::Scene& scene) {
  if (held_.empty()) return;
  const GlobalInstant now = clock_.mapping().to_global(local_now());
  const std::string wanted = hint_at(scene, name_, now + hint_lead);
  if (wanted == held_.hint()) return;
  const bool is_hint = scene.hint && scene.hint->visible_at(now + hint_lead);
  const GlobalInstant at = is_hint ? scene.hint->since : held_.hint_until();
  back_buffer_.prepare_again(held_, {scene.overlay.visible_at(now), wanted}, scene);
  pacer_.wait_until(
      presenter_.swap_instant(clock_.mapping().to_local(std::min(at, now + hint_lead))));
  presenter_.swap();
  pacer_.committed();
  note_hint(scene);
  watched_.note_swapped_again(clock_.mapping().to_global(local_now()));
}

void PresentLoop::note_hint(const scene::Scene& scene) {
  held_.note_hint(back_buffer_.marks().hint,
                  scene.hint ? std::optional(scene.hint->until) : std::nullopt);
}

void PresentLoop::show(const DecodedPicture& picture, LocalInstant due) {
  const SwapTime swap = back_buffer_.swap();
  pacer_.committed();
  trace_swap(picture, swap, due);
  const Nanos lateness = swap.swapped - due;
  const bool late = !picture.is_again && timing_.is_late(picture.tick, lateness);
  back_buffer_.overlay().add_swap(swap.swapped, lateness, late);
  const GlobalInstant stamp = clock_.mapping().to_global(swap.swapped);
  if (!picture.is_again) {
    if (late || picture.is_stale) callbacks_.late(late_cause(picture, due), picture.epoch);
    log_.add(picture.epoch, {picture.tick, picture.frame, stamp.since_epoch.count(), picture.hash,
                             picture.damage});
  }
  const ImageView image = ring_.image(picture.buffer);
  snapshots_.take({picture, *timing_.shown_scene(), image, back_buffer_.inset()},
                  callbacks_.orders(picture), callbacks_.snapshot);
  const ScenePtr scene = scenes_.get();
  watched_.note_swapped(picture, *timing_.shown_scene(), back_buffer_.inset(), stamp);
  note_hint(*scene);
  held_.note_shown(picture, image, *scene);
  ring_.pop_shown();
  back_buffer_.forget();
}

void PresentLoop::tell_swapped(const DecodedPicture& picture, GlobalInstant due) {
  const bool is_first = std::exchange(swapped_.epoch, picture.epoch) != picture.epoch;
  swapped_.tick = picture.tick;
  const ScenePtr& scene = timing_.shown_scene();
  if (picture.epoch == scene->epoch && !picture.is_again &&
      nothing_follows(scene->tick_grid, picture.tick))
    callbacks_.last_shown();
  // A scene of the same epoch takes effect in the middle of its pictures.
  const bool has_effect = is_first || due >= scene->since;
  if (picture.epoch != scene->epoch || !has_effect || scene->version == swapped_.version) return;
  swapped_.version = scene->version;
  callbacks_.swapped(scene->version);
}

void PresentLoop::tell_unchanged(const scene::Scene& scene) {
  if (scene.version == swapped_.version || scene.epoch != swapped_.epoch) return;
  if (!nothing_follows(scene.tick_grid, swapped_.tick)) return;
  if (clock_.mapping().to_global(local_now()) < scene.since) return;
  swapped_.version = scene.version;
  callbacks_.swapped(scene.version);
}

void PresentLoop::trace_swap(const DecodedPicture& picture, const SwapTime& swap,
                             LocalInstant due) const {
  const sync::TraceLabels labels{picture.frame, picture.tick};
  const Nanos lateness = swap.swapped - due;
  sync::trace_span("wait for instant", back_buffer_.prepared_at(), swap.began, labels);
  sync::trace_span("swap", swap.began, swap.swapped, labels);
  sync::trace_counter("lateness us", static_cast<double>(lateness.count()) / 1e3);
  if (timing_.is_late(picture.tick, lateness)) sync::trace_instant("late frame", labels);
}

}  // namespace tilewall::panel
