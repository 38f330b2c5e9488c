// Types of the numbers in files, and their conversion to voxels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "render/readers/volume_info.hpp"
#include "sync/base/error.hpp"

namespace tilewall::render {

enum class Element : std::uint8_t { i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64 };

[[nodiscard]] int bytes_of(Element element) noexcept;
/// Short name, such as "i16".
[[nodiscard]] const char* name_of(Element element) noexcept;
/// Inverse of name_of(); empty for other words.
[[nodiscard]] std::optional<Element> element_of(std::string_view word) noexcept;

/// Meaning of a file's numbers: value = slope * number + intercept, unless the number is empty.
struct ValueRules {
  double slope = 1;
  double intercept = 0;
  std::vector<double> fills;          ///< numbers that mean "empty"
  std::optional<double> least, most;  ///< numbers outside of this range are empty
};

/// Thrown for a value beyond the range of float32, which no voxel can hold. The text does not name
/// the file.
struct BeyondFloat : InputError {
  explicit BeyondFloat(double value);
};

/// Converts numbers of one type to voxels. Chooses the voxels' type and scale: whole numbers of up
/// to 16 bits stay whole unless some of them are empty; all others become f32.
class VoxelConverter {
 public:
  /// `swapped` means that the bytes are big endian. If `merged` is above 1, a voxel is the length
  /// of a vector of that many numbers, which lie `merge_bytes` apart.
  VoxelConverter(Element element, bool swapped, ValueRules rules, int merged = 1,
                 std::ptrdiff_t merge_bytes = 0);

  [[nodiscard]] Element element() const noexcept { return element_; }
  [[nodiscard]] VoxelType type() const noexcept { return type_; }
  [[nodiscard]] ValueScale scale() const noexcept { return scale_; }

  /// Converts `count` numbers that lie `stride_bytes` apart; `to` is aligned for its type. Values
  /// that are not finite become empty, and so does the greatest double, which means "no value" in
  /// many files. Throws BeyondFloat for other values beyond float32.
  void convert(const std::byte* from, std::ptrdiff_t stride_bytes, std::size_t count,
               std::byte* to) const;

  /// Sets type, scale, the file's type and its fill value.
  void describe(VolumeInfo& info) const;

 private:
  /// Whether each finite number is its own value.
  [[nodiscard]] bool is_plain() const noexcept;

  Element element_;
  bool swapped_;
  ValueRules rules_;
  int merged_;
  std::ptrdiff_t merge_bytes_;
  VoxelType type_ = VoxelType::f32;
  ValueScale scale_;
};

}  // namespace tilewall::render
