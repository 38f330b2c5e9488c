#include "player/volume/volume_levels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "player/volume/tile_choice.hpp"
#include "render/readers/load_volume.hpp"
#include "render/readers/slab_reducer.hpp"
#include "render/volume/cell_ranges.hpp"
#include "render/volume/volume_caster.hpp"
#include "sync/base/error.hpp"

namespace tilewall::volume {
namespace {

constexpr int least_steps = 2;  // timesteps of a series: the one that is shown, and the next
constexpr int most_halvings = 12;
// Less than that is read in a moment. A level of that size takes half a second at most.
constexpr std::size_t most_preview_bytes = std::size_t{96} << 20;
// The voxels of a preview, in those of the next one.
constexpr std::size_t least_preview_factor = 4;
constexpr double cell_bytes = 10;  // two floats, and what pictures need
// An overview takes at most a quarter of the budget, or a third for each of a series' two.
constexpr std::size_t still_share = 4;
constexpr std::size_t series_share = 3;
// Limit of the file's voxels that are read for a detail at a level that the file does not have.
constexpr double most_reduced_voxels = 4e9;
constexpr std::array<int, 3> margins = {4, 8, 0};  // 1/4, 1/8 or none of the box at each side

bool is_showable(render::VolumeSize size) {
  return std::max({size.x, size.y, size.z}) <= render::max_volume_side;
}

bool fits(render::VoxelType type, render::VolumeSize size, std::size_t bytes) {
  return is_showable(size) && shown_bytes(type, size) <= bytes;
}

/// The levels to show before a volume of which `room` bytes hold all: the finest one that is read
/// in a moment, and finer ones that have a small part of the next one's voxels, so that all of them
/// take little more time than the whole. They are in memory at the same time as the whole.
std::vector<int> preview_levels(const std::vector<VolumeLevel>& levels, render::VoxelType type,
                                std::size_t room) {
  const auto bytes_at = [&](int number) {
    return shown_bytes(type, levels[static_cast<std::size_t>(number)].size);
  };
  if (bytes_at(0) <= most_preview_bytes) return {};
  std::vector<int> previews;  // the coarsest last
  std::size_t next = bytes_at(0);
  for (std::size_t at = 1; at < levels.size() && levels[at].side == 1; ++at) {
    const int number = static_cast<int>(at);
    if (!is_showable(levels[at].size) || bytes_at(number) > next / least_preview_factor) continue;
    next = bytes_at(number);
    previews.push_back(number);
    if (next <= most_preview_bytes) break;
  }
  if (next > most_preview_bytes) return {};
  std::size_t left = room - bytes_at(0);
  std::reverse(previews.begin(), previews.end());
  const auto is_too_much = [&](int number) {
    const std::size_t bytes = bytes_at(number);
    if (bytes > left) return true;
    left -= bytes;
    return false;
  };
  previews.erase(std::find_if(previews.begin(), previews.end(), is_too_much), previews.end());
  return previews;
}

}  // namespace

std::vector<VolumeLevel> volume_levels(const render::VolumeInfo& info, Vec3d stretch) {
  std::vector<VolumeLevel> levels;
  levels.reserve(static_cast<std::size_t>(info.grids()));
  for (int grid = 0; grid < info.grids(); ++grid)
    levels.push_back({grid, 1, info.grid(grid).size, render::stretched_place(info, grid, stretch)});
  const VolumeLevel coarsest = levels.back();
  for (int halvings = 1; halvings <= most_halvings; ++halvings) {
    const int side = 1 << halvings;
    if (side / 2 >= std::max({coarsest.size.x, coarsest.size.y, coarsest.size.z})) break;
    levels.push_back({coarsest.grid, side, render::reduced_size(coarsest.size, side),
                      render::reduced_place(coarsest.place, coarsest.size, side)});
  }
  return levels;
}

std::size_t shown_bytes(render::VoxelType type, render::VolumeSize thin) noexcept {
  const render::VolumeSize size = render::thickened(thin);
  const int side = render::cell_side_of(size);
  double cells = 1;
  for (const int length : {size.x, size.y, size.z}) {
    const int along = (length - 1 + side - 1) / side;  // the last one may be cut
    cells *= along;
  }
  return size.voxels() * static_cast<std::size_t>(render::bytes_of(type)) +
         render::caster_bytes(type, size) + static_cast<std::size_t>(cells * cell_bytes);
}

std::size_t reading_window_bytes(std::size_t memory_bytes) noexcept {
  return std::clamp(memory_bytes / 32, std::size_t{64} << 10, std::size_t{32} << 20);
}

MemoryPlan plan_memory(const std::vector<VolumeLevel>& levels, render::VoxelType type,
                       std::int64_t timesteps, std::size_t memory_bytes) {
  const std::size_t reading = 2 * reading_window_bytes(memory_bytes);
  const std::size_t room = memory_bytes > reading ? memory_bytes - reading : 0;
  MemoryPlan plan;
  const auto bytes = [&] {
    return shown_bytes(type, levels[static_cast<std::size_t>(plan.overview)].size);
  };
  const auto hold = [&](std::size_t most) {
    plan.overviews =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(most / bytes()), 1, timesteps);
  };
  const auto steps = static_cast<std::size_t>(std::min<std::int64_t>(timesteps, least_steps));
  if (fits(type, levels[0].size, room / steps)) {
    hold(room);
    if (timesteps == 1) plan.previews = preview_levels(levels, type, room);
    return plan;
  }
  const std::size_t most = room / (timesteps > 1 ? series_share : still_share);
  const int last = static_cast<int>(levels.size()) - 1;
  while (plan.overview < last &&
         !fits(type, levels[static_cast<std::size_t>(plan.overview)].size, most))
    ++plan.overview;
  hold(steps * most);
  const std::size_t held = static_cast<std::size_t>(plan.overviews) * bytes();
  plan.detail_bytes = room > held ? room - held : 0;
  return plan;
}

std::optional<DetailChoice> choose_box(const std::vector<VolumeLevel>& levels,
                                       const MemoryPlan& plan, render::VoxelType type, int number,
                                       const VisiblePolyhedron& body) {
  const VolumeLevel& level = levels[static_cast<std::size_t>(number)];
  if (voxel_length(level) < least_voxel_px * body.pixel) return std::nullopt;
  const render::GridBox needed = touched_box(level, body.corners);
  const double read = static_cast<double>(needed.size().voxels()) * std::pow(level.side, 3);
  if (level.side > 1 && read > most_reduced_voxels) return std::nullopt;
  for (const int margin : margins) {
    const render::GridBox box = grown(needed, margin, level.size);
    if (fits(type, box.size(), plan.detail_bytes))
      return DetailChoice{number, needed, box, nullptr, 0};
  }
  return std::nullopt;
}

std::optional<DetailChoice> choose_detail(const std::vector<VolumeLevel>& levels,
                                          const MemoryPlan& plan, render::VoxelType type,
                                          const SeenPart& seen) {
  if (plan.overview == 0) return std::nullopt;
  const VisiblePolyhedron body = visible_polyhedron(levels[0], seen);
  if (body.corners.empty()) return std::nullopt;
  for (int number = 0; number < plan.overview; ++number)
    if (auto box = choose_box(levels, plan, type, number, body)) return box;
  return std::nullopt;
}

}  // namespace tilewall::volume
