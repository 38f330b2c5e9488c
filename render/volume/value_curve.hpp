// The scale of a volume's values along a transfer function: even, or by a logarithm or a root. The
// range, the colours between two points, the bar and the middle of a range follow it.
//
// Pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "render/volume/volume.hpp"

namespace tilewall::render {

enum class CurveKind : std::uint8_t {
  linear,
  log,     ///< log10 v; values of 0 and less are empty
  symlog,  ///< sign(v) log10(1 + |v| / threshold): nearly even below the threshold
  sqrt,    ///< The square root; values below 0 are empty
};

struct ValueCurve {
  CurveKind kind = CurveKind::linear;
  double threshold = 1;  ///< Of symlog, above 0, in units of the values; else 1
  bool operator==(const ValueCurve&) const = default;

  [[nodiscard]] bool is_linear() const noexcept { return kind == CurveKind::linear; }
  /// Whether the curve has a place for a value. Values without one are empty.
  [[nodiscard]] bool takes(double value) const noexcept;
  /// A value's place on the scale; -infinity for a value that the curve does not take.
  [[nodiscard]] double place_of(double value) const noexcept;
  /// The value at a place. Places below the square root's 0 are at 0.
  [[nodiscard]] double value_at(double place) const noexcept;
  /// The part of a range that the curve takes; `least_above_zero` replaces a logarithm's lower end
  /// that is not above 0. Empty where there is none.
  [[nodiscard]] ValueRange taken(ValueRange range, float least_above_zero) const noexcept;
};

/// Limits of a symlog's threshold.
inline constexpr double least_threshold = 1e-30;
inline constexpr double greatest_threshold = 1e30;

/// "linear", "log", "sqrt", "symlog" or "symlog:0.5".
[[nodiscard]] std::string to_string(const ValueCurve& curve);
/// Empty for any other text.
[[nodiscard]] std::optional<ValueCurve> parse_value_curve(std::string_view text);
/// What parse_value_curve() takes, for messages.
inline constexpr std::string_view value_curve_words =
    "linear, log, sqrt, symlog or symlog:THRESHOLD";

/// A function of values that rises with a curve and takes kernels few operations: the bits of a
/// float, read as a whole number, are nearly its logarithm (exactly at powers of two, straight
/// between them). With v' = gain * value, key = sign(v') (bits(|v'| + bias) - bits(1)). Tables of a
/// transfer function have equal steps of it, so a table of 4096 entries covers seven decades as
/// well as one.
struct CurveKey {
  float gain = 1;
  float bias = 0;
  float above = 0;  ///< Values of which v' is not above this are empty

  /// The key of a curve whose table covers values up to `greatest` in size. @pre it is not linear
  CurveKey(const ValueCurve& curve, double greatest) noexcept;
  [[nodiscard]] bool takes(float value) const noexcept { return gain * value > above; }
  [[nodiscard]] float of(float value) const noexcept;
  /// The value that has the key, about.
  [[nodiscard]] double value_of(double key) const noexcept;
};

/// The bits of 1, which keys count from.
inline constexpr std::int32_t key_base_bits = 0x3F800000;

}  // namespace tilewall::render
