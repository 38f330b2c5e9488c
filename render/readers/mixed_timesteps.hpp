// A series with places between its timesteps, at which voxels have the mean of two values.
#pragma once

#include <memory>
#include <span>
#include <utility>

#include "render/readers/voxel_reader.hpp"

namespace tilewall::render {

inline constexpr int most_mixed_parts = 1024;

/// Mixes the numbers of two timesteps into those of the first, `share` of `parts` of the way to the
/// second. Whole numbers are rounded. Where one of two voxels is empty, the nearer one counts.
/// @pre equal lengths, 0 <= share <= parts <= most_mixed_parts
void mix_voxels(std::span<std::byte> from, std::span<const std::byte> to, VoxelType type, int share,
                int parts);

/// Timestep t of the series is number t * parts here; the numbers between two timesteps are mixed
/// from both. info() is the series' own. Takes a window more of memory than the series does.
class MixedTimesteps final : public VoxelReader {
 public:
  /// @pre 1 <= parts <= most_mixed_parts; parts times the number of timesteps fits an int
  MixedTimesteps(std::unique_ptr<VoxelReader> series, int parts)
      : series_(std::move(series)), parts_(parts) {}

  [[nodiscard]] const std::string& path() const noexcept override { return series_->path(); }
  [[nodiscard]] const VolumeInfo& info() const noexcept override { return series_->info(); }
  [[nodiscard]] bool is_lost() const noexcept override { return series_->is_lost(); }
  void read_box(int grid, int timestep, const GridBox& box, const VoxelTarget& into,
                const std::stop_token& stop) override;
  [[nodiscard]] std::optional<CellPairs> read_cells(int grid, int timestep,
                                                    const std::stop_token& stop) override;
  [[nodiscard]] std::size_t window_bytes() const noexcept override {
    return series_->window_bytes();
  }
  [[nodiscard]] std::uint64_t read_bytes() const noexcept override { return series_->read_bytes(); }
  [[nodiscard]] Work work() const noexcept override { return series_->work(); }
  [[nodiscard]] std::string trouble() const override { return series_->trouble(); }

 private:
  const std::unique_ptr<VoxelReader> series_;
  const int parts_;
};

}  // namespace tilewall::render
