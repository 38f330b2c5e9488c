// The sound of a scene: of the first region that has some. Where that fades over to another one,
// theirs follow each other: the first fades away in half of the time, and then the second appears.
#pragma once

#include <memory>
#include <vector>

#include "player/scene/scene.hpp"
#include "player/sound/pcm_store.hpp"
#include "player/sound/sound_plan.hpp"

namespace tilewall::sound {

/// Threads: one owner.
class SceneSound {
 public:
  /// `store` numbers the files, and outlives this.
  explicit SceneSound(PcmStore& store) : store_(store) {}

  /// What is to be heard from the scene's start on, in the order of time; one or two.
  [[nodiscard]] std::vector<SoundScene> of(const scene::Scene& scene);

 private:
  /// The sound of a region; silence where it is null.
  [[nodiscard]] SoundScene sound_of(const scene::Scene& scene, const scene::Region* region);
  [[nodiscard]] int file_of(const scene::SourceSpec& source);
  [[nodiscard]] SoundItems items_of(const scene::SourceSpec& source);

  PcmStore& store_;
  // Of the scene before: a playlist's items are made once.
  scene::SourcePtr source_;
  std::shared_ptr<const SoundItems> items_;
};

}  // namespace tilewall::sound
