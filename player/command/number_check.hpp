// Checks the numbers that options take.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <limits>
#include <string>
#include <system_error>
#include <type_traits>

namespace tilewall::command {

/// Accepts the numbers in [`least`, `most`]: `option->check(NumberIn(1, 10))`. "nan" is none of
/// them, and an integer has to fit its type. Any other value is refused in one line that names the
/// option: "--seconds: expected a number in [0.1, 86400], found "nan"".
template <typename Number>
class NumberIn : public CLI::Validator {
 public:
  NumberIn(Number least, Number most) {
    const bool is_open = most == std::numeric_limits<Number>::max();
    const std::string kind = std::is_integral_v<Number> ? "a whole number" : "a number";
    const std::string expected = is_open ? fmt::format("{} of {} or more", kind, least)
                                         : fmt::format("{} in [{}, {}]", kind, least, most);
    if (!is_open)
      description(fmt::format("{} in [{} - {}]", CLI::detail::type_name<Number>(), least, most));
    func_ = [least, most, expected](const std::string& text) {
      Number value{};
      const char* const end = text.data() + text.size();
      const auto [stop, error] = std::from_chars(text.data(), end, value);
      // NaN compares false.
      const bool is_within = error == std::errc{} && stop == end && value >= least && value <= most;
      return is_within ? std::string() : fmt::format("expected {}, found \"{}\"", expected, text);
    };
  }
};

}  // namespace tilewall::command
