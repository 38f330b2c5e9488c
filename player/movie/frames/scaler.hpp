// Scales planes to BGRX pixels with zimg: bicubic, any colour to RGB (BT.709's light where the
// source has another), in bands that run side by side.
//
// The source rectangle may lie anywhere between pixels. Where the source holds the pixels that the
// filter looks at (filter_reach_px() beyond the rectangle, or the image's true edge), neighbouring
// targets are crops of one big scaled picture.
#pragma once

#include <memory>
#include <vector>

#include "player/movie/frames/picture_source.hpp"
#include "player/movie/frames/plane_format.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall {

struct ScaleJob {
  SizePx source_px;  ///< of the source planes; whole chroma samples
  PlaneFormat format;
  RectF shown_px;  ///< the part of the source that the target shows
  SizePx target_px;
  bool operator==(const ScaleJob&) const = default;
};

/// What is set up for one job; serves any number of frames. Its bands may run at the same time,
/// each with another worker.
class Scaler {
 public:
  /// Prepares `job` for `workers` threads. ok() is false where zimg refuses such a scale.
  Scaler(const ScaleJob& job, int workers);
  ~Scaler();
  Scaler(const Scaler&) = delete;
  Scaler& operator=(const Scaler&) = delete;

  [[nodiscard]] bool ok() const noexcept;
  [[nodiscard]] int bands() const noexcept;

  /// Scales band number `band` of the target from planes that have the job's format and hold at
  /// least its size. False when zimg fails. @pre ok()
  [[nodiscard]] bool run(int band, int worker, const PlanesView& source, const ImageView& target);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tilewall
