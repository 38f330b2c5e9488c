// Rows of an image of any size -> bands of the stored picture, each exactly what converting the
// whole picture at once would give.
#pragma once

#include <memory>
#include <string>

#include "player/movie/frames/planar_picture.hpp"
#include "player/movie/source/image_rows.hpp"

namespace tilewall {

struct BandTarget {
  RectPx crop_px;  ///< of the image
  SizePx size_px;  ///< of the stored picture
  Chroma chroma = Chroma::yuv420;
};

/// One thread. Holds the rows that the next band needs, with a margin for the scaling filter.
class BandConverter {
 public:
  BandConverter(ImageRows& rows, const BandTarget& target, std::string name);
  ~BandConverter();
  BandConverter(const BandConverter&) = delete;
  BandConverter& operator=(const BandConverter&) = delete;

  /// The next rows of the stored picture, an even number of them but for the last; empty (no
  /// planes) at the end. Throws InputError where the image is damaged.
  [[nodiscard]] PlanarPicture next();

  /// Rows of the stored picture delivered so far.
  [[nodiscard]] int rows_done() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall
