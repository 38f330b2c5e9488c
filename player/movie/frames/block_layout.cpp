#include "player/movie/frames/block_layout.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>

#include "sync/base/check.hpp"

namespace tilewall {
namespace {

constexpr SizePx largest_block_px{640, 512};
constexpr SizePx default_block_px{512, 512};
constexpr int smallest_side_px =
    128;  // of a block that divides a larger share: below, decoding slows

int whole_steps_px(int side_px) noexcept {
  return (side_px + block_step_px - 1) / block_step_px * block_step_px;
}

int choose_side_px(int movie_px, int share_px, int largest_px, int default_px) noexcept {
  const int enough_px = whole_steps_px(movie_px);
  for (int side = std::min(largest_px, share_px) / block_step_px * block_step_px;
       side >= std::min(smallest_side_px, share_px) && side > 0; side -= block_step_px)
    if (share_px % side == 0) return std::min(side, enough_px);
  return std::min(default_px, enough_px);
}

}  // namespace

BlockGrid block_grid(const MovieManifest& manifest, int level) noexcept {
  return {level_size_px(manifest.size_px, level), manifest.block_px};
}

std::vector<int> block_order(const BlockGrid& grid, BlockOrder order, SizePx panel_px, int level) {
  std::vector<int> blocks(static_cast<std::size_t>(grid.count()));
  std::iota(blocks.begin(), blocks.end(), 0);
  if (order == BlockOrder::rows || level > 0) return blocks;
  TW_CHECK(panel_px.width > 0 && panel_px.height > 0, "{}x{}", panel_px.width, panel_px.height);
  std::stable_sort(blocks.begin(), blocks.end(), [&](int a, int b) {
    const RectPx ra = grid.rect_px(a);
    const RectPx rb = grid.rect_px(b);
    return std::tuple(ra.y / panel_px.height, ra.x / panel_px.width) <
           std::tuple(rb.y / panel_px.height, rb.x / panel_px.width);
  });
  return blocks;
}

SizePx choose_block_px(SizePx movie_px, SizePx panel_px) noexcept {
  return {choose_side_px(movie_px.width, panel_px.width, largest_block_px.width,
                         default_block_px.width),
          choose_side_px(movie_px.height, panel_px.height, largest_block_px.height,
                         default_block_px.height)};
}

}  // namespace tilewall
