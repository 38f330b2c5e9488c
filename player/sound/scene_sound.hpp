// The sound of a scene: of the first region that has some.
#pragma once

#include <memory>
#include <string>
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

  /// These files are silent from now on.
  void leave_out(std::vector<std::string> files);

  [[nodiscard]] SoundScene of(const scene::Scene& scene);

 private:
  [[nodiscard]] int file_of(const scene::SourceSpec& source);
  [[nodiscard]] SoundItems items_of(const scene::SourceSpec& source);

  PcmStore& store_;
  std::vector<std::string> left_out_;
  // Of the scene before: a playlist's items are made once.
  scene::SourcePtr source_;
  std::shared_ptr<const SoundItems> items_;
};

}  // namespace tilewall::sound
