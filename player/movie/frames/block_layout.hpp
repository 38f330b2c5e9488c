// Where a level's blocks lie in the picture, in which order they stand in the file, how large they
// are.
#pragma once

#include <span>
#include <vector>

#include "player/movie/frames/manifest.hpp"
#include "wallconfigs/geometry.hpp"

namespace tilewall::movie {

/// libtiff insists on tile sides that are multiples of this; JPEG 4:2:0 codes 16x16 pixels at once.
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

  /// In pixels of the level, whole even where the block reaches beyond it.
  [[nodiscard]] RectPx rect_px(int block) const noexcept {
    return {block % columns() * block_px.width, block / columns() * block_px.height, block_px.width,
            block_px.height};
  }
};

[[nodiscard]] BlockGrid block_grid(const MovieManifest& manifest, int level) noexcept;

/// Block numbers in the order in which they stand in the file. BlockOrder::panels holds for level 0
/// alone: panel by panel, row by row within a panel; a block belongs to the panel of its upper left
/// corner. @pre panel_px is positive for BlockOrder::panels
[[nodiscard]] std::vector<int> block_order(const BlockGrid& grid, BlockOrder order, SizePx panel_px,
                                           int level);

/// The block size to store a movie with, for panels that show `shares_px` of it (in movie pixels;
/// empty: made for no wall, 512x512). Of all sizes up to 640x512 the one with which the panels
/// together decode least: every block that a panel sees a part of is decoded by that panel, and
/// each block costs as much as block_overhead_px pixels besides its own. Where a grid of blocks
/// coincides with the panels, that is the largest one that divides them. Never larger than the
/// movie needs.
[[nodiscard]] SizePx choose_block_px(SizePx movie_px, std::span<const RectF> shares_px);

/// Starting a decoder on a block costs as much as decoding so many of its pixels (measured at
/// 2560x1600: 640x400 blocks decode at 0.98 of the rate of one JPEG, 320x240 at 0.93).
inline constexpr double block_overhead_px = 5000;

}  // namespace tilewall::movie
