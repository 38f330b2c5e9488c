#include "player/sound/audio_timeline.hpp"

#include <algorithm>
#include <cmath>

#include "sync/saturating.hpp"

namespace tilewall::sound {
namespace {

/// Where a frame stands in the round of its item that it belongs to.
struct Round {
  double passed_frames = 0;
  std::int64_t end_frame = 0;  ///< one past the last frame of the timeline
};

Round round_of(const SoundItem& item, std::int64_t frame) noexcept {
  const auto passed = static_cast<double>(frame - item.first_frame);
  if (item.round_frames <= 0) return {passed, item.end_frame};
  constexpr double rounding = 1e-6;  // a round need not be a whole number of frames
  const double round = std::floor((passed + rounding) / item.round_frames);
  const double end = std::ceil((round + 1) * item.round_frames - rounding);
  return {std::max(0.0, passed - round * item.round_frames),
          std::min(item.end_frame, item.first_frame + static_cast<std::int64_t>(end))};
}

}  // namespace

double SoundPiece::due_s(GlobalInstant at) const noexcept {
  const Nanos elapsed = sync::saturating_sub(at.since_epoch, from.since_epoch);
  return from_s + speed * static_cast<double>(elapsed.count()) / ns_per_s;
}

SoundPiece silence(GlobalInstant from, GlobalInstant until) noexcept {
  return {from, until, no_sound_file, 0, 1};
}

AudioTimeline::AudioTimeline(const sync::Timeline& timeline,
                             std::shared_ptr<const SoundItems> items)
    : timeline_(timeline), items_(std::move(items)) {}

const SoundItem* AudioTimeline::item_of(std::int64_t frame) const noexcept {
  const auto after = std::upper_bound(
      items_->begin(), items_->end(), frame,
      [](std::int64_t at, const SoundItem& item) { return at < item.first_frame; });
  if (after == items_->begin()) return nullptr;
  const SoundItem& item = *std::prev(after);
  return frame < item.end_frame ? &item : nullptr;
}

/// Judged by the neighbours, so that it holds for every kind of loop: a range's last frame belongs
/// to the way that led to it.
bool AudioTimeline::runs_forwards(std::int64_t tick) const noexcept {
  const std::int64_t frame = timeline_.frame_of(tick);
  if (timeline_.frame_of(tick + 1) == frame + 1) return true;
  if (tick > 0) return timeline_.frame_of(tick - 1) == frame - 1;
  return timeline_.direction > 0;
}

SoundPiece AudioTimeline::piece_at(GlobalInstant at) const noexcept {
  if (items_->empty() || timeline_.paused()) return silence(at, end_of_time);
  const auto found = timeline_.tick_at(at);
  if (!found) return silence(at, timeline_.start);
  const std::int64_t tick = *found;
  const auto count = timeline_.tick_count();
  if (count && at >= timeline_.due(*count)) return silence(at, end_of_time);

  const GlobalInstant from = timeline_.due(tick);
  const GlobalInstant next = timeline_.due(tick + 1);
  if (!runs_forwards(tick)) return silence(from, next);
  const std::int64_t frame = timeline_.frame_of(tick);
  const SoundItem* item = item_of(frame);
  if (item == nullptr) return silence(from, next);
  const Round round = round_of(*item, frame);
  const std::int64_t run = std::min(timeline_.end_frame, round.end_frame) - frame;
  const std::int64_t ticks = count ? std::min(run, *count - tick) : run;
  SoundPiece piece{from, timeline_.due(tick + ticks), item->file,
                   item->from_s + round.passed_frames / item->fps.value(),
                   timeline_.rate_fps.value() / item->fps.value()};
  if (piece.speed < slowest || piece.speed > fastest) piece.file = no_sound_file;
  return piece;
}

}  // namespace tilewall::sound
