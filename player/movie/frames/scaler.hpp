// Scales planes to BGRX pixels with zimg: bicubic, any colour to RGB (BT.709's light where the
// source has another), in bands that run side by side.
//
// The source rectangle may lie anywhere between pixels. Where the source holds the pixels that the
// filter looks at (filter_reach_px() beyond the rectangle, or the image's true edge), neighbouring
// targets are crops of one big scaled picture.
#pragma once

#include <memory>

#include "player/movie/frames/planar_picture.hpp"
#include "player/movie/frames/plane_format.hpp"
#include "wallconfigs/geometry.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::movie {

struct ScaleJob {
  SizePx source_px;  ///< of the source planes; whole chroma samples
  PlaneFormat format;
  RectF shown_px;  ///< the part of the source that the target shows
  SizePx target_px;
  bool operator==(const ScaleJob&) const = default;
};

/// Prepared for one job at a time; serves any number of frames. Keeps its memory from job to job,
/// as views that move are another job in every picture.
class Scaler {
 public:
  explicit Scaler(int workers);
  ~Scaler();
  Scaler(const Scaler&) = delete;
  Scaler& operator=(const Scaler&) = delete;

  /// From now on `job` is done; nothing happens where it is the one before. What zimg has to set up
  /// for each band is left to the band's first run, so that workers share it out.
  void prepare(const ScaleJob& job);

  /// As many as the workers, or fewer. @pre prepared
  [[nodiscard]] int bands() const noexcept;

  /// Scales band number `band` of the target from planes that have the job's format and hold at
  /// least its size. False when zimg fails, or refuses such a scale. Bands may run at the same
  /// time, each with another worker. @pre prepared
  [[nodiscard]] bool run(int band, int worker, const PlanesView& source, const ImageView& target);

  /// Whether zimg refused to set up a band that was run.
  [[nodiscard]] bool refused() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// Halves planes for the pyramid: each sample is the mean of 2x2 samples of the level above.

/// dst[x] = (upper[2x] + upper[2x+1] + lower[2x] + lower[2x+1] + 2) / 4 for x < ceil(src_width /
/// 2); a missing last column counts its neighbour twice. `upper` and `lower` may be the same row.
void halve_rows(const std::uint8_t* upper, const std::uint8_t* lower, std::uint8_t* dst,
                int src_width) noexcept;

/// The same, as the formula reads; what tests compare halve_rows with.
void halve_rows_reference(const std::uint8_t* upper, const std::uint8_t* lower, std::uint8_t* dst,
                          int src_width) noexcept;

/// Halves the first `rows` rows of every plane into `dst` from its luma row `dst_y` on. A missing
/// last row counts its neighbour twice. `rows` counts luma rows; even unless they are the picture's
/// last ones, and `dst_y` is even. @pre dst has the halved width and room for the rows
void halve_picture_rows(const PlanarPicture& src, int rows, PlanarPicture& dst, int dst_y) noexcept;

/// The next level of the pyramid: ceil(size / 2).
[[nodiscard]] PlanarPicture halved(const PlanarPicture& picture);

}  // namespace tilewall::movie
