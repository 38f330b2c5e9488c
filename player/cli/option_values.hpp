// Values of options as people type them, read or refused in one line that names the option.
#pragma once

#include <string>
#include <vector>

namespace tilewall {

// Each throws InputError "OPTION: expected ..., found ...".

[[noreturn]] void refuse_option(const std::string& option, const std::string& expected,
                                const std::string& found);

/// `count` numbers between commas.
[[nodiscard]] std::vector<double> option_numbers(const std::string& option, const std::string& text,
                                                 std::size_t count, const char* expected);
[[nodiscard]] double option_number(const std::string& option, const std::string& text,
                                   const char* expected);
/// `least` and `most` are allowed.
[[nodiscard]] double option_number_within(const std::string& option, const std::string& text,
                                          double least, double most);

}  // namespace tilewall
