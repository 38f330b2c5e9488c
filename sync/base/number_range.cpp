#include "sync/base/number_range.hpp"

#include <algorithm>
#include <charconv>

namespace tilewall {
namespace {

/// Digits alone: from_chars would take a sign too.
std::optional<std::int64_t> parse_number(std::string_view text) noexcept {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::int64_t value = 0;
  if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

}  // namespace

std::optional<WholeNumberRange> parse_number_range(std::string_view text) noexcept {
  const auto dash = text.find('-');
  if (dash == std::string_view::npos) {
    const auto one = parse_number(text);
    if (!one) return std::nullopt;
    return WholeNumberRange{one, one};
  }
  const std::string_view before = text.substr(0, dash);
  const std::string_view after = text.substr(dash + 1);
  const WholeNumberRange range{parse_number(before), parse_number(after)};
  const bool both_parse =
      (range.first || before.empty()) && (range.last || after.empty()) && text.size() > 1;
  if (!both_parse || (range.first && range.last && *range.last < *range.first)) return std::nullopt;
  return range;
}

}  // namespace tilewall
