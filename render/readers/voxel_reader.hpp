// A volume that is read box by box, wherever it lies: VolumeFile has it on this machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "render/readers/volume_info.hpp"
#include "render/volume/tile_needs.hpp"

namespace tilewall::render {

/// Where voxels go: x fastest, rows and slices so far apart.
struct VoxelTarget {
  std::byte* first = nullptr;
  std::size_t row_bytes = 0;
  std::size_t slice_bytes = 0;
};

/// Threads: one owner, but for trouble().
class VoxelReader {
 public:
  virtual ~VoxelReader() = default;

  [[nodiscard]] virtual const std::string& path() const noexcept = 0;  ///< for messages
  [[nodiscard]] virtual const VolumeInfo& info() const noexcept = 0;

  /// Whether no read succeeds any more; opened anew it may.
  [[nodiscard]] virtual bool is_lost() const noexcept = 0;

  /// A box of one of info()'s grids, in as many windows as it takes; of a file in chunks only those
  /// are touched that meet the box. Once `stop` is requested, the rest is left out. Throws
  /// InputError with one line: file, field, expected, found. @pre within the grid and the timesteps
  virtual void read_box(int grid, int timestep, const GridBox& box, const VoxelTarget& into,
                        const std::stop_token& stop = {}) = 0;

  /// What is kept beside a grid of u8 of its cells; empty where that is nothing, and once `stop` is
  /// requested. Throws as read_box() does.
  [[nodiscard]] virtual std::optional<CellPairs> read_cells(int /*grid*/, int /*timestep*/,
                                                            const std::stop_token& /*stop*/ = {}) {
    return std::nullopt;
  }

  /// Of one window, at most.
  [[nodiscard]] virtual std::size_t window_bytes() const noexcept = 0;
  /// Of voxels that were read so far.
  [[nodiscard]] virtual std::uint64_t read_bytes() const noexcept = 0;

  struct Work {
    std::uint64_t bricks = 0;     ///< chunks that were read for it; 0 of files that have none
    std::uint64_t file_ns = 0;    ///< as time passes, without what the reader computed
    std::uint64_t unpack_ns = 0;  ///< what it computed: unpacking, putting in order
  };
  /// So far.
  [[nodiscard]] virtual Work work() const noexcept = 0;

  /// What read_box() waits for now, a line for people; "" = nothing unusual. Any thread.
  [[nodiscard]] virtual std::string trouble() const { return {}; }
};

/// Chunks that meet the box; 0 of grids that are read by slices or voxels.
[[nodiscard]] std::uint64_t bricks_in(const GridBox& box, const VolumeGrid& grid) noexcept;

/// Sides of the pieces that a box of `extent` voxels is gone through in, each of `most` bytes at
/// most: multiples of `unit`, whole rows and slices first; where not even one unit fits, parts of
/// it whose sides are multiples of `least`, down to that.
[[nodiscard]] std::array<int, 3> piece_sides(const std::array<int, 3>& extent,
                                             const std::array<int, 3>& unit, int least,
                                             std::size_t voxel_bytes, std::size_t most) noexcept;

/// The pieces of `most` bytes at most that a box is read in: they begin where the grid's chunks do.
class BoxPieces {
 public:
  BoxPieces(const GridBox& box, const std::array<int, 3>& chunk, std::size_t voxel_bytes,
            std::size_t most) noexcept;
  /// The next one, z slowest; empty after the last.
  [[nodiscard]] std::optional<GridBox> next() noexcept;

 private:
  GridBox box_;
  std::array<int, 3> sides_ = {};
  std::array<int, 3> first_ = {};
  std::array<int, 3> at_ = {};
  bool more_ = true;
};

/// Voxels of a piece, x fastest without padding, to their place in the box that `into` is for.
void place_piece(const std::byte* voxels, const GridBox& piece, const GridBox& box,
                 std::size_t voxel_bytes, const VoxelTarget& into) noexcept;

}  // namespace tilewall::render
