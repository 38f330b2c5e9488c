// An image that lies over all frames of a flight, such as the logo of those who made it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "player/path/path_file.hpp"
#include "wallconfigs/geometry.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::rendering {

/// An image and its place in the whole picture.
struct LogoJob {
  std::string file;  ///< JPEG, PNG or TIFF; the same on every host; "" = no logo
  RectPx place_px;
  bool operator==(const LogoJob&) const = default;
};

/// The logo's place in a picture of the whole canvas: about the place that the path names, moved
/// into the panel that is nearest to it, and made smaller where it would not fit there. Throws
/// InputError naming the path's file and field if the image cannot be read.
[[nodiscard]] LogoJob logo_of(const path::PathLogo& logo, const wall::Canvas& canvas,
                              SizePx picture_px);

/// The place alone, for an image of this size.
[[nodiscard]] RectPx logo_place(const path::PathLogo& logo, SizePx image_px,
                                const wall::Canvas& canvas, SizePx picture_px);

/// The image in its size in the picture.
class Logo {
 public:
  Logo() = default;
  /// Decodes the image, in a process that is confined. Throws InputError naming the file.
  explicit Logo(const LogoJob& job);

  /// Draws what lies in a part of a row of the picture, whose pixels are RGB from `first_px` on.
  void draw(PointPx first_px, std::span<std::uint8_t> rgb) const noexcept;

 private:
  RectPx place_px_;
  std::vector<std::uint8_t> rgb_;  // place_px_'s rows, without gaps
};

}  // namespace tilewall::rendering
