// Names that count: files of one series, "frame-%06d.png", and the order people expect of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tilewall {

/// A printf pattern with one number in its last part: "frame-%06d.png".
struct NumberedPattern {
  std::filesystem::path folder;
  std::string prefix;
  std::string suffix;
  std::size_t digits = 0;  ///< zero-padded to this width; 0 = not padded
};

/// Empty where the name holds no number's place.
[[nodiscard]] std::optional<NumberedPattern> parse_numbered_pattern(
    const std::filesystem::path& input);

/// The number in a name that printf would have made of the pattern; else empty.
[[nodiscard]] std::optional<std::int64_t> number_in(const NumberedPattern& pattern,
                                                    std::string_view name);

/// Orders text with its numbers by value: "a2" < "a10", and "a02" < "a2".
[[nodiscard]] bool natural_less(std::string_view a, std::string_view b) noexcept;

}  // namespace tilewall
