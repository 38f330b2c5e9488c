#include "player/panel/frame_wait.hpp"

#include <algorithm>
#include <utility>

#include "player/panel/tick_picture.hpp"

namespace tilewall::panel {

namespace {

// The time that a draw() may wait for a picture that was ready a moment before.
constexpr std::chrono::milliseconds shortest_wait{5};

}  // namespace

FrameWait::FrameWait(Composer& composer, DrawCancellation& cancellation, const GlobalClock& clock,
                     std::size_t buffers)
    : composer_(composer), cancellation_(cancellation), clock_(clock), buffers_(buffers) {}

TickPicture FrameWait::await(const scene::Scene& scene, std::int64_t tick,
                             const RegionFrames& before, RegionFrames& frames) {
  if (std::exchange(of_epoch_, scene.epoch) != scene.epoch ||
      of_ticks_.size() != scene.regions.size())
    of_ticks_.assign(scene.regions.size(), -1);
  const Composition seen = composer_.aim(scene.tick_grid.due(tick), frames);
  bool anything_new = seen.empty() && !frames.empty();
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (!is_seen(seen, scene.regions[i])) continue;
    const TickPicture picture = await_frame(scene, scene.regions[i], tick, of_ticks_[i], frames[i]);
    if (picture == TickPicture::interrupted) return picture;
    anything_new |= picture == TickPicture::available;
    if (picture == TickPicture::unchanged && !before.empty()) frames[i] = before[i];
  }
  return anything_new ? TickPicture::available : TickPicture::unchanged;
}

void FrameWait::note_shown(const scene::Scene& scene, std::int64_t tick) {
  of_epoch_ = scene.epoch;
  of_ticks_.assign(scene.regions.size(), tick);
}

TickPicture FrameWait::await_frame(const scene::Scene& scene, const scene::Region& region,
                                   std::int64_t tick, std::int64_t& of_tick, std::int64_t& frame) {
  const scene::SourceFrame own = scene::resolve_frame(region.source, frame);
  picture::PictureSource* const source = composer_.source_of(own);
  const bool is_decoded_here = source == nullptr || !source->ready(own.frame);
  if (is_decoded_here) return TickPicture::available;
  const sync::FrameTicks ticks = scene.ticks_of(region);
  const auto frame_of = [&](std::int64_t of) {
    const scene::SourceFrame shown = scene::resolve_frame(region.source, ticks.frame_of(of));
    return shown.source == own.source ? shown.frame : -1;
  };
  // All panels of a host have to show the same picture of a slow decoder at the same tick. When
  // each took the newest picture that it found, they differed by when they looked. So the choice
  // follows only from the stamps of the pictures (shown_tick), and a picture of another tick is
  // taken only at `decided`, when no further picture can belong to this tick.
  const LastShown last{tick - scene.decimation.ticks.every_at(tick), of_tick};
  const LocalInstant decided = clock_.mapping().to_local(decision_instant(scene.tick_grid, tick));
  while (!cancellation_.scene_ended()) {
    // The clock is read before the pictures. In the other order, a picture that comes in between
    // would be missing from a final decision that other panels make with it.
    const bool is_decided = local_now() >= decided;
    const auto ready = source->ready(own.frame);
    const auto from =
        shown_tick(scene.tick_grid, frame_of, tick, last, ready->pictures, clock_.mapping());
    // The decoder may overwrite a ready picture before this panel has marked it as read. Without a
    // limit the draw would then wait for a frame that the decoder has passed.
    cancellation_.set_limit(local_now() + shortest_wait);
    if (from == tick || is_decided) of_tick = from.value_or(of_tick);
    if (from == tick || ready->lost) return TickPicture::available;
    if (is_decided && from) frame = ticks.frame_of(*from);
    if (is_decided) return from ? TickPicture::available : TickPicture::unchanged;
    source->await(own.frame, decided);
  }
  return TickPicture::interrupted;
}

std::int64_t FrameWait::joined_tick(const scene::Scene& scene, std::int64_t tick,
                                    const NextTick& next_tick) {
  const sync::TickGrid& tick_grid = scene.tick_grid;
  if (tick_grid.paused() || tick_grid.start >= scene::never) return tick;
  const GlobalInstant due = tick_grid.due(tick);
  const Composition seen = composer_.aim(due, frames_at(scene, due));  // may open sources
  std::int64_t joined = next_tick(tick);
  for (const RegionPart& part : seen) joined = joined_tick(scene, joined, part, next_tick);
  return tick_grid.count ? std::min(joined, std::max(tick, *tick_grid.count - 1)) : joined;
}

std::int64_t FrameWait::joined_tick(const scene::Scene& scene, std::int64_t tick,
                                    const RegionPart& part, const NextTick& next_tick) {
  picture::PictureSource* const source = composer_.source_of(part.shown);
  const sync::FrameTicks ticks = scene.ticks_of(*part.region);
  const auto frame_of = [&](std::int64_t of) {
    const scene::SourceFrame shown = scene::resolve_frame(part.region->source, ticks.frame_of(of));
    return shown.source == part.shown.source ? shown.frame : -1;
  };
  // A choice is final when the second look finds the same tick: reserve() has told the decoder by
  // then. A choice after one look could name a frame that the decoder overwrites meanwhile, and
  // the decoder would go back to a key picture for it.
  std::optional<std::int64_t> chosen;
  while (source != nullptr && !cancellation_.scene_ended()) {
    const std::int64_t from = next_tick(tick);
    const auto ready = source->ready(part.shown.frame);
    if (!ready || ready->lost) return from;
    // Other panels are ahead by as many shown ticks as they have buffers, and a little more.
    std::vector<std::int64_t> coming = {from};
    while (coming.size() < 3 * buffers_) coming.push_back(scene.next_shown(coming.back() + 1));
    const auto next = joining_tick(frame_of, coming, ready->pictures);
    if (next && next == chosen) return *next;
    if (!next && next_tick(tick) == from) return from;
    if (next) source->reserve(frame_of(*next));
    chosen = next;
  }
  return tick;
}

namespace {

constexpr std::size_t most_kept = 256;  // ticks; a ring has 8 buffers at most

}  // namespace

void ReleaseGate::add(const scene::Release& release) {
  const std::scoped_lock lock(mutex_);
  if (release.epoch < newest_.epoch) return;
  if (release.epoch > newest_.epoch) before_ = std::exchange(newest_, Released{release.epoch, {}});
  for (const scene::ReleasedTick& tick : release.ticks)
    if (newest_.ticks.empty() || tick.tick > newest_.ticks.back().tick)
      newest_.ticks.push_back(tick);
  while (newest_.ticks.size() > most_kept) newest_.ticks.pop_front();
}

std::optional<scene::ReleasedTick> ReleaseGate::newest(std::uint64_t epoch) {
  const std::scoped_lock lock(mutex_);
  if (epoch != newest_.epoch || newest_.ticks.empty()) return std::nullopt;
  return newest_.ticks.back();
}

std::optional<Nanos> ReleaseGate::delay_of(std::uint64_t epoch, std::int64_t tick) {
  const std::scoped_lock lock(mutex_);
  const Released& released = epoch == before_.epoch ? before_ : newest_;
  if (epoch != released.epoch) return std::nullopt;
  const auto found = std::ranges::lower_bound(released.ticks, tick, {}, &scene::ReleasedTick::tick);
  if (found == released.ticks.end() || found->tick != tick) return std::nullopt;
  return Nanos(found->delay_ns);
}

}  // namespace tilewall::panel
