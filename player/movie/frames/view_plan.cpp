#include "player/movie/frames/view_plan.hpp"

#include <algorithm>
#include <cmath>

#include "player/movie/frames/block_layout.hpp"

namespace tilewall::movie {
namespace {

constexpr double exact_scale = 1e-6;
constexpr double exact_place_px = 1e-3;

// One axis of a placement, with level px = (picture px - picture_at) * scale + level_at.
struct Axis {
  double level_at;
  double picture_at;
  double picture_end;
  double scale;

  Axis(double movie_at, double movie_length, double picture_at_, double picture_length, int level)
      : level_at(std::ldexp(movie_at, -level)),
        picture_at(picture_at_),
        picture_end(picture_at_ + picture_length),
        scale(std::ldexp(movie_length / picture_length, -level)) {}

  [[nodiscard]] double to_level(double picture) const {
    return (picture - picture_at) * scale + level_at;
  }
  [[nodiscard]] double to_picture(double level) const {
    return (level - level_at) / scale + picture_at;
  }
  [[nodiscard]] double offset() const { return picture_at - level_at; }
  [[nodiscard]] bool exact() const {
    return std::abs(scale - 1) <= exact_scale &&
           std::abs(offset() - std::round(offset())) <= exact_place_px;
  }
};

struct Span {
  int begin;
  int end;
};

// The first pixel whose centre is at or after `edge`, within [0, limit].
int first_pixel_from(double edge, int limit) {
  return static_cast<int>(std::clamp(std::ceil(edge - 0.5), 0.0, static_cast<double>(limit)));
}

Span pixels_between(double begin, double end, int limit) {
  return {first_pixel_from(begin, limit), first_pixel_from(end, limit)};
}

// The picture's pixels that show the image on this axis. `level_end` is the image's end in level
// px.
Span target_span(const Axis& axis, double level_end, int picture_length) {
  return pixels_between(std::max(axis.picture_at, axis.to_picture(0)),
                        std::min(axis.picture_end, axis.to_picture(level_end)), picture_length);
}

bool usable(const RectF& rect) {
  return std::isfinite(rect.x) && std::isfinite(rect.y) && std::isfinite(rect.right()) &&
         std::isfinite(rect.bottom()) && !rect.empty();
}

std::vector<int> blocks_in(const RectPx& level_rect, const BlockGrid& grid) {
  std::vector<int> blocks;
  const int first_column = level_rect.x / grid.block_px.width;
  const int last_column = (level_rect.right() - 1) / grid.block_px.width;
  const int last_row = (level_rect.bottom() - 1) / grid.block_px.height;
  for (int row = level_rect.y / grid.block_px.height; row <= last_row; ++row)
    for (int column = first_column; column <= last_column; ++column)
      blocks.push_back(row * grid.columns() + column);
  return blocks;
}

}  // namespace

int filter_reach_px(double scale) noexcept {
  // Bicubic reads 2 target pixels to each side, chroma's grid is twice as coarse, and 2 are added
  // for rounding.
  return static_cast<int>(std::ceil(4 * std::max(1.0, scale))) + 2;
}

RectPx source_window(const ImageFit& fit, const BlockGrid& grid) noexcept {
  const auto axis = [](double begin, double shown, int target, int length, int step) -> Span {
    const int reach = filter_reach_px(shown / target);
    const int first = std::clamp(static_cast<int>(std::floor(begin)) - reach, 0, length - 1);
    const int last =
        std::clamp(static_cast<int>(std::ceil(begin + shown)) + reach, first + 1, length);
    return {first / step * step, (last + step - 1) / step * step};
  };
  const RectF& source = fit.source_px;
  const Span x =
      axis(source.x, source.width, fit.target_px.width, grid.level_px.width, grid.block_px.width);
  const Span y = axis(source.y, source.height, fit.target_px.height, grid.level_px.height,
                      grid.block_px.height);
  return {x.begin, y.begin, x.end - x.begin, y.end - y.begin};
}

RectPx block_in_picture(const ImageFit& fit, const RectPx& block) noexcept {
  const PointPx offset = fit.offset_px;
  if (fit.exact)
    return intersection(RectPx{block.x + offset.x, block.y + offset.y, block.width, block.height},
                        fit.target_px);
  const double scale_x = fit.source_px.width / fit.target_px.width;
  const double scale_y = fit.source_px.height / fit.target_px.height;
  // The clamp keeps int from overflowing, when the picture shows only a speck of the block.
  const auto edge = [](int level, int reach, double source_at, double scale, int target_at) {
    const double target = std::floor((level + reach - source_at) / scale);
    return static_cast<int>(std::clamp(target, -1e8, 1e8)) + target_at;
  };
  const int reach_x = filter_reach_px(scale_x);
  const int reach_y = filter_reach_px(scale_y);
  const int left = edge(block.x, -reach_x, fit.source_px.x, scale_x, fit.target_px.x);
  const int top = edge(block.y, -reach_y, fit.source_px.y, scale_y, fit.target_px.y);
  const int right = edge(block.right(), reach_x, fit.source_px.x, scale_x, fit.target_px.x) + 1;
  const int bottom = edge(block.bottom(), reach_y, fit.source_px.y, scale_y, fit.target_px.y) + 1;
  return intersection(RectPx{left, top, right - left, bottom - top}, fit.target_px);
}

int choose_level(const picture::Placement& placement, int levels) {
  if (!usable(placement.movie_px) || !usable(placement.picture_px)) return 0;
  const double scale = std::min(placement.movie_px.width / placement.picture_px.width,
                                placement.movie_px.height / placement.picture_px.height);
  const double level = std::floor(std::log2(scale) + exact_scale);
  return static_cast<int>(std::clamp(level, 0.0, static_cast<double>(levels - 1)));
}

ImageFit fit_image(SizePx image_px, int level, const picture::Placement& placement,
                   SizePx picture_px) {
  const RectF& movie = placement.movie_px;
  const RectF& picture = placement.picture_px;
  if (!usable(movie) || !usable(picture)) return {};
  const Axis x(movie.x, movie.width, picture.x, picture.width, level);
  const Axis y(movie.y, movie.height, picture.y, picture.height, level);
  ImageFit fit;
  fit.exact = x.exact() && y.exact();
  const SizePx level_px = level_size_px(image_px, level);
  // The last pixels of a coarse level may reach beyond the image. Drawn pixel for pixel they are
  // shown whole; scaled, only as far as the image reaches.
  const auto end = [&](int image, int whole) {
    return fit.exact ? static_cast<double>(whole) : std::ldexp(image, -level);
  };
  const Span columns = target_span(x, end(image_px.width, level_px.width), picture_px.width);
  const Span rows = target_span(y, end(image_px.height, level_px.height), picture_px.height);
  fit.target_px = {columns.begin, rows.begin, columns.end - columns.begin, rows.end - rows.begin};
  fit.source_px = {x.to_level(columns.begin), y.to_level(rows.begin), fit.target_px.width * x.scale,
                   fit.target_px.height * y.scale};
  if (fit.exact && !fit.target_px.empty())
    fit.offset_px = {static_cast<int>(std::lround(x.offset())),
                     static_cast<int>(std::lround(y.offset()))};
  return fit;
}

int coarser_level(int level, int coarser_by, int levels) noexcept {
  return level + std::clamp(coarser_by, 0, levels - 1 - level);
}

ViewPlan plan_view(const MovieManifest& movie, const picture::Placement& placement,
                   SizePx picture_px, int coarser_by) {
  ViewPlan plan;
  plan.level = coarser_level(choose_level(placement, movie.levels), coarser_by, movie.levels);
  plan.fit = fit_image(movie.size_px, plan.level, placement, picture_px);
  const RectPx& target = plan.fit.target_px;
  if (target.empty()) return plan;
  const BlockGrid grid = block_grid(movie, plan.level);
  if (plan.fit.exact) {
    plan.blocks = blocks_in({target.x - plan.fit.offset_px.x, target.y - plan.fit.offset_px.y,
                             target.width, target.height},
                            grid);
    return plan;
  }
  plan.window_px = source_window(plan.fit, grid);
  plan.blocks = blocks_in(plan.window_px, grid);
  return plan;
}

}  // namespace tilewall::movie
