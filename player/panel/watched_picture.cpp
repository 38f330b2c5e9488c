#include "player/panel/watched_picture.hpp"

#include <utility>

#include "player/scene/live_messages.hpp"

namespace tilewall::panel {

void WatchedPicture::note_swapped(const DecodedPicture& picture, const scene::Scene& scene,
                                  const present::Inset& inset, GlobalInstant stamp) {
  const bool is_live = scene.regions.front().source->live;
  shown_ = {picture.tick,
            is_live ? scene::timestep_of(picture.frame) : picture.frame,
            {},
            picture.damage,
            stamp.since_epoch.count()};
  pictures_.note_swapped(std::exchange(shown_version_, scene.version) != scene.version);
  if (const LocalInstant now = local_now(); pictures_.wants(now))
    pictures_.take(ring_.image(picture.buffer), inset, *shown_, now);
}

void WatchedPicture::note_swapped_again(GlobalInstant stamp) {
  if (!shown_) return;
  shown_->stamp_ns = stamp.since_epoch.count();
  pictures_.note_swapped(false);
}

void WatchedPicture::step(const present::Inset& inset) {
  const LocalInstant now = local_now();
  if (!shown_ || !pictures_.wants(now)) return;
  const auto buffer = ring_.take_shown();
  if (!buffer) return;
  pictures_.take(ring_.image(*buffer), inset, *shown_, now);
  ring_.drop(*buffer);
}

}  // namespace tilewall::panel
