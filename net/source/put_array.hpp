// A simulation's array of one box of voxels, checked, and the copy of its values.
//
// Threads: values and free functions without state, but that of a thread's floating-point
// calculations.
#pragma once

#include <array>
#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "net/live/live_request.hpp"
#include "net/source/field_table.hpp"

namespace tilewall::net {

/// What a simulation says of its array; see tilewall_put().
struct ArrayShape {
  std::array<std::int64_t, 3> begin{};
  std::array<std::int64_t, 3> end{};
  std::array<std::int64_t, 3> ghosts_before{};
  std::array<std::int64_t, 3> ghosts_after{};
  /// Bytes from a voxel to its neighbour along x, y, z. Empty: x fastest, without padding.
  std::optional<std::array<std::int64_t, 3>> strides;
};

/// The own voxels of an array.
struct PutArray {
  LiveBox box;
  std::array<std::int64_t, 3> strides_bytes{};
  const std::byte* first = nullptr;  ///< the box's first voxel
  PutType type = PutType::f32;
};

/// Throws InputError for a box that is empty or not within the grid, negative ghosts, strides
/// beyond 2^40 bytes, and no data.
[[nodiscard]] PutArray check_array(const ArrayShape& shape, PutType type, const void* data,
                                   const std::array<std::uint32_t, 3>& grid);

/// While it exists, the calling thread and those that it starts calculate as a program does at its
/// start. A simulation may have asked for a signal at an overflow or where a result is no number,
/// which the copy of its values must not raise, or for another rounding.
class DefaultFloats {
 public:
  DefaultFloats() noexcept;
  ~DefaultFloats();
  DefaultFloats(const DefaultFloats&) = delete;
  DefaultFloats& operator=(const DefaultFloats&) = delete;

 private:
  std::fenv_t before_ = {};
};

/// The range of values as f32, and how many are no number or infinite.
struct ValueRange {
  std::uint64_t not_shown = 0;
  float least = 0;  ///< Least finite value; 0 where there are none
  float greatest = 0;
};

/// What is sent instead of f32: `range[0]` and less is 0, `range[1]` and more 255; no number is 0.
using Quantising = std::optional<std::array<double, 2>>;

/// Values of a block, planes by planes.
class ArrayCopy {
 public:
  /// @pre quantise is empty unless the array's type is f32 or f64
  ArrayCopy(const PutArray& array, const Quantising& quantise);

  /// Copies rows [rows_begin, rows_end) of planes [plane_begin, plane_end), counted from the box's
  /// first, x fastest. @pre `to` has exactly so many bytes
  void planes(std::uint32_t plane_begin, std::uint32_t plane_end, std::uint32_t row_begin,
              std::uint32_t row_end, std::span<std::byte> to);

  /// The range of all values copied since the last call of this.
  [[nodiscard]] ValueRange take_range() noexcept;

  /// The type of the copies.
  [[nodiscard]] LiveType type() const noexcept { return type_; }

 private:
  void run(const std::byte* from, std::size_t values, std::byte* to);
  void chunk(const std::byte* from, std::size_t values, std::byte* to);

  const PutArray array_;
  const LiveType type_;
  bool is_quantised_ = false;
  float low_ = 0;    // quantised: this becomes 0
  float scale_ = 0;  // quantised: 255 for the range
  std::uint64_t not_shown_ = 0;
  std::int32_t least_key_;  // ordered_key() of the least value, of u8 and u16 the value itself
  std::int32_t greatest_key_;
};

}  // namespace tilewall::net
