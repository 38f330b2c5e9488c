// What a client asks a server for, and what comes back: the voxels of a box of one grid (level) of
// one timestep. Little endian.
//
// Request: BoxRequestHeader, the volume's name (UTF-8, no 0), then the dataset's. Answer:
// BoxAnswerHeader, then the voxels, x fastest without padding; where they cannot be read, a line.
// Or the box is of the grid's cells (cell_ranges.hpp), and the answer the least numbers of all of
// them, then the greatest.
// A slab of no bytes: the server could not read the request. What a volume holds is asked before,
// as JSON (see volume_server.hpp); each request says again what it knows of the grid, so that a
// server that was started anew, and its volume with it, is not misunderstood.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "render/readers/volume_info.hpp"

namespace tilewall::volume {

struct BoxRequestHeader {       // offset
  std::uint32_t magic;          //  0  'TWVR'
  std::uint32_t timestep;       //  4
  std::uint32_t begin[3];       //  8  of the grid's voxels
  std::uint32_t end[3];         // 20
  std::uint32_t grid_size[3];   // 32  as the server said
  std::int32_t component;       // 44  VolumeOptions, as are the next two
  std::int32_t level;           // 48
  std::uint8_t first_dataset;   // 52  0 or 1
  std::uint8_t voxel_bytes;     // 53  1, 2 or 4: what of u8, u16 and f32 the server said
  std::uint16_t grid;           // 54
  std::uint16_t name_bytes;     // 56
  std::uint16_t dataset_bytes;  // 58
  std::uint32_t cell_side;      // 60  0: voxels; else cells of so many voxels of u8 a side
};
static_assert(
    sizeof(BoxRequestHeader) == 64 && offsetof(BoxRequestHeader, timestep) == 4 &&
    offsetof(BoxRequestHeader, begin) == 8 && offsetof(BoxRequestHeader, end) == 20 &&
    offsetof(BoxRequestHeader, grid_size) == 32 && offsetof(BoxRequestHeader, component) == 44 &&
    offsetof(BoxRequestHeader, level) == 48 && offsetof(BoxRequestHeader, first_dataset) == 52 &&
    offsetof(BoxRequestHeader, voxel_bytes) == 53 && offsetof(BoxRequestHeader, grid) == 54 &&
    offsetof(BoxRequestHeader, name_bytes) == 56 &&
    offsetof(BoxRequestHeader, dataset_bytes) == 58 && offsetof(BoxRequestHeader, cell_side) == 60);
static_assert(std::is_trivially_copyable_v<BoxRequestHeader> &&
              std::has_unique_object_representations_v<BoxRequestHeader>);

struct BoxAnswerHeader {     // offset
  std::uint32_t magic;       //  0  'TWVA'
  std::uint32_t status;      //  4  BoxAnswerStatus
  std::uint64_t body_bytes;  //  8  of voxels, or of a line
};
static_assert(sizeof(BoxAnswerHeader) == 16 && offsetof(BoxAnswerHeader, status) == 4 &&
              offsetof(BoxAnswerHeader, body_bytes) == 8 &&
              std::is_trivially_copyable_v<BoxAnswerHeader>);

/// busy: asked again later, it may be read. changed: the volume is not what the request says it is.
/// failed: the body is a line that says why. unknown: nothing is kept of its cells.
enum class BoxAnswerStatus : std::uint32_t {
  found = 0,
  busy = 1,
  changed = 2,
  failed = 3,
  unknown = 4
};

inline constexpr std::uint32_t box_request_magic = 0x52565754;  // "TWVR" in memory order
inline constexpr std::uint32_t box_answer_magic = 0x41565754;   // "TWVA"
inline constexpr std::size_t longest_volume_name = 255;
inline constexpr std::size_t longest_dataset_name = 255;
inline constexpr std::size_t largest_box_bytes = std::size_t{8} << 20;  ///< of voxels or cells
inline constexpr int largest_cell_side = 256;
inline constexpr std::size_t cell_pair_bytes = 2;
inline constexpr std::size_t longest_box_line = 1000;

/// One volume of a server, and what of it.
struct RemoteVolumeName {
  std::string name;
  render::VolumeOptions options;
  bool operator==(const RemoteVolumeName&) const = default;
};

struct BoxRequest {
  RemoteVolumeName volume;
  int timestep = 0;
  int grid = 0;
  render::VolumeSize grid_size;
  render::VoxelType type = render::VoxelType::u8;
  render::GridBox box;
  int cell_side = 0;  ///< 0: of voxels; else of cells
};

/// Of the box's voxels or cells. @pre within its grid
[[nodiscard]] std::size_t box_bytes(const BoxRequest& request) noexcept;

/// Whether the bytes of a request ask for a box, rather than for something of a movie.
[[nodiscard]] bool asks_for_box(std::span<const std::byte> bytes) noexcept;

/// @pre names within their lengths, a box within its grid
[[nodiscard]] std::vector<std::byte> to_bytes(const BoxRequest& request);

/// The box lies within the grid, has voxels, and no more than largest_box_bytes. Throws InputError
/// for bytes that are no such request.
[[nodiscard]] BoxRequest parse_box_request(std::span<const std::byte> bytes);

/// Views of the answer; `failed` and no line where it is none, or its voxels are not so many bytes.
struct BoxAnswer {
  BoxAnswerStatus status = BoxAnswerStatus::failed;
  std::span<const std::byte> voxels;
  std::string line;
};
[[nodiscard]] BoxAnswer parse_box_answer(std::span<const std::byte> bytes, std::size_t voxel_bytes);

}  // namespace tilewall::volume
