#include "sync/base/rational.hpp"

#include <charconv>
#include <numeric>

namespace tilewall {
namespace {

constexpr std::int64_t max_part = 1'000'000'000;

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (value > max_part || value < -max_part) return std::nullopt;
  return value;
}

struct NtscRate {
  std::string_view text;
  std::int64_t num;
};
constexpr NtscRate ntsc_rates[] = {{"23.976", 24000}, {"23.98", 24000}, {"29.97", 30000},
                                   {"47.952", 48000}, {"59.94", 60000}, {"119.88", 120000}};

std::optional<Rational> parse_decimal(std::string_view text, std::size_t point) {
  for (const NtscRate& rate : ntsc_rates)
    if (text == rate.text) return Rational{rate.num, 1001};
  std::string digits(text.substr(0, point));
  const std::string_view fraction = text.substr(point + 1);
  if (fraction.empty() || fraction.size() > 6 ||
      fraction.find_first_not_of("0123456789") != std::string_view::npos)
    return std::nullopt;
  if (digits.empty() || digits == "-") digits += '0';
  const auto whole = parse_integer(digits + std::string(fraction));
  if (!whole) return std::nullopt;
  std::int64_t den = 1;
  for (std::size_t i = 0; i < fraction.size(); ++i) den *= 10;
  return reduced(*whole, den);
}

}  // namespace

Rational reduced(std::int64_t num, std::int64_t den) noexcept {
  const std::int64_t divisor = std::gcd(num, den) * (den < 0 ? -1 : 1);
  return divisor == 0 ? Rational{0, 1} : Rational{num / divisor, den / divisor};
}

Rational operator*(Rational a, Rational b) noexcept {
  const Rational left = reduced(a.num, b.den);
  const Rational right = reduced(b.num, a.den);
  return {left.num * right.num, left.den * right.den};
}

std::optional<Rational> parse_rational(std::string_view text) {
  if (const auto slash = text.find('/'); slash != std::string_view::npos) {
    const auto num = parse_integer(text.substr(0, slash));
    const auto den = parse_integer(text.substr(slash + 1));
    if (!num || !den || *den <= 0) return std::nullopt;
    return reduced(*num, *den);
  }
  if (const auto point = text.find('.'); point != std::string_view::npos)
    return parse_decimal(text, point);
  const auto num = parse_integer(text);
  if (!num) return std::nullopt;
  return Rational{*num, 1};
}

std::string to_string(Rational value) {
  std::string text = std::to_string(value.num);
  if (value.den != 1) text += "/" + std::to_string(value.den);
  return text;
}

}  // namespace tilewall
