// A copy of the picture that a panel shows while nothing comes after it (a pause, the end), so that
// it can be shown again with something else laid over it.
//
// Threads: the presenting thread's.
#pragma once

#include <optional>
#include <vector>

#include "player/panel/picture_ring.hpp"
#include "player/scene/scene.hpp"

namespace tilewall {

class HeldPicture {
 public:
  /// The picture was shown. Copies it where no tick of the scene follows, else forgets what is
  /// held.
  void note_shown(const DecodedPicture& picture, const ImageView& image, const Scene& scene);

  [[nodiscard]] bool empty() const noexcept { return !picture_; }
  /// @pre not empty
  [[nodiscard]] const DecodedPicture& picture() const { return *picture_; }
  [[nodiscard]] ImageView image() const noexcept;

 private:
  std::optional<DecodedPicture> picture_;
  SizePx size_px_;
  mutable std::vector<std::uint8_t> pixels_;  // rows without gaps
};

}  // namespace tilewall
