#include "player/panel/held_picture.hpp"

#include <algorithm>

namespace tilewall {
namespace {

bool nothing_follows(const TickGrid& beat, std::int64_t tick) {
  return beat.paused() || (beat.count && tick >= *beat.count - 1);
}

}  // namespace

void HeldPicture::note_shown(const DecodedPicture& picture, const ImageView& image,
                             const Scene& scene) {
  picture_.reset();
  if (!scene.hints || picture.schedule != scene.schedule ||
      !nothing_follows(scene.beat, picture.tick))
    return;
  size_px_ = image.size_px;
  const std::size_t row_bytes = static_cast<std::size_t>(size_px_.width) * 4;
  pixels_.resize(row_bytes * static_cast<std::size_t>(size_px_.height));
  for (int y = 0; y < size_px_.height; ++y)
    std::copy_n(image.row(y), row_bytes, this->image().row(y));
  picture_ = picture;
}

ImageView HeldPicture::image() const noexcept {
  return {pixels_.data(), size_px_, static_cast<std::size_t>(size_px_.width) * 4};
}

}  // namespace tilewall
