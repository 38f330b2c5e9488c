// The request for a box of one grid (level) of one timestep, and its answer. Little endian.
//
// A request is BoxRequestHeader, the volume's name (UTF-8, no 0), then the dataset's name, and
// behind a 0, only if any are set, the options `fixed` and `levels` of VolumeOptions as JSON. An
// answer is BoxAnswerHeader, then the voxels, x fastest without padding, or a line if they cannot
// be read. A box of cells (cell_ranges.hpp) is answered by the least numbers of all its cells, then
// the greatest ones. A slab of 0 bytes means that the server could not parse the request.
//
// A client learns a volume's grids by a JSON message first (volume_server.hpp). Each request
// repeats the grid's size and type, so that a server whose volume has changed can tell so.
//
// Threads: values and free functions without state.
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
  std::uint32_t begin[3];       //  8  the box, in voxels or cells of the grid
  std::uint32_t end[3];         // 20
  std::uint32_t grid_size[3];   // 32  voxels; as the server described the grid
  std::int32_t component;       // 44  this and the next two are VolumeOptions
  std::int32_t level;           // 48
  std::uint8_t first_dataset;   // 52  0 or 1
  std::uint8_t voxel_bytes;     // 53  1, 2 or 4 for u8, u16 or f32; as the server described it
  std::uint16_t grid;           // 54
  std::uint16_t name_bytes;     // 56
  std::uint16_t dataset_bytes;  // 58  with the options that follow it
  std::uint32_t cell_side;      // 60  0 = voxels; else cells of so many u8 voxels a side
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
  std::uint64_t body_bytes;  //  8  length of the voxels, or of the line
};
static_assert(sizeof(BoxAnswerHeader) == 16 && offsetof(BoxAnswerHeader, status) == 4 &&
              offsetof(BoxAnswerHeader, body_bytes) == 8 &&
              std::is_trivially_copyable_v<BoxAnswerHeader>);

enum class BoxAnswerStatus : std::uint32_t {
  found = 0,    ///< the body has the voxels or cells
  busy = 1,     ///< the server has no room or time; request it again later
  changed = 2,  ///< the volume is not the one that the request describes
  failed = 3,   ///< the body is a line with the reason
  unknown = 4   ///< the server has no cell ranges for this grid
};

inline constexpr std::uint32_t box_request_magic = 0x52565754;  // "TWVR" in memory order
inline constexpr std::uint32_t box_answer_magic = 0x41565754;   // "TWVA"
inline constexpr std::size_t longest_volume_name = 255;
inline constexpr std::size_t longest_dataset_name = 255;
inline constexpr std::size_t longest_dataset_text = 4096;  ///< with the options behind the name
inline constexpr std::size_t largest_box_bytes = std::size_t{8} << 20;  ///< limit of an answer
inline constexpr int largest_cell_side = 256;
inline constexpr std::size_t cell_pair_bytes = 2;  ///< least and greatest number of a cell
inline constexpr std::size_t longest_box_line = 1000;

/// A volume of a server, and the part of it that is read.
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
  int cell_side = 0;  ///< 0 = the box is of voxels; else of cells with this side
};

/// Length of the answer's voxels or cells, in bytes. @pre The box lies within its grid.
[[nodiscard]] std::size_t box_bytes(const BoxRequest& request) noexcept;

/// Whether a request is for a box, by its magic; else it is for a movie's blocks.
[[nodiscard]] bool asks_for_box(std::span<const std::byte> bytes) noexcept;

/// @pre The names are not too long, and the box lies within its grid.
[[nodiscard]] std::vector<std::byte> to_bytes(const BoxRequest& request);

/// Parses a request. The box of the result is not empty, lies within the grid, and has at most
/// largest_box_bytes. Throws InputError for other bytes.
[[nodiscard]] BoxRequest parse_box_request(std::span<const std::byte> bytes);

/// A parsed answer.
struct BoxAnswer {
  BoxAnswerStatus status = BoxAnswerStatus::failed;
  std::span<const std::byte> voxels;  ///< if found: a view of the parsed bytes
  std::string line;                   ///< if failed: the reason
};
/// Parses the answer to a request for `voxel_bytes` bytes. The result is `failed` without a line if
/// the bytes are no answer, or have another length.
[[nodiscard]] BoxAnswer parse_box_answer(std::span<const std::byte> bytes, std::size_t voxel_bytes);

}  // namespace tilewall::volume
