#include "sync/base/numbered_names.hpp"

#include <charconv>

namespace tilewall {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::size_t digits_at(std::string_view text, std::size_t at) noexcept {
  std::size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

std::string_view without_zeros(std::string_view digits) noexcept {
  const std::size_t first = digits.find_first_not_of('0');
  return first == std::string_view::npos ? digits.substr(digits.size() - 1) : digits.substr(first);
}

}  // namespace

std::optional<NumberedPattern> parse_numbered_pattern(const std::filesystem::path& input) {
  const std::string name = input.filename().string();
  const std::size_t percent = name.find('%');
  if (percent == std::string::npos) return std::nullopt;
  const std::size_t width = digits_at(name, percent + 1);
  const std::size_t letter = percent + 1 + width;
  if (width > 2 || letter >= name.size() || name[letter] != 'd') return std::nullopt;
  NumberedPattern pattern{input.parent_path(), name.substr(0, percent), name.substr(letter + 1), 0};
  if (width > 0)
    pattern.digits = static_cast<std::size_t>(std::stoi(name.substr(percent + 1, width)));
  return pattern;
}

std::optional<std::int64_t> number_in(const NumberedPattern& pattern, std::string_view name) {
  if (name.size() <= pattern.prefix.size() + pattern.suffix.size() ||
      !name.starts_with(pattern.prefix) || !name.ends_with(pattern.suffix))
    return std::nullopt;
  name.remove_prefix(pattern.prefix.size());
  name.remove_suffix(pattern.suffix.size());
  const bool padded = name.size() > 1 && name[0] == '0';
  if (digits_at(name, 0) != name.size() || name.size() < pattern.digits) return std::nullopt;
  if (padded && name.size() != pattern.digits) return std::nullopt;
  std::int64_t number = 0;
  if (std::from_chars(name.data(), name.data() + name.size(), number).ec != std::errc{})
    return std::nullopt;
  return number;
}

bool natural_less(std::string_view a, std::string_view b) noexcept {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view left = a.substr(i, digits_at(a, i));
      const std::string_view right = b.substr(j, digits_at(b, j));
      const std::string_view x = without_zeros(left);
      const std::string_view y = without_zeros(right);
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
      i += left.size();
      j += right.size();
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  if (a.size() - i != b.size() - j) return a.size() - i < b.size() - j;
  return a < b;  // equal but for leading zeros
}

}  // namespace tilewall
