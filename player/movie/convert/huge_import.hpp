// Imports one image too large for memory: read by rows, scaled and coloured band by band, written
// by rows.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "player/movie/convert/import_job.hpp"
#include "player/movie/frames/planar_picture.hpp"
#include "player/movie/source/image_rows.hpp"

namespace tilewall::movie {

inline constexpr std::int64_t huge_from_px = 64'000'000;

/// The rows of the one image that `inputs` name, where it is a JPEG, PNG or TIFF of more than
/// huge_from_px; else null. Throws InputError.
[[nodiscard]] std::unique_ptr<ImageRows> open_huge_image(const std::vector<std::string>& inputs);

/// As import_movie(); memory stays under about 512 MiB.
ImportResult import_huge_image(const ImportOptions& options, std::unique_ptr<ImageRows> rows,
                               ProgressSink& progress);

/// Rows of an image of any size -> bands of the stored picture, each exactly what converting the
/// whole picture at once would give.
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

}  // namespace tilewall::movie
