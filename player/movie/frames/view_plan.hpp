// How a placement is drawn: from which level, which blocks, exactly or scaled. Pure arithmetic.
//
// Level k of the pyramid has pixels 2^k movie pixels wide; "level px" are those. A pixel of the
// picture shows the movie where its centre does.
#pragma once

#include <vector>

#include "player/movie/frames/block_layout.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/picture/draw_parameters.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::movie {

/// Which pixels of a picture show which part of an image.
struct ImageFit {
  RectPx target_px;    ///< the pixels of the picture that show the image; empty: none does
  RectF source_px;     ///< what they show, in pixels of the image (of one of its levels)
  bool exact = false;  ///< pixel for pixel, up to 1e-6 in scale and 1e-3 px in place
  PointPx offset_px;   ///< where exact: image pixel (x, y) is picture pixel (x, y) + offset
};

/// Fits level `level` (0: the image itself) of an image of `image_px`.
[[nodiscard]] ImageFit fit_image(SizePx image_px, int level, const picture::Placement& placement,
                                 SizePx picture_px);

/// The coarsest level whose pixels are no larger than the picture's: minification by a filter stays
/// below 2, and nothing aliases. In [0, levels).
[[nodiscard]] int choose_level(const picture::Placement& placement, int levels);

/// So many levels below `level`; the coarsest of `levels` where there are not so many.
[[nodiscard]] int coarser_level(int level, int coarser_by, int levels) noexcept;

/// The pixels of a level that a scaled fit's filter looks at, extended to whole blocks of `grid`.
/// @pre the fit's target is not empty
[[nodiscard]] RectPx source_window(const ImageFit& fit, const BlockGrid& grid) noexcept;

/// The pixels of the picture that a block, which covers `block` of the level, has a part in; where
/// the picture is scaled, by the filter too.
[[nodiscard]] RectPx block_in_picture(const ImageFit& fit, const RectPx& block) noexcept;

struct ViewPlan {
  int level = 0;
  ImageFit fit;             ///< of that level
  std::vector<int> blocks;  ///< numbers, ascending: all that the target needs
  RectPx window_px;  ///< scaled only: the level pixels that those blocks cover, cut to whole blocks
};

/// `coarser_by` levels below the one that choose_level() says, as far as there are any.
[[nodiscard]] ViewPlan plan_view(const MovieManifest& movie, const picture::Placement& placement,
                                 SizePx picture_px, int coarser_by = 0);

/// How far beyond `source_px` a scaled picture's filter looks, in source pixels, chroma included,
/// for a minification of `scale` (source pixels per target pixel).
[[nodiscard]] int filter_reach_px(double scale) noexcept;

}  // namespace tilewall::movie
