// Parses the values of options. A wrong value is refused in one line that names the option.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class Option;
}

namespace tilewall::cli {

/// Makes an option accept only `words`, which --help, the manual pages and the shell's completion
/// list. Any other value throws InputError. `words` must live as long as the option.
CLI::Option* takes_one_of(CLI::Option* option, std::span<const std::string_view> words);

/// Parses numbers between commas, such as "1,2.5,-3". Empty if `text` is anything else, or a number
/// is beyond +-`largest`. The default is above the longest side of a movie.
[[nodiscard]] std::vector<double> parse_number_list(const std::string& text, double largest = 1e6);

// These functions throw InputError "OPTION: expected ..., found ...".

[[noreturn]] void refuse_option(const std::string& option, const std::string& expected,
                                const std::string& found);

/// The index of `text` in `words`.
[[nodiscard]] std::size_t option_word_index(const std::string& option, const std::string& text,
                                            std::span<const std::string_view> words);

/// Exactly `count` numbers between commas.
[[nodiscard]] std::vector<double> option_numbers(const std::string& option, const std::string& text,
                                                 std::size_t count, const char* expected);
[[nodiscard]] double option_number(const std::string& option, const std::string& text,
                                   const char* expected);
/// A number in [`least`, `most`].
[[nodiscard]] double option_number_within(const std::string& option, const std::string& text,
                                          double least, double most);

}  // namespace tilewall::cli
