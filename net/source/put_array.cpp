#include "net/source/put_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "net/source/value_kernels.hpp"
#include "sync/base/error.hpp"

namespace tilewall::net {
namespace {

constexpr std::int64_t longest_stride_bytes = std::int64_t{1} << 40;
// Values that are gathered stay in the first cache until they are copied. The kernels copy by
// themselves: memcpy() of some KiB is several times slower on some processors where source and
// destination lie at nearly the same offset in their pages, as those of whole planes do.
constexpr std::size_t chunk_values = 2048;

void expect_within(bool holds, const char* what, const std::array<std::int64_t, 3>& found,
                   const std::string& expected) {
  if (!holds)
    throw InputError(fmt::format("{}: expected {}, found {}, {}, {}", what, expected, found[0],
                                 found[1], found[2]));
}

bool all_within(const std::array<std::int64_t, 3>& values, std::int64_t least,
                std::int64_t most) noexcept {
  return std::ranges::all_of(values,
                             [&](std::int64_t value) { return value >= least && value <= most; });
}

template <typename Value>
void gather(const std::byte* from, std::int64_t stride_bytes, std::size_t values, std::byte* to) {
  for (std::size_t i = 0; i < values; ++i)
    std::memcpy(to + i * sizeof(Value), from + static_cast<std::int64_t>(i) * stride_bytes,
                sizeof(Value));
}

void gather_as_float(const std::byte* from, std::int64_t stride_bytes, std::size_t values,
                     std::byte* to) {
  for (std::size_t i = 0; i < values; ++i) {
    double value = 0;
    std::memcpy(&value, from + static_cast<std::int64_t>(i) * stride_bytes, sizeof value);
    const auto narrow = static_cast<float>(value);
    std::memcpy(to + i * sizeof narrow, &narrow, sizeof narrow);
  }
}

/// Values with a stride become dense ones of the type that is sent.
void gather_values(PutType type, const std::byte* from, std::int64_t stride_bytes,
                   std::size_t values, std::byte* to) {
  switch (type) {
    case PutType::u8:
      return gather<std::uint8_t>(from, stride_bytes, values, to);
    case PutType::u16:
      return gather<std::uint16_t>(from, stride_bytes, values, to);
    case PutType::f32:
      return gather<float>(from, stride_bytes, values, to);
    case PutType::f64:
      return gather_as_float(from, stride_bytes, values, to);
  }
}

}  // namespace

PutArray check_array(const ArrayShape& shape, PutType type, const void* data,
                     const std::array<std::uint32_t, 3>& grid) {
  PutArray array;
  if (data == nullptr) throw InputError("data: expected an array, found NULL");
  for (std::size_t axis = 0; axis < 3; ++axis)
    if (shape.begin[axis] < 0 || shape.begin[axis] >= shape.end[axis] ||
        shape.end[axis] > grid[axis])
      throw InputError(fmt::format(
          "box: expected voxels within the grid of {} x {} x {}, found [{}, {}, {}] to [{}, {}, "
          "{}]",
          grid[0], grid[1], grid[2], shape.begin[0], shape.begin[1], shape.begin[2], shape.end[0],
          shape.end[1], shape.end[2]));
  for (const auto& ghosts : {shape.ghosts_before, shape.ghosts_after})
    expect_within(all_within(ghosts, 0, largest_live_side), "ghosts", ghosts, "0 to 8192 layers");
  if (shape.strides)
    expect_within(all_within(*shape.strides, -longest_stride_bytes, longest_stride_bytes),
                  "strides", *shape.strides, "at most 2^40 bytes");
  std::int64_t offset = 0;
  auto stride = static_cast<std::int64_t>(bytes_of(type));
  for (std::size_t axis = 0; axis < 3; ++axis) {
    array.box.begin[axis] = static_cast<std::uint32_t>(shape.begin[axis]);
    array.box.end[axis] = static_cast<std::uint32_t>(shape.end[axis]);
    array.strides_bytes[axis] = shape.strides ? (*shape.strides)[axis] : stride;
    offset += shape.ghosts_before[axis] * array.strides_bytes[axis];
    stride *=
        shape.ghosts_before[axis] + shape.end[axis] - shape.begin[axis] + shape.ghosts_after[axis];
  }
  array.first = static_cast<const std::byte*>(data) + offset;
  array.type = type;
  return array;
}

DefaultFloats::DefaultFloats() noexcept {
  std::fegetenv(&before_);
  std::fesetenv(FE_DFL_ENV);
}

DefaultFloats::~DefaultFloats() { std::fesetenv(&before_); }

ArrayCopy::ArrayCopy(const PutArray& array, const Quantising& quantise)
    : array_(array),
      type_(quantise ? LiveType::u8 : sent_type(array.type)),
      is_quantised_(quantise.has_value()) {
  if (quantise) {
    low_ = static_cast<float>((*quantise)[0]);
    scale_ = static_cast<float>(255.0 / ((*quantise)[1] - (*quantise)[0]));
  }
  static_cast<void>(take_range());
}

void ArrayCopy::planes(std::uint32_t plane_begin, std::uint32_t plane_end, std::uint32_t row_begin,
                       std::uint32_t row_end, std::span<std::byte> to) {
  const auto& strides = array_.strides_bytes;
  const auto size = static_cast<std::int64_t>(bytes_of(array_.type));
  // Rows and planes that follow each other without a gap are one run.
  std::size_t values = array_.box.side(0);
  std::uint32_t rows = row_end - row_begin;
  std::uint32_t planes = plane_end - plane_begin;
  if (strides[0] == size && strides[1] == static_cast<std::int64_t>(values) * size) {
    values *= std::exchange(rows, 1);
    if (strides[2] == static_cast<std::int64_t>(values) * size) values *= std::exchange(planes, 1);
  }
  std::byte* at = to.data();
  for (std::uint32_t z = 0; z < planes; ++z)
    for (std::uint32_t y = 0; y < rows; ++y) {
      run(array_.first + (std::int64_t{plane_begin} + z) * strides[2] +
              (std::int64_t{row_begin} + y) * strides[1],
          values, at);
      at += values * bytes_of(type_);
    }
}

void ArrayCopy::run(const std::byte* from, std::size_t values, std::byte* to) {
  for (std::size_t done = 0; done < values; done += chunk_values)
    chunk(from + static_cast<std::int64_t>(done) * array_.strides_bytes[0],
          std::min(chunk_values, values - done), to + done * bytes_of(type_));
}

void ArrayCopy::chunk(const std::byte* from, std::size_t values, std::byte* to) {
  static const ValueKernels& kernels = pick_value_kernels();
  const std::int64_t stride = array_.strides_bytes[0];
  std::array<std::byte, chunk_values * sizeof(float)> gathered;
  if (stride != static_cast<std::int64_t>(bytes_of(array_.type)) || array_.type == PutType::f64) {
    gather_values(array_.type, from, stride, values, gathered.data());
    from = gathered.data();
  }
  KeyRange range{least_key_, greatest_key_, 0};
  if (is_quantised_) {
    kernels.quantise(from, values, low_, scale_, to, range);
  } else {
    switch (sent_type(array_.type)) {
      case LiveType::u8:
        kernels.copy_u8(from, values, to, range);
        break;
      case LiveType::u16:
        kernels.copy_u16(from, values, to, range);
        break;
      case LiveType::f32:
        kernels.copy_f32(from, values, to, range);
        break;
    }
  }
  least_key_ = range.least;
  greatest_key_ = range.greatest;
  not_shown_ += range.not_shown;
}

ValueRange ArrayCopy::take_range() noexcept {
  ValueRange range;
  if (least_key_ <= greatest_key_) {
    const bool is_float = sent_type(array_.type) == LiveType::f32;
    const auto value = [&](std::int32_t key) {
      return is_float ? std::bit_cast<float>(ordered_key(key)) : static_cast<float>(key);
    };
    range.least = value(least_key_);
    range.greatest = value(greatest_key_);
  }
  range.not_shown = not_shown_;
  least_key_ = INT32_MAX;
  greatest_key_ = INT32_MIN;
  not_shown_ = 0;
  return range;
}

}  // namespace tilewall::net
