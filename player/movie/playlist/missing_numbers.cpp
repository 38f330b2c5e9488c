#include "player/movie/playlist/missing_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

namespace tilewall {
namespace {

constexpr std::size_t max_named_gaps = 5;

struct NumberedName {
  std::string prefix;
  std::string suffix;
  std::int64_t number = 0;
  std::size_t digits = 0;  // as written
};

std::optional<NumberedName> split(const std::filesystem::path& file) {
  const std::string name = file.filename().string();
  const std::string stem = file.stem().string();
  const std::size_t last = stem.find_last_of("0123456789");
  if (last == std::string::npos) return std::nullopt;
  const std::size_t before = stem.find_last_not_of("0123456789", last);
  const std::size_t first = before == std::string::npos ? 0 : before + 1;
  NumberedName out{name.substr(0, first), name.substr(last + 1), 0, last + 1 - first};
  const char* digits = name.data() + first;
  if (std::from_chars(digits, digits + out.digits, out.number).ec != std::errc{})
    return std::nullopt;
  return out;
}

// Empty where the files are not numbered alike.
std::vector<NumberedName> numbered_names(const std::vector<std::filesystem::path>& files) {
  std::vector<NumberedName> names;
  for (const auto& file : files) {
    auto name = split(file);
    if (!name ||
        (!names.empty() && (name->prefix != names[0].prefix || name->suffix != names[0].suffix)))
      return {};
    names.push_back(std::move(*name));
  }
  std::sort(names.begin(), names.end(),
            [](const NumberedName& a, const NumberedName& b) { return a.number < b.number; });
  return names;
}

}  // namespace

std::string describe_missing_numbers(const std::vector<std::filesystem::path>& files) {
  const std::vector<NumberedName> names = numbered_names(files);
  std::string text;
  std::size_t gaps = 0;
  for (std::size_t i = 1; i < names.size(); ++i) {
    const std::int64_t from = names[i - 1].number + 1;
    const std::int64_t to = names[i].number - 1;
    if (from > to || ++gaps > max_named_gaps) continue;
    if (!text.empty()) text += ", ";
    const std::size_t digits = names[i - 1].digits;
    text += fmt::format("{}{:0{}}", names[0].prefix, from, digits);
    if (to > from) text += fmt::format("..{:0{}}", to, digits);
  }
  if (gaps > max_named_gaps) text += fmt::format(" and {} more gaps", gaps - max_named_gaps);
  return text;
}

}  // namespace tilewall
