#include "player/sound/scene_sound.hpp"

#include <algorithm>

namespace tilewall::sound {
namespace {

const scene::Region* sounding_region(const scene::Scene& scene) {
  const auto found =
      std::find_if(scene.regions.begin(), scene.regions.end(),
                   [](const scene::Region& region) { return scene::has_sound(*region.source); });
  return found == scene.regions.end() ? nullptr : &*found;
}

}  // namespace

void SceneSound::leave_out(std::vector<std::string> files) {
  left_out_ = std::move(files);
  source_.reset();
}

SoundScene SceneSound::of(const scene::Scene& scene) {
  SoundScene sound{scene.since, scene.epoch, {}, scene.muted ? 0.0 : scene.audio_gain};
  const scene::Region* region = sounding_region(scene);
  if (region == nullptr) return sound;
  if (region->source != source_) {
    source_ = region->source;
    items_ = std::make_shared<const SoundItems>(items_of(*source_));
  }
  sound.timeline = AudioTimeline(region->timeline, items_);
  return sound;
}

int SceneSound::file_of(const scene::SourceSpec& source) {
  const bool is_left_out =
      std::find(left_out_.begin(), left_out_.end(), source.audio) != left_out_.end();
  return source.audio.empty() || is_left_out ? no_sound_file : store_.file_id(source.audio);
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
