#include "player/movie/frames/movie_view.hpp"

#include <algorithm>

namespace tilewall::movie {

void MovieView::set_coarser_by(int levels) noexcept {
  if (coarser_by_ != levels) placement_.reset();
  coarser_by_ = levels;
}

bool MovieView::plan(const picture::Placement& placement, SizePx picture_px) {
  if (placement_ == placement && picture_px_ == picture_px) return false;
  placement_ = placement;
  picture_px_ = picture_px;
  plan_ = plan_view(movie_, placement, picture_px, coarser_by_);
  return true;
}

ScaleJob MovieView::scale_job() const {
  const RectPx& window = plan_.window_px;
  const ImageFit& fit = plan_.fit;
  // Blocks on the edge reach beyond the level. The filter must not read there: it would mix padding
  // into the last pixels.
  const SizePx level_px = level_size_px(movie_.size_px, plan_.level);
  const auto even = [](int side) { return (side + 1) / 2 * 2; };
  ScaleJob job;
  job.source_px = {std::min(window.width, even(level_px.width - window.x)),
                   std::min(window.height, even(level_px.height - window.y))};
  job.format = stored_format(movie_.chroma);
  job.shown_px = {fit.source_px.x - window.x, fit.source_px.y - window.y, fit.source_px.width,
                  fit.source_px.height};
  job.target_px = {fit.target_px.width, fit.target_px.height};
  return job;
}

RectPx MovieView::block_px(std::size_t i) const {
  return block_grid(movie_, plan_.level).rect_px(plan_.blocks[i]);
}

PointPx MovieView::block_in_window(std::size_t i) const {
  const RectPx block = block_px(i);
  return {block.x - plan_.window_px.x, block.y - plan_.window_px.y};
}

RectPx MovieView::shown_px(std::size_t i) const { return block_in_picture(plan_.fit, block_px(i)); }

RectPx MovieView::part_in_block(std::size_t i, const RectPx& shown) const {
  const RectPx block = block_px(i);
  const PointPx offset = plan_.fit.offset_px;
  return {shown.x - offset.x - block.x, shown.y - offset.y - block.y, shown.width, shown.height};
}

}  // namespace tilewall::movie
