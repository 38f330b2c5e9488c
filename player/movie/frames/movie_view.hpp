// The view of a wall movie that is drawn now: its plan, and where the plan's blocks lie in the
// picture and in the window that the scaler reads.
//
// Pure. Threads: one owner.
#pragma once

#include <cstddef>
#include <optional>

#include "player/movie/frames/scaler.hpp"
#include "player/movie/frames/view_plan.hpp"

namespace tilewall::movie {

class MovieView {
 public:
  /// `movie` belongs to the caller, and outlives this.
  explicit MovieView(const MovieManifest& movie) : movie_(movie) {}

  /// Sets the number of levels by which pictures are coarser than the view needs. After a change
  /// the next plan() plans anew.
  void set_coarser_by(int levels) noexcept;

  /// Plans a view. False if it is planned already.
  bool plan(const picture::Placement& placement, SizePx picture_px);

  /// The plan. Blocks are named by their index in its `blocks` below.
  [[nodiscard]] const ViewPlan& now() const noexcept { return plan_; }
  [[nodiscard]] bool shows_nothing() const noexcept { return plan_.fit.target_px.empty(); }

  /// How the window becomes the picture. @pre the plan is a scaled one that shows something
  [[nodiscard]] ScaleJob scale_job() const;

  /// The block's pixels of the level.
  [[nodiscard]] RectPx block_px(std::size_t i) const;

  /// The block's place in the window.
  [[nodiscard]] PointPx block_in_window(std::size_t i) const;

  /// The pixels of the picture that depend on the block.
  [[nodiscard]] RectPx shown_px(std::size_t i) const;

  /// The pixels of the block that an exact fit shows as `shown` in the picture.
  [[nodiscard]] RectPx part_in_block(std::size_t i, const RectPx& shown) const;

 private:
  const MovieManifest& movie_;
  int coarser_by_ = 0;
  std::optional<picture::Placement> placement_;  // empty: plan anew
  SizePx picture_px_;
  ViewPlan plan_;
};

}  // namespace tilewall::movie
