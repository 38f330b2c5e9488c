// Imports one image that is too large for memory. It is read by rows, converted band by band and
// written by rows.
//
// Threads: the caller's only.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "player/movie/codecs/image_rows.hpp"
#include "player/movie/codecs/planar_picture.hpp"
#include "player/movie/convert/import_job.hpp"

namespace tilewall::movie {

/// An image with more pixels than this is imported by rows.
inline constexpr std::int64_t huge_from_px = 64'000'000;

/// Opens the image that `inputs` name, if they name exactly one, and it is a JPEG, PNG or TIFF of
/// more than huge_from_px. Null otherwise, and if the image cannot be read by rows. Throws
/// InputError if the inputs name nothing.
[[nodiscard]] std::unique_ptr<ImageRows> open_huge_image(const std::vector<std::string>& inputs);

/// Imports the image as import_movie() would, with less than about 512 MiB of memory.
ImportResult import_huge_image(const ImportOptions& options, std::unique_ptr<ImageRows> rows,
                               ProgressSink& progress);

/// Part and format of a picture that a BandConverter makes.
struct BandTarget {
  RectPx crop_px;  ///< the part of the image
  SizePx size_px;  ///< size of the stored picture
  Chroma chroma = Chroma::yuv420;
  bool is_portable = false;  ///< as in ConversionTarget
};

/// Converts the rows of an image to bands of the stored picture. Each band has the same samples as
/// if the whole picture were converted at once. Holds the image's rows that the next band needs,
/// with a margin for the scaling filter.
///
/// Threads: one owner.
class BandConverter {
 public:
  BandConverter(ImageRows& rows, const BandTarget& target, std::string name);
  ~BandConverter();
  BandConverter(const BandConverter&) = delete;
  BandConverter& operator=(const BandConverter&) = delete;

  /// The next rows of the stored picture: an even number, except for the last band; a picture
  /// without planes at the end. Throws InputError if the image is damaged.
  [[nodiscard]] PlanarPicture next();

  /// Rows of the stored picture that next() has returned so far.
  [[nodiscard]] int rows_done() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall::movie
