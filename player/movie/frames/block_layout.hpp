// Geometry of blocks: their places in a level, their order in the file, and the choice of their
// size.
//
// Threads: pure functions.
#pragma once

#include <span>
#include <vector>

#include "player/movie/frames/manifest.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::movie {

/// Blocks' sides are multiples of this: libtiff requires it, and JPEG 4:2:0 codes 16x16 pixels at
/// once.
inline constexpr int block_step_px = 16;

/// One level cut into blocks, numbered row by row (TIFF's tile numbers). Blocks on the right and
/// lower edge reach beyond the level.
struct BlockGrid {
  SizePx level_px;
  SizePx block_px;

  [[nodiscard]] int columns() const noexcept {
    return (level_px.width + block_px.width - 1) / block_px.width;
  }
  [[nodiscard]] int rows() const noexcept {
    return (level_px.height + block_px.height - 1) / block_px.height;
  }
  [[nodiscard]] int count() const noexcept { return columns() * rows(); }

  /// The whole block in pixels of the level, even if it reaches beyond the level.
  [[nodiscard]] RectPx rect_px(int block) const noexcept {
    return {block % columns() * block_px.width, block / columns() * block_px.height, block_px.width,
            block_px.height};
  }
};

[[nodiscard]] BlockGrid block_grid(const MovieManifest& manifest, int level) noexcept;

/// Block numbers in their order in the file. BlockOrder::panels applies to level 0 alone: panel by
/// panel, and row by row within a panel. A block belongs to the panel that has its upper left
/// corner. @pre panel_px is positive for BlockOrder::panels
[[nodiscard]] std::vector<int> block_order(const BlockGrid& grid, BlockOrder order, SizePx panel_px,
                                           int level);

/// The block size for storing a movie of which the panels show `shares_px`, in movie pixels;
/// 512x512 if that is empty, for a movie made for no wall.
///
/// Of all sizes up to 640x512, and no larger than the movie needs, it is the one with which the
/// panels together decode least. A panel decodes every block of which it sees a part, and each
/// block costs block_overhead_px in addition to its pixels. If blocks can coincide with the panels,
/// that is the largest size that divides them.
[[nodiscard]] SizePx choose_block_px(SizePx movie_px, std::span<const RectF> shares_px);

/// Cost of starting a decoder on a block, in pixels decoded in the same time (measured at
/// 2560x1600: 640x400 blocks decode at 0.98 of the rate of one JPEG, 320x240 at 0.93).
inline constexpr double block_overhead_px = 5000;

}  // namespace tilewall::movie
