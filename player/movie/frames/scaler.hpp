// Scales planes to BGRX pixels with zimg (bicubic), in bands that run in parallel; halves planes
// for pyramids.
//
// Any colour becomes RGB; HDR, linear light and wide gamut are converted to BT.709 or sRGB. The
// source rectangle may lie anywhere between pixels. If the source holds the pixels that the filter
// reads (filter_reach_px() beyond the rectangle, up to the image's true edge), neighbouring targets
// are crops of one big scaled picture.
#pragma once

#include <memory>

#include "player/movie/codecs/planar_picture.hpp"
#include "player/movie/frames/plane_format.hpp"
#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::movie {

struct ScaleJob {
  SizePx source_px;    ///< size of the source planes, in whole chroma samples
  PlaneFormat format;  ///< format of the source planes
  RectF shown_px;      ///< the part of the source that the target shows
  SizePx target_px;
  bool operator==(const ScaleJob&) const = default;
};

/// Scales any number of frames by one job at a time. Keeps its memory from job to job, because a
/// view that moves is another job in every picture.
///
/// Threads: one owner calls prepare(); several may call run().
class Scaler {
 public:
  explicit Scaler(int workers);
  ~Scaler();
  Scaler(const Scaler&) = delete;
  Scaler& operator=(const Scaler&) = delete;

  /// Sets the job; does nothing if it is the last one again. zimg's filters are set up in each
  /// band's first run, so that the workers do it in parallel.
  void prepare(const ScaleJob& job);

  /// Number of bands, from 1 to the number of workers. @pre prepare() was called
  [[nodiscard]] int bands() const noexcept;

  /// Scales band number `band` of the target from planes of the job's format and at least its size.
  /// False if zimg fails, or refuses the scale. Bands may run in parallel, each with another worker
  /// number. @pre prepare() was called
  [[nodiscard]] bool run(int band, int worker, const PlanesView& source, const ImageView& target);

  /// Whether zimg refused to set up a band that was run.
  [[nodiscard]] bool refused() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Kernels that halve planes for the pyramid: each sample is the mean of 2x2 samples of the finer
// level.

/// dst[x] = (upper[2x] + upper[2x+1] + lower[2x] + lower[2x+1] + 2) / 4 for x < ceil(src_width /
/// 2). With an odd width, the last column counts twice. `upper` and `lower` may be the same row.
void halve_rows(const std::uint8_t* upper, const std::uint8_t* lower, std::uint8_t* dst,
                int src_width) noexcept;

/// The scalar version by the formula, with which tests compare halve_rows().
void halve_rows_reference(const std::uint8_t* upper, const std::uint8_t* lower, std::uint8_t* dst,
                          int src_width) noexcept;

/// Halves the first `rows` luma rows, and the chroma rows that belong to them, into `dst` from its
/// luma row `dst_y` on. With an odd number of rows, the last one counts twice.
/// @pre dst has the halved width and room for the rows; `dst_y` is even; `rows` is even, except at
/// the end of the picture
void halve_picture_rows(const PlanarPicture& src, int rows, PlanarPicture& dst, int dst_y) noexcept;

/// The next level of the pyramid: ceil(size / 2).
[[nodiscard]] PlanarPicture halved(const PlanarPicture& picture);

}  // namespace tilewall::movie
