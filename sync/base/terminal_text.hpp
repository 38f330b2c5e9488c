// Text from outside (titles, file names, values of files) for terminals: without control
// characters, and cut to a number of columns or bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tilewall {

/// The text with '?' for control characters, which could move the cursor or worse, and for bytes
/// that are not UTF-8.
[[nodiscard]] std::string printable_text(std::string_view text);

/// The text on one line for a message: control characters as "\x0a", cut after about `max_bytes`.
[[nodiscard]] std::string escaped_text(std::string_view text, std::size_t max_bytes = 60);

/// Number of columns that a terminal needs for the text: 0 for combining marks, 2 for wide letters
/// and emoji. @pre made by printable_text()
[[nodiscard]] int columns_of(std::string_view text);

/// The beginning of the text that fits into so many columns; it ends with "..." when it was cut and
/// there is room for that. @pre made by printable_text()
[[nodiscard]] std::string fit_columns(std::string_view text, int columns);

/// "1:05.2", "1:02:03.4"; "-" for a negative time.
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace tilewall
