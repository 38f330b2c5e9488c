// The lines of a list that people or other programs wrote: any end of line, bounded, text alone.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace tilewall {

inline constexpr std::size_t max_list_bytes = std::size_t{64} << 20;
inline constexpr std::size_t max_list_line_bytes = 16'384;

enum class ListText { utf8, any_bytes };  ///< file names are bytes; some lists promise UTF-8

struct ListLine {
  int number = 0;  ///< from 1
  std::string text;
};

/// Whether a list's entry is a movie on a server: nothing of this machine.
[[nodiscard]] inline bool is_address(std::string_view entry) noexcept {
  return entry.starts_with("tilewall://");
}

/// Lines that are not empty, without the blanks at both ends and without a byte order mark. LF,
/// CRLF and CR end a line. Throws InputError naming file and line: not readable, too large, too
/// long, control characters, not UTF-8 where it must be.
[[nodiscard]] std::vector<ListLine> read_list_lines(const std::filesystem::path& file,
                                                    ListText text);

/// A title out of a list as valid UTF-8 of at most 200 characters. Bytes that are not UTF-8 are
/// taken for Latin-1, which older lists are written in.
[[nodiscard]] std::string title_text(std::string_view bytes);

}  // namespace tilewall
