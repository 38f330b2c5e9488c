// Values of options as people type them, read or refused in one line that names the option.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class Option;
}

namespace tilewall {

/// Lets an option take one of `words` and nothing else: --help, the manual pages and the shell's
/// completion list them, and any other value throws InputError. `words` live as long as the option.
CLI::Option* takes_one_of(CLI::Option* option, std::span<const std::string_view> words);

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

}  // namespace tilewall
