// Volumes whose numbers lie in one regular grid of bytes, in whatever order of the axes.
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
/// c * component + x * x_step + ... of the bytes.
struct GridSteps {
  std::array<std::uint64_t, 3> axis = {1, 1, 1};  ///< x, y, z
  std::uint64_t component = 1;
  std::uint64_t timestep = 0;
};

/// The axes of a file, fastest first: what each one is and how long.
enum class AxisRole : std::uint8_t { x, y, z, component, timestep };
struct FileAxis {
  AxisRole role;
  std::int64_t length;
};

struct GridFormat {
  Element element = Element::u8;
  bool swapped = false;
  ValueRules rules;
};

/// What a volume of these axes is, before its bytes are read.
class GridVolume final : public VolumeSource {
 public:
  /// Takes size, components, type and scale from the rest; place, times and names from `info`,
  /// whose times may be empty. Throws InputError where axes, options and bytes do not agree:
  /// `more_bytes` says whether what follows the last number is borne.
  enum class Rest : std::uint8_t { refuse, ignore };
  GridVolume(VolumeInfo info, const std::vector<FileAxis>& axes, const GridFormat& format,
             ByteSourcePtr bytes, const VolumeOptions& options, const FieldPlace& place,
             Rest rest = Rest::refuse);

  void read(int timestep, int z_begin, int z_end, std::byte* into) override;
  void read_box(int grid, int timestep, const GridBox& box, std::byte* into) override;

 private:
  struct Part {
    std::uint64_t first;  // number
    std::array<int, 3> count;
    std::byte* into;
    std::array<std::size_t, 3> into_steps;  // bytes from voxel to voxel
  };
  void read_part(const Part& part);
  void read_rows(const Part& part, std::uint64_t span);

  GridSteps steps_;
  int element_bytes_;
  std::uint64_t first_number_ = 0;  // of the component that is read
  std::uint64_t total_bytes_;
  Rest rest_;
  std::uint64_t merge_span_ = 0;  // numbers from the first to the last component that are merged
  VoxelConverter converter_;
  ByteSourcePtr bytes_;
  std::vector<std::byte> buffer_;
};

/// Names of 3 axes of a file, x fastest.
[[nodiscard]] std::vector<FileAxis> xyz_axes(VolumeSize size);

/// The bytes of a whole grid; throws InputError where that is beyond 2^62.
[[nodiscard]] std::uint64_t grid_bytes(const std::vector<FileAxis>& axes, Element element,
                                       const FieldPlace& place);

/// Text numbers as little-endian ones of the element. Throws InputError where there are fewer or
/// more than `count`, or a word is none.
[[nodiscard]] ByteSourcePtr text_numbers(const std::filesystem::path& file, std::uint64_t offset,
                                         std::uint64_t length, Element element,
                                         std::uint64_t count);

}  // namespace tilewall::render
