#include "player/volume/live/live_volume.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "render/readers/slab_reducer.hpp"

namespace tilewall::volume {

LiveVolume::LiveVolume(LiveTimestepPtr timestep, const LiveMeaning& meaning)
    : timestep_(std::move(timestep)), path_("live:" + meaning.name) {
  info_.format = "live";
  info_.dataset = meaning.field;
  info_.size = timestep_->size();
  info_.type = timestep_->type();
  info_.file_type = render::name_of(info_.type);
  info_.scale = meaning.scale;
  info_.place = meaning.place;
  info_.value_unit = meaning.units;
  info_.times = {timestep_->time()};
  info_.time_labels = {fmt::format("{:g}", timestep_->time())};
  info_.coarser = {
      {timestep_->halved_size(), render::reduced_place(info_.place, info_.size, 2), {1, 1, 1}}};
}

void LiveVolume::read_box(int grid, int /*timestep*/, const render::GridBox& box,
                          const render::VoxelTarget& into, const std::stop_token& stop) {
  const render::VolumeSize size = grid == 0 ? timestep_->size() : timestep_->halved_size();
  const std::span<const std::byte> from = grid == 0 ? timestep_->voxels() : timestep_->halved();
  const auto voxel = static_cast<std::size_t>(render::bytes_of(info_.type));
  const std::size_t row = static_cast<std::size_t>(size.x) * voxel;
  const std::size_t slice = row * static_cast<std::size_t>(size.y);
  const std::size_t bytes = static_cast<std::size_t>(box.end[0] - box.begin[0]) * voxel;
  for (int z = box.begin[2]; z < box.end[2] && !stop.stop_requested(); ++z)
    for (int y = box.begin[1]; y < box.end[1]; ++y)
      std::memcpy(into.first + static_cast<std::size_t>(z - box.begin[2]) * into.slice_bytes +
                      static_cast<std::size_t>(y - box.begin[1]) * into.row_bytes,
                  from.data() + static_cast<std::size_t>(z) * slice +
                      static_cast<std::size_t>(y) * row +
                      static_cast<std::size_t>(box.begin[0]) * voxel,
                  bytes);
  read_bytes_ += box.size().voxels() * voxel;
}

std::size_t LiveVolume::window_bytes() const noexcept { return timestep_->voxels().size(); }

}  // namespace tilewall::volume
