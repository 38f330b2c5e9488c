#include "player/movie/frames/block_layout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "sync/base/check.hpp"

namespace tilewall::movie {
namespace {

constexpr SizePx largest_block_px{640, 512};
constexpr SizePx default_block_px{512, 512};
constexpr int smallest_side_px = 64;
constexpr double touch_px = 1e-3;  // a share that covers less of a block does not see the block

int whole_steps_px(int side_px) noexcept {
  return (side_px + block_step_px - 1) / block_step_px * block_step_px;
}

/// The number of blocks of `side_px` that a share [at, at + length) sees on one axis of a movie.
int blocks_seen(double at, double length, int side_px, int movie_px) noexcept {
  const double begin = std::clamp(at + touch_px, 0.0, static_cast<double>(movie_px));
  const double end = std::clamp(at + length - touch_px, 0.0, static_cast<double>(movie_px));
  if (end <= begin) return 0;
  return static_cast<int>(std::ceil(end / side_px)) - static_cast<int>(std::floor(begin / side_px));
}

/// One candidate for a side of the blocks.
struct SideChoice {
  int side_px = 0;
  std::vector<int> seen;  ///< for each share, the number of blocks that it sees on this axis
};

template <typename SeenBy>
std::vector<SideChoice> side_choices(int movie_px, int largest_px, std::span<const RectF> shares_px,
                                     SeenBy&& seen_by) {
  const int enough_px = std::min(whole_steps_px(movie_px), largest_px);
  std::vector<SideChoice> choices;
  for (int side = enough_px; side >= std::min(smallest_side_px, enough_px); side -= block_step_px) {
    choices.push_back({side, {}});
    for (const RectF& share : shares_px) choices.back().seen.push_back(seen_by(share, side));
  }
  return choices;
}

double decoding_cost(const SideChoice& width, const SideChoice& height) {
  double blocks = 0;
  for (std::size_t i = 0; i < width.seen.size(); ++i)
    blocks += static_cast<double>(width.seen[i]) * height.seen[i];
  return blocks * (static_cast<double>(width.side_px) * height.side_px + block_overhead_px);
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

SizePx choose_block_px(SizePx movie_px, std::span<const RectF> shares_px) {
  if (shares_px.empty())
    return {std::min(default_block_px.width, whole_steps_px(movie_px.width)),
            std::min(default_block_px.height, whole_steps_px(movie_px.height))};
  const auto widths = side_choices(
      movie_px.width, largest_block_px.width, shares_px, [&](const RectF& share, int side_px) {
        return blocks_seen(share.x, share.width, side_px, movie_px.width);
      });
  const auto heights = side_choices(
      movie_px.height, largest_block_px.height, shares_px, [&](const RectF& share, int side_px) {
        return blocks_seen(share.y, share.height, side_px, movie_px.height);
      });
  SizePx best{widths.front().side_px, heights.front().side_px};
  double least = std::numeric_limits<double>::infinity();
  for (const SideChoice& width : widths)
    for (const SideChoice& height : heights)
      if (const double cost = decoding_cost(width, height); cost < least) {
        least = cost;
        best = {width.side_px, height.side_px};
      }
  return best;
}

}  // namespace tilewall::movie
