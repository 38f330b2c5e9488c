#include "render/readers/formats/element.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tilewall::render {
namespace {

static_assert(std::endian::native == std::endian::little);

struct Half {
  std::uint16_t bits;
};

// Converts from IEEE 754 binary16.
float float_of_half(std::uint16_t bits) noexcept {
  const auto sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu;
  const std::uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0) {
    const float small = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -small : small;
  }
  const std::uint32_t wide = exponent == 31 ? 255u : exponent + 112u;
  return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

template <std::size_t bytes>
struct BitsOf;
template <>
struct BitsOf<1> {
  using Type = std::uint8_t;
};
template <>
struct BitsOf<2> {
  using Type = std::uint16_t;
};
template <>
struct BitsOf<4> {
  using Type = std::uint32_t;
};
template <>
struct BitsOf<8> {
  using Type = std::uint64_t;
};

std::uint8_t turned(std::uint8_t bits) noexcept { return bits; }
std::uint16_t turned(std::uint16_t bits) noexcept { return __builtin_bswap16(bits); }
std::uint32_t turned(std::uint32_t bits) noexcept { return __builtin_bswap32(bits); }
std::uint64_t turned(std::uint64_t bits) noexcept { return __builtin_bswap64(bits); }

template <typename T, bool swapped>
T load_element(const std::byte* from) noexcept {
  typename BitsOf<sizeof(T)>::Type bits;
  std::memcpy(&bits, from, sizeof bits);
  if constexpr (swapped) bits = turned(bits);
  return std::bit_cast<T>(bits);
}

template <typename T>
auto number_of_element(T element) noexcept {
  if constexpr (std::is_same_v<T, Half>)
    return float_of_half(element.bits);
  else
    return element;
}

/// Calls `use` with a T of the element and a bool constant of `swapped`.
template <typename Use>
void with_element(Element element, bool swapped, Use&& use) {
  const auto with = [&]<typename T>(T sample) {
    if (swapped && sizeof(T) > 1)
      use(sample, std::true_type{});
    else
      use(sample, std::false_type{});
  };
  switch (element) {
    case Element::i8:
      return with(std::int8_t{});
    case Element::u8:
      return with(std::uint8_t{});
    case Element::i16:
      return with(std::int16_t{});
    case Element::u16:
      return with(std::uint16_t{});
    case Element::i32:
      return with(std::int32_t{});
    case Element::u32:
      return with(std::uint32_t{});
    case Element::i64:
      return with(std::int64_t{});
    case Element::u64:
      return with(std::uint64_t{});
    case Element::f16:
      return with(Half{});
    case Element::f32:
      return with(float{});
    case Element::f64:
      return with(double{});
  }
}

struct ElementWord {
  Element element;
  const char* name;
  int bytes;
};
constexpr ElementWord element_words[] = {
    {Element::i8, "i8", 1},   {Element::u8, "u8", 1},   {Element::i16, "i16", 2},
    {Element::u16, "u16", 2}, {Element::i32, "i32", 4}, {Element::u32, "u32", 4},
    {Element::i64, "i64", 8}, {Element::u64, "u64", 8}, {Element::f16, "f16", 2},
    {Element::f32, "f32", 4}, {Element::f64, "f64", 8}};

// Tests whether a number is empty. Fill values are rounded to the type of the file's numbers first,
// because the fill 1e34 of a float variable is the float nearest to it.
template <typename Number>
class EmptyTest {
 public:
  explicit EmptyTest(const ValueRules& rules) : least_(rules.least), most_(rules.most) {
    for (const double fill : rules.fills) fills_.push_back(static_cast<double>(narrowed(fill)));
    bounded_ = least_ || most_ || !fills_.empty();
  }

  bool operator()(Number number) const noexcept {
    if (!bounded_) return false;
    const auto value = static_cast<double>(number);
    for (const double fill : fills_)
      if (value == fill) return true;
    return (least_ && value < *least_) || (most_ && value > *most_);
  }

 private:
  static double narrowed(double fill) noexcept {
    if constexpr (std::is_same_v<Number, float>)
      return static_cast<double>(static_cast<float>(fill));
    else
      return fill;
  }
  std::vector<double> fills_;
  std::optional<double> least_, most_;
  bool bounded_ = false;
};

float finite_or_empty(double value) noexcept {
  const auto voxel = static_cast<float>(value);
  return std::isfinite(voxel) ? voxel : std::numeric_limits<float>::quiet_NaN();
}

/// Whether a finite value is too large for a float.
bool is_beyond_float(double value) noexcept {
  return std::isinf(static_cast<float>(value)) &&
         std::abs(value) < std::numeric_limits<double>::max();
}

}  // namespace

BeyondFloat::BeyondFloat(double value)
    : InputError(fmt::format("values: expected numbers of at most {:.3g}, as voxels are float32, "
                             "found {:.3g}",
                             std::numeric_limits<float>::max(), value)) {}

int bytes_of(Element element) noexcept {
  return element_words[static_cast<std::size_t>(element)].bytes;
}

const char* name_of(Element element) noexcept {
  return element_words[static_cast<std::size_t>(element)].name;
}

std::optional<Element> element_of(std::string_view word) noexcept {
  for (const ElementWord& known : element_words)
    if (word == known.name) return known.element;
  return std::nullopt;
}

VoxelConverter::VoxelConverter(Element element, bool swapped, ValueRules rules, int merged,
                               std::ptrdiff_t merge_bytes)
    : element_(element),
      swapped_(swapped),
      rules_(std::move(rules)),
      merged_(merged),
      merge_bytes_(merge_bytes) {
  const bool whole =
      merged_ == 1 && rules_.slope > 0 && rules_.fills.empty() && !rules_.least && !rules_.most;
  if (!whole) return;
  const auto as = [this](VoxelType type, double bias) {
    type_ = type;
    scale_ = {rules_.slope, rules_.intercept - rules_.slope * bias};
  };
  if (element == Element::u8) as(VoxelType::u8, 0);
  if (element == Element::i8) as(VoxelType::u8, 128);
  if (element == Element::u16) as(VoxelType::u16, 0);
  if (element == Element::i16) as(VoxelType::u16, 32768);
}

bool VoxelConverter::is_plain() const noexcept {
  return merged_ == 1 && rules_.slope == 1 && rules_.intercept == 0 && rules_.fills.empty() &&
         !rules_.least && !rules_.most;
}

void VoxelConverter::convert(const std::byte* from, std::ptrdiff_t stride_bytes, std::size_t count,
                             std::byte* to) const {
  const auto at = [&](std::size_t i) {
    return from + static_cast<std::ptrdiff_t>(i) * stride_bytes;
  };
  with_element(element_, swapped_, [&]<typename T>(T, auto swap) {
    constexpr bool turn = decltype(swap)::value;
    if constexpr (std::is_integral_v<T> && sizeof(T) <= 2) {
      if (type_ != VoxelType::f32) {
        using Voxel = std::make_unsigned_t<T>;
        constexpr auto bias =
            static_cast<Voxel>(std::is_signed_v<T> ? 1u << (8 * sizeof(T) - 1) : 0u);
        auto* voxels = reinterpret_cast<Voxel*>(to);
        if (!turn && bias == 0 && stride_bytes == static_cast<std::ptrdiff_t>(sizeof(T))) {
          std::memcpy(to, from, count * sizeof(T));
          return;
        }
        for (std::size_t i = 0; i < count; ++i)
          voxels[i] = static_cast<Voxel>(static_cast<Voxel>(load_element<T, turn>(at(i))) ^ bias);
        return;
      }
    }
    auto* voxels = reinterpret_cast<float*>(to);
    if constexpr (std::is_same_v<T, float>) {
      if (is_plain()) {
        for (std::size_t i = 0; i < count; ++i) {
          const float number = load_element<T, turn>(at(i));
          voxels[i] = std::isfinite(number) ? number : std::numeric_limits<float>::quiet_NaN();
        }
        return;
      }
    }
    const double slope = rules_.slope;
    const double intercept = rules_.intercept;
    const EmptyTest<decltype(number_of_element(T{}))> empty(rules_);
    const auto value_of = [&](auto number) {
      return slope * static_cast<double>(number) + intercept;
    };
    bool beyond = false;  // found without a branch in the loop; a rare second loop reports which
    if (merged_ > 1) {
      for (std::size_t i = 0; i < count; ++i) {
        double sum = 0;
        bool none = false;
        std::optional<double> beyond_one;
        for (int c = 0; c < merged_; ++c) {
          const auto number = number_of_element(load_element<T, turn>(at(i) + c * merge_bytes_));
          const double value = value_of(number);
          none = none || empty(number) || !std::isfinite(value);
          if (is_beyond_float(value)) beyond_one = value;
          sum += value * value;
        }
        if (!none && beyond_one) throw BeyondFloat(*beyond_one);
        voxels[i] =
            none ? std::numeric_limits<float>::quiet_NaN() : finite_or_empty(std::sqrt(sum));
      }
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      const auto number = number_of_element(load_element<T, turn>(at(i)));
      const double value = value_of(number);
      const bool none = empty(number);
      voxels[i] = none ? std::numeric_limits<float>::quiet_NaN() : finite_or_empty(value);
      beyond |= !none & is_beyond_float(value);
    }
    for (std::size_t i = 0; beyond && i < count; ++i) {
      const auto number = number_of_element(load_element<T, turn>(at(i)));
      if (!empty(number) && is_beyond_float(value_of(number))) throw BeyondFloat(value_of(number));
    }
  });
}

void VoxelConverter::describe(VolumeInfo& info) const {
  info.file_type = name_of(element_);
  info.type = type_;
  info.scale = scale_;
  if (!rules_.fills.empty()) info.fill_value = rules_.fills.front();
}

}  // namespace tilewall::render
