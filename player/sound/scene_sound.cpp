#include "player/sound/scene_sound.hpp"

#include <algorithm>

namespace tilewall::sound {
namespace {

/// The first region with sound among those that leave the wall, or among the others; null where
/// there is none.
const scene::Region* sounding_region(const scene::Scene& scene, bool leaves) {
  const auto found = std::ranges::find_if(scene.regions, [leaves](const scene::Region& region) {
    return region.leaves_at.has_value() == leaves && scene::has_sound(*region.source);
  });
  return found == scene.regions.end() ? nullptr : &*found;
}

/// The opacity as a factor of the sound: a region that fades to any opacity is heard in full.
scene::OpacityPath fade_of(const scene::Region& region) {
  scene::OpacityPath fade = region.opacity;
  const double most = std::max(fade.from, fade.to);
  if (fade.duration <= Nanos(0) || most <= 0) return {};
  fade.from /= most;
  fade.to /= most;
  return fade;
}

}  // namespace

SoundScene SceneSound::sound_of(const scene::Scene& scene, const scene::Region* region) {
  SoundScene sound{
      scene.since, scene.epoch, {}, scene.muted || scene.panic ? 0.0 : scene.audio_gain, {}};
  if (region == nullptr) return sound;
  if (region->source != source_) {
    source_ = region->source;
    items_ = std::make_shared<const SoundItems>(items_of(*source_));
  }
  sound.timeline = AudioTimeline(region->timeline, items_);
  sound.fade = fade_of(*region);
  return sound;
}

std::vector<SoundScene> SceneSound::of(const scene::Scene& scene) {
  const scene::Region* const leaving = sounding_region(scene, true);
  const scene::Region* const staying = sounding_region(scene, false);
  if (leaving == nullptr) return {sound_of(scene, staying)};
  SoundScene before = sound_of(scene, leaving);
  SoundScene after = sound_of(scene, staying);
  const GlobalInstant end = *leaving->leaves_at;
  const bool overlap = after.fade.duration > Nanos(0) && after.fade.start < end;
  const GlobalInstant begin = overlap ? after.fade.start : scene.since;
  if (overlap || before.fade.duration <= Nanos(0)) {
    // Their pictures are on the wall together. One is heard at a time: each for half of the time.
    const Nanos half = (end - begin) / 2;
    before.fade = {1, 0, begin, half};
    after.from = begin + half;
    after.fade = {0, 1, after.from, half};
  } else {
    after.from = end;
  }
  after.from = std::max(after.from, scene.since + Nanos(1));
  return {std::move(before), std::move(after)};
}

int SceneSound::file_of(const scene::SourceSpec& source) {
  return source.audio.empty() ? no_sound_file : store_.file_id(source.audio);
}

/// A playlist's items are shown at their own rates, each frame as often as the list's rate asks
/// for.
SoundItems SceneSound::items_of(const scene::SourceSpec& source) {
  if (source.kind != scene::SourceKind::playlist)
    return {{file_of(source), source.fps, 0, source.frames, 0, 0}};
  SoundItems items;
  for (const scene::PlaylistItem& item : source.items) {
    if (!items.empty()) items.back().end_frame = item.start;
    const double own_fps = item.source->fps.value();
    const auto own_frames = static_cast<double>(item.end_frame - item.first_frame);
    items.push_back({file_of(*item.source), source.fps, item.start, source.frames,
                     static_cast<double>(item.first_frame) / own_fps,
                     own_frames * source.fps.value() / own_fps});
  }
  return items;
}

}  // namespace tilewall::sound
