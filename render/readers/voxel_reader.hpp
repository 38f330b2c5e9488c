// Interface of a volume that is read box by box: a file on this machine (VolumeFile) or a volume on
// a server (RemoteVolume).
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

/// Memory for the voxels of a box, x fastest. Voxels of a row have no gaps.
struct VoxelTarget {
  std::byte* first = nullptr;   ///< the box's first voxel
  std::size_t row_bytes = 0;    ///< distance between rows, in bytes
  std::size_t slice_bytes = 0;  ///< distance between slices, in bytes
};

/// Threads: one owner; trouble() may be called by any thread.
class VoxelReader {
 public:
  virtual ~VoxelReader() = default;

  [[nodiscard]] virtual const std::string& path() const noexcept = 0;  ///< Path for messages
  [[nodiscard]] virtual const VolumeInfo& info() const noexcept = 0;

  /// Whether all further reads fail. Opening the volume again may help.
  [[nodiscard]] virtual bool is_lost() const noexcept = 0;

  /// Reads a box of one of info()'s grids, window by window. Of a file in chunks, only chunks that
  /// meet the box are read. Once `stop` is requested, the rest is not written. Throws InputError
  /// with one line: file, field, expected, found. @pre within the grid and the timesteps
  virtual void read_box(int grid, int timestep, const GridBox& box, const VoxelTarget& into,
                        const std::stop_token& stop = {}) = 0;

  /// Reads the value ranges of cells that are stored beside a grid of u8 voxels. Empty if none are,
  /// or once `stop` is requested. Throws as read_box().
  [[nodiscard]] virtual std::optional<CellPairs> read_cells(int /*grid*/, int /*timestep*/,
                                                            const std::stop_token& /*stop*/ = {}) {
    return std::nullopt;
  }

  /// Most bytes of voxels in one window.
  [[nodiscard]] virtual std::size_t window_bytes() const noexcept = 0;
  /// Bytes of voxels that were read so far.
  [[nodiscard]] virtual std::uint64_t read_bytes() const noexcept = 0;

  struct Work {
    std::uint64_t bricks = 0;     ///< chunks that were read; 0 for files without chunks
    std::uint64_t file_ns = 0;    ///< elapsed time less unpack_ns: waiting for the file
    std::uint64_t unpack_ns = 0;  ///< computing time: unpacking and reordering
  };
  /// Statistics of all reads so far.
  [[nodiscard]] virtual Work work() const noexcept = 0;

  /// What read_box() waits for, as a line for people; "" = nothing unusual. Any thread.
  [[nodiscard]] virtual std::string trouble() const { return {}; }
};

/// Number of chunks that meet the box; 0 for grids without chunks of their own.
[[nodiscard]] std::uint64_t bricks_in(const GridBox& box, const VolumeGrid& grid) noexcept;

/// Sides in voxels of the pieces in which a box of `extent` voxels is read, each of at most `most`
/// bytes. They are multiples of `unit`, and grow to whole rows first, then whole slices. If not
/// even one unit fits, they are parts of it whose sides are multiples of `least`, and at least
/// that.
[[nodiscard]] std::array<int, 3> piece_sides(const std::array<int, 3>& extent,
                                             const std::array<int, 3>& unit, int least,
                                             std::size_t voxel_bytes, std::size_t most) noexcept;

/// Divides a box into pieces of at most `most` bytes, which begin where the grid's chunks do.
class BoxPieces {
 public:
  BoxPieces(const GridBox& box, const std::array<int, 3>& chunk, std::size_t voxel_bytes,
            std::size_t most) noexcept;
  /// Returns the next piece, z slowest; empty after the last.
  [[nodiscard]] std::optional<GridBox> next() noexcept;

 private:
  GridBox box_;
  std::array<int, 3> sides_ = {};
  std::array<int, 3> first_ = {};
  std::array<int, 3> at_ = {};
  bool more_ = true;
};

/// Copies the voxels of a piece, x fastest without padding, to their place in `box`, whose memory
/// is `into`.
void place_piece(const std::byte* voxels, const GridBox& piece, const GridBox& box,
                 std::size_t voxel_bytes, const VoxelTarget& into) noexcept;

}  // namespace tilewall::render
