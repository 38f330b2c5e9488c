// Exact rates: frames per second and speeds as fractions, so that no schedule drifts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tilewall {

/// num / den in lowest terms, den > 0.
struct Rational {
  std::int64_t num = 0;
  std::int64_t den = 1;

  bool operator==(const Rational&) const = default;
  [[nodiscard]] double value() const noexcept {
    return static_cast<double>(num) / static_cast<double>(den);
  }
};

/// Lowest terms with a positive denominator. @pre den != 0
[[nodiscard]] Rational reduced(std::int64_t num, std::int64_t den) noexcept;

/// The product in lowest terms. Parts up to 1e9 never overflow.
[[nodiscard]] Rational operator*(Rational a, Rational b) noexcept;

/// Reads "24", "29.97", "30000/1001", "-2"; empty when it is anything else, or a part exceeds 1e9.
/// The usual NTSC decimals (23.976, 29.97, 59.94) become the exact n*1000/1001.
[[nodiscard]] std::optional<Rational> parse_rational(std::string_view text);

/// "24" or "30000/1001".
[[nodiscard]] std::string to_string(Rational value);

}  // namespace tilewall
