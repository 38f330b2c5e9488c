// Lines that commands print for people. They may hold text from outside (names of files, values of
// headers, words of peers), which must neither move a terminal's cursor nor begin a line of its
// own.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <string_view>
#include <utility>

namespace tilewall {

/// Prints a line, made printable by printable_text(), and its end.
void print_line(std::FILE* to, std::string_view text);

template <typename... Values>
void print_line(std::FILE* to, fmt::format_string<Values...> format, Values&&... values) {
  print_line(to, std::string_view(fmt::format(format, std::forward<Values>(values)...)));
}

/// Puts /dev/null in the place of standard output and standard error where nobody reads them any
/// more, such as a pipe whose reader has ended. What is printed there from now on is lost, and is
/// no error. For a process that ignores SIGPIPE.
void silence_closed_streams() noexcept;

}  // namespace tilewall
