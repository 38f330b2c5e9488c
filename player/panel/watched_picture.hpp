// Hands the picture that the panel swapped last to PanelPictures, when one is wanted: after its
// swap, or later from the ring's buffer while the picture stays.
//
// Threads: one owner, the presenting thread.
#pragma once

#include <optional>

#include "player/panel/panel_pictures.hpp"
#include "player/panel/picture_ring.hpp"
#include "player/scene/scene.hpp"

namespace tilewall::panel {

class WatchedPicture {
 public:
  /// Both outlive this object.
  WatchedPicture(PanelPictures& pictures, PictureRing& ring) : pictures_(pictures), ring_(ring) {}

  /// To be called after each swap, while the picture's buffer is still in the ring. `scene` is the
  /// picture's. `stamp` is when the swap returned.
  void note_swapped(const DecodedPicture& picture, const scene::Scene& scene,
                    const present::Inset& inset, GlobalInstant stamp);

  /// Notes that the last picture was swapped again with another inset.
  void note_swapped_again(GlobalInstant stamp);

  /// Hands over the last picture where it is wanted and its buffer still holds it. To be called
  /// when there is time until the next swap.
  void step(const present::Inset& inset);

 private:
  PanelPictures& pictures_;
  PictureRing& ring_;
  std::optional<scene::SwappedPicture> shown_;  // empty before the first swap
  std::uint64_t shown_version_ = 0;             // Scene::version of that picture
};

}  // namespace tilewall::panel
