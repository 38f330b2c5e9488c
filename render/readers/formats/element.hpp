// The numbers that files hold, and how they become voxels.
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
/// "i16"
[[nodiscard]] const char* name_of(Element element) noexcept;
/// By name_of's words; empty for another.
[[nodiscard]] std::optional<Element> element_of(std::string_view word) noexcept;

/// What numbers of a file mean: value = slope * number + intercept, unless it is empty.
struct ValueRules {
  double slope = 1;
  double intercept = 0;
  std::vector<double> fills;          ///< numbers that stand for "empty"
  std::optional<double> least, most;  ///< numbers outside are empty
};

/// A number of a file whose value no voxel can hold: they are f32 at most. Its words do not name
/// the file.
struct BeyondFloat : InputError {
  explicit BeyondFloat(double value);
};

/// Turns numbers of one kind into voxels of the type and scale that suit them.
class VoxelConverter {
 public:
  /// `swapped`: the bytes are not in this machine's order. `merged` numbers a voxel, `merge_bytes`
  /// apart, become the length of their vector where it is more than one.
  VoxelConverter(Element element, bool swapped, ValueRules rules, int merged = 1,
                 std::ptrdiff_t merge_bytes = 0);

  [[nodiscard]] Element element() const noexcept { return element_; }
  [[nodiscard]] VoxelType type() const noexcept { return type_; }
  [[nodiscard]] ValueScale scale() const noexcept { return scale_; }

  /// `count` voxels from numbers `stride_bytes` apart; `to` is aligned to its type. What is not
  /// finite is empty, and so is the greatest double, which stands for "no value" in many files.
  /// Throws BeyondFloat for other values beyond f32.
  void convert(const std::byte* from, std::ptrdiff_t stride_bytes, std::size_t count,
               std::byte* to) const;

  /// Sets what a voxel is: type, scale, the file's type and its fill value.
  void describe(VolumeInfo& info) const;

 private:
  /// Numbers are values, but for what is not finite.
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
