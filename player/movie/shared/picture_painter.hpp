// Draws a panel's part of a picture in shared memory: crops, scales, converts the colours and turns
// it upright, in one pass of zimg.
#pragma once

#include <optional>
#include <vector>

#include "player/movie/frames/scaler.hpp"
#include "player/movie/frames/view_plan.hpp"
#include "player/movie/frames/worker_pool.hpp"
#include "player/movie/shared/shared_picture.hpp"
#include "player/picture/draw_counters.hpp"
#include "player/picture/draw_parameters.hpp"
#include "wallconfigs/image_view.hpp"

namespace tilewall::movie {

/// Threads: one caller; owns a worker pool.
class PicturePainter {
 public:
  /// `displayed_px`: size of the movie as it is displayed; `threads` share each picture.
  PicturePainter(SizePx displayed_px, int threads);

  /// The pixels of a panel's picture that show the movie.
  [[nodiscard]] const RectPx& place(const picture::Placement& placement, SizePx picture_px);

  /// Draws the pixels of the last place(). Returns false if zimg cannot convert such a picture; the
  /// first time a line on stderr names the formats. @pre place() was called, and was not empty
  [[nodiscard]] bool paint(const PictureView& from, const ImageView& picture,
                           picture::DrawCounters& counters);

 private:
  /// The work that the scaler is prepared for.
  struct Job {
    ScaleJob scale;
    Orientation orientation;
    bool operator==(const Job&) const = default;
  };

  void prepare(const PictureView& from);

  const SizePx displayed_px_;
  std::optional<picture::Placement> placement_;
  SizePx picture_px_;
  ImageFit fit_;
  std::optional<Job> job_;
  Scaler scaler_;
  bool refusal_told_ = false;
  std::vector<std::uint8_t> unturned_;  // the scaled picture before it is turned upright
  WorkerPool pool_;                     // last member: its threads use the others
};

}  // namespace tilewall::movie
