// Volumes whose numbers form one regular grid of bytes, with the axes in any order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "render/readers/formats/byte_source.hpp"
#include "render/readers/formats/element.hpp"
#include "render/readers/formats/text_fields.hpp"
#include "render/readers/formats/volume_source.hpp"

namespace tilewall::render {

/// Distances between neighbours, in numbers. Component c of voxel (x, y, z) of timestep t is number
/// c * component + x * axis[0] + y * axis[1] + z * axis[2] + t * timestep.
struct GridSteps {
  std::array<std::uint64_t, 3> axis = {1, 1, 1};  ///< along x, y, z
  std::uint64_t component = 1;
  std::uint64_t timestep = 0;
};

enum class AxisRole : std::uint8_t { x, y, z, component, timestep };
/// An axis of a file's grid; lists of them are fastest first.
struct FileAxis {
  AxisRole role;
  std::int64_t length;
};

struct GridFormat {
  Element element = Element::u8;
  bool swapped = false;
  ValueRules rules;
};

/// Reads a grid of bytes as a volume.
class GridVolume final : public VolumeSource {
 public:
  /// Whether bytes after the last number are an error.
  enum class Rest : std::uint8_t { refuse, ignore };
  /// `info` gives place, times and names; if its times are empty, timesteps are counted from 0.
  /// Size, components, type and scale follow from the other arguments. `place` is the header's
  /// field that errors name. Throws InputError if axes, options and number of bytes disagree.
  GridVolume(VolumeInfo info, const std::vector<FileAxis>& axes, const GridFormat& format,
             ByteSourcePtr bytes, const VolumeOptions& options, const FieldPlace& place,
             Rest rest = Rest::refuse);

  void read(int timestep, int z_begin, int z_end, std::byte* into) override;
  void read_box(int grid, int timestep, const GridBox& box, std::byte* into) override;

 private:
  struct Part {
    std::uint64_t first;       // index of the first voxel's number
    std::array<int, 3> count;  // voxels along x, y, z
    std::byte* into;
    std::array<std::size_t, 3> into_steps;  // distances between voxels in `into`, in bytes
  };
  void read_part(const Part& part);
  void read_rows(const Part& part, std::uint64_t span);

  GridSteps steps_;
  int element_bytes_;
  std::uint64_t first_number_ = 0;  // index of the first component that is read
  std::uint64_t total_bytes_;
  Rest rest_;
  std::uint64_t merge_span_ = 0;  // distance from the first to the last merged component
  VoxelConverter converter_;
  ByteSourcePtr bytes_;
  std::vector<std::byte> buffer_;
};

/// Axes of a grid with x fastest and z slowest.
[[nodiscard]] std::vector<FileAxis> xyz_axes(VolumeSize size);

/// Returns the size of a whole grid in bytes. Throws InputError for a length below 1, or beyond
/// 2^62 bytes.
[[nodiscard]] std::uint64_t grid_bytes(const std::vector<FileAxis>& axes, Element element,
                                       const FieldPlace& place);

/// Reads numbers in text and returns them as little-endian ones of the element. Whole numbers out
/// of its range become 0. Throws InputError if a word is no number or there are not exactly
/// `count`.
/// @pre element is not f16
[[nodiscard]] ByteSourcePtr text_numbers(const std::filesystem::path& file, std::uint64_t offset,
                                         std::uint64_t length, Element element,
                                         std::uint64_t count);

}  // namespace tilewall::render
