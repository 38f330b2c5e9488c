#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "player/movie/playlist/list_formats.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::movie {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

bool is_control(char c) noexcept {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t') || byte == 0x7f;
}

// Number of bytes of the UTF-8 character at `at`; 0 if there is none. Overlong forms pass, because
// the answer only tells UTF-8 from Latin-1 and binary data.
std::size_t utf8_length(std::string_view text, std::size_t at) noexcept {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = lead < 0x80            ? 1
                             : lead >> 5 == 0b110   ? 2
                             : lead >> 4 == 0b1110  ? 3
                             : lead >> 3 == 0b11110 ? 4
                                                    : 0;
  if (length == 0 || length > text.size() - at) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (static_cast<unsigned char>(text[at + i]) >> 6 != 0b10) return 0;
  return length;
}

bool is_utf8(std::string_view text) noexcept {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

void check_line(std::string_view line, ListText text, const InputPlace& place) {
  if (line.size() > max_list_line_bytes)
    throw InputError(place, "", fmt::format("a line of at most {} bytes", max_list_line_bytes),
                     std::to_string(line.size()));
  if (std::any_of(line.begin(), line.end(), is_control))
    throw InputError(place, "", "a list in plain text", "binary data");
  if (text == ListText::utf8 && !is_utf8(line))
    throw InputError(place, "", "text in UTF-8", "other bytes");
}

/// Whether the bytes are valid UTF-8 (RFC 3629): no overlong form, no surrogate, no code point
/// beyond U+10FFFF.
bool is_strict_utf8(std::string_view text) noexcept {
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};  // least code by length in bytes
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    std::uint32_t code =
        static_cast<unsigned char>(text[at]) & (length == 1 ? 0x7fu : 0xffu >> (length + 1));
    for (std::size_t i = 1; i < length; ++i)
      code = code << 6 | (static_cast<unsigned char>(text[at + i]) & 0x3fu);
    if (code < least[length] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff) return false;
    at += length;
  }
  return true;
}

std::string from_latin1(std::string_view bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x80) text += static_cast<char>(0xc0 | byte >> 6);
    text += byte >= 0x80 ? static_cast<char>(0x80 | (byte & 0x3f)) : c;
  }
  return text;
}

}  // namespace

std::string title_text(std::string_view bytes) {
  constexpr std::size_t max_characters = 200;
  const std::string_view title = trimmed(bytes);
  std::string text = is_strict_utf8(title) ? std::string(title) : from_latin1(title);
  std::size_t end = 0;
  for (std::size_t count = 0; end < text.size() && count < max_characters; ++count)
    end += utf8_length(text, end);
  text.resize(end);
  return text;
}

std::vector<ListLine> read_list_lines(const std::filesystem::path& file, ListText text) {
  const std::string bytes = read_text_file(file, max_list_bytes);
  std::string_view rest = bytes;
  if (rest.starts_with(byte_order_mark)) rest.remove_prefix(byte_order_mark.size());
  std::vector<ListLine> lines;
  for (int number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find_first_of("\r\n"), rest.size());
    const std::string_view line = trimmed(rest.substr(0, end));
    check_line(line, text, {file.string(), number});
    if (!line.empty()) lines.push_back({number, std::string(line)});
    rest.remove_prefix(end);
    rest.remove_prefix(rest.starts_with("\r\n") ? 2 : rest.empty() ? 0 : 1);
  }
  return lines;
}

}  // namespace tilewall::movie
