// Plans how a placement is drawn: from which level and which blocks, pixel for pixel or scaled.
//
// Level k of the pyramid has pixels that are 2^k movie pixels wide, called level px here. A pixel
// of the picture shows the movie if its centre lies in the movie's place. Pure functions.
#pragma once

#include <vector>

#include "player/movie/frames/block_layout.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/picture/draw_parameters.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::movie {

/// A part of a picture, and the part of an image that it shows.
struct ImageFit {
  RectPx target_px;    ///< the pixels of the picture that show the image; empty: none does
  RectF source_px;     ///< the part that they show, in pixels of a level of the image
  bool exact = false;  ///< pixel for pixel, within 1e-6 in scale and 1e-3 px in place
  PointPx offset_px;   ///< only if exact: image pixel (x, y) is picture pixel (x, y) + offset_px
};

/// The fit of level `level` of an image of `image_px` pixels; level 0 is the image itself.
[[nodiscard]] ImageFit fit_image(SizePx image_px, int level, const picture::Placement& placement,
                                 SizePx picture_px);

/// The coarsest level whose pixels are no larger than the picture's, in [0, levels). The filter
/// then shrinks by less than 2, unless that is the last level.
[[nodiscard]] int choose_level(const picture::Placement& placement, int levels);

/// The level `coarser_by` levels below `level`, or the last of `levels`.
[[nodiscard]] int coarser_level(int level, int coarser_by, int levels) noexcept;

/// The pixels of a level that the filter of a scaled fit reads, extended to whole blocks of `grid`.
/// @pre the fit's target is not empty
[[nodiscard]] RectPx source_window(const ImageFit& fit, const BlockGrid& grid) noexcept;

/// The pixels of the picture that depend on the block with the rectangle `block` of the level. For
/// a scaled fit, the filter's reach is included.
[[nodiscard]] RectPx block_in_picture(const ImageFit& fit, const RectPx& block) noexcept;

struct ViewPlan {
  int level = 0;
  ImageFit fit;             ///< the fit of that level
  std::vector<int> blocks;  ///< ascending numbers of all blocks that the target needs
  RectPx window_px;         ///< only if scaled: the level px of these blocks, in whole blocks
};

/// Plans a picture from the level `coarser_by` levels below that of choose_level(), or from the
/// last.
[[nodiscard]] ViewPlan plan_view(const MovieManifest& movie, const picture::Placement& placement,
                                 SizePx picture_px, int coarser_by = 0);

/// Distance beyond ImageFit::source_px that the filter of a scaled picture reads, in source pixels
/// and including halved chroma; `scale` = source pixels per target pixel.
[[nodiscard]] int filter_reach_px(double scale) noexcept;

}  // namespace tilewall::movie
