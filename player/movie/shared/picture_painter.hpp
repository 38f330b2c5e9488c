// Draws a panel's part of a picture in shared memory: crop, scale, colour and orientation, in one
// pass of zimg.
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
  /// `displayed_px`: of the movie.
  PicturePainter(SizePx displayed_px, int threads);

  /// Which pixels of a panel's picture show the movie.
  [[nodiscard]] const RectPx& place(const picture::Placement& placement, SizePx picture_px);

  /// Draws these pixels. False where zimg cannot make such a picture, which a line in the log says
  /// once. @pre placed, not empty
  [[nodiscard]] bool paint(const PictureView& from, const ImageView& picture,
                           picture::DrawCounters& counters);

 private:
  /// What the scaler was made for.
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
  std::vector<std::uint8_t> unturned_;  // a picture before it is turned upright
  WorkerPool pool_;                     // last member: its threads use the others
};

}  // namespace tilewall::movie
