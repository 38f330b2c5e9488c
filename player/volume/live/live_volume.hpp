// A whole timestep of a live source as a volume that is read box by box, in two grids: as it was
// sent, and at half the resolution.
//
// Threads: one owner; several readers of one timestep may be used at once.
#pragma once

#include <string>

#include "player/volume/live/live_timestep.hpp"
#include "render/readers/voxel_reader.hpp"

namespace tilewall::volume {

/// What the voxels of a live source mean.
struct LiveMeaning {
  std::string name;   ///< of the source
  std::string field;  ///< whose values these are
  std::string units;  ///< of the values; "" = unknown
  render::VolumePlace place;
  render::ValueScale scale;
};

class LiveVolume final : public render::VoxelReader {
 public:
  /// @pre the timestep is whole
  LiveVolume(LiveTimestepPtr timestep, const LiveMeaning& meaning);

  [[nodiscard]] const std::string& path() const noexcept override { return path_; }
  [[nodiscard]] const render::VolumeInfo& info() const noexcept override { return info_; }
  [[nodiscard]] bool is_lost() const noexcept override { return false; }
  /// `timestep` is 0: this volume has one.
  void read_box(int grid, int timestep, const render::GridBox& box, const render::VoxelTarget& into,
                const std::stop_token& stop = {}) override;
  [[nodiscard]] std::size_t window_bytes() const noexcept override;
  [[nodiscard]] std::uint64_t read_bytes() const noexcept override { return read_bytes_; }
  [[nodiscard]] Work work() const noexcept override { return {}; }

 private:
  const LiveTimestepPtr timestep_;
  const std::string path_;
  render::VolumeInfo info_;
  std::uint64_t read_bytes_ = 0;
};

}  // namespace tilewall::volume
