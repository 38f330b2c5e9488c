#include "player/panel/snapshot_taker.hpp"

#include "player/scene/live_messages.hpp"

namespace tilewall::panel {
namespace {

/// `frame`: of the picture, or its timestep where that is of a live source.
PanelSnapshot copy_of(const ShownPicture& shown, std::uint64_t number, std::int64_t wanted_frame,
                      std::int64_t frame) {
  const ImageView& image = shown.image;
  const std::size_t bytes = image.stride_bytes * static_cast<std::size_t>(image.size_px.height);
  PanelSnapshot copy{number,
                     wanted_frame,
                     frame,
                     shown.picture.epoch,
                     shown.picture.tick,
                     image.size_px,
                     {image.pixels, image.pixels + bytes}};
  const ImageView copied{copy.pixels.data(), image.size_px, image.stride_bytes};
  present::copy_inset(shown.inset, wall::Rotation::deg0, nullptr, copied);
  return copy;
}

}  // namespace

void SnapshotTaker::take(const ShownPicture& shown, const std::vector<SnapshotOrder>& orders,
                         const Send& send) {
  // Of a live source the first timestep that is shown from the wanted one on.
  const bool is_live = shown.scene.regions.front().source->live;
  const std::int64_t frame =
      is_live ? scene::timestep_of(shown.picture.frame) : shown.picture.frame;
  const auto passed = [&](std::int64_t wanted) {
    return wanted == frame || (is_live ? frame > wanted : skipped(wanted, shown));
  };
  for (const std::int64_t wanted : frames_left_)
    if (passed(wanted)) send(copy_of(shown, 0, wanted, frame));
  for (const SnapshotOrder& order : orders) send(copy_of(shown, order.number, frame, frame));
  std::erase_if(frames_left_, passed);
  last_epoch_ = shown.picture.epoch;
  last_tick_ = shown.picture.tick;
}

bool SnapshotTaker::skipped(std::int64_t frame, const ShownPicture& shown) const {
  if (last_epoch_ != shown.picture.epoch) return false;
  const sync::FrameTicks ticks = shown.scene.ticks_of(shown.scene.regions.front());
  for (std::int64_t tick = last_tick_ + 1; tick < shown.picture.tick; ++tick)
    if (ticks.frame_of(tick) == frame) return true;
  return false;
}

}  // namespace tilewall::panel
