// Values of options as people type them, read or refused in one line that names the option.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class Option;
}

namespace tilewall::cli {

/// Lets an option take one of `words` and nothing else: --help, the manual pages and the shell's
/// completion list them, and any other value throws InputError. `words` live as long as the option.
CLI::Option* takes_one_of(CLI::Option* option, std::span<const std::string_view> words);

/// Numbers between commas, such as "1,2.5,-3", none over `largest` in size; empty when it is
/// anything else. Without a limit: the longest side of a movie.
[[nodiscard]] std::vector<double> parse_number_list(const std::string& text, double largest = 1e6);

// Each throws InputError "OPTION: expected ..., found ...".

[[noreturn]] void refuse_option(const std::string& option, const std::string& expected,
                                const std::string& found);

/// The index of `text` in `words`.
[[nodiscard]] std::size_t option_word_index(const std::string& option, const std::string& text,
                                            std::span<const std::string_view> words);

/// `count` numbers between commas.
[[nodiscard]] std::vector<double> option_numbers(const std::string& option, const std::string& text,
                                                 std::size_t count, const char* expected);
[[nodiscard]] double option_number(const std::string& option, const std::string& text,
                                   const char* expected);
/// `least` and `most` are allowed.
[[nodiscard]] double option_number_within(const std::string& option, const std::string& text,
                                          double least, double most);

}  // namespace tilewall::cli
