#include "sync/base/terminal_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

#include "sync/base/handle.hpp"
#include "sync/base/printed_line.hpp"

namespace tilewall {
namespace {

constexpr char32_t no_letter = 0xffffffff;
constexpr char32_t last_letter = 0x10ffff;

struct Letter {
  char32_t code = no_letter;  // no_letter: the byte is not UTF-8
  std::size_t bytes = 1;
};

/// @pre at < text.size()
Letter letter_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >> 5 == 0b110     ? 2
                            : lead >> 4 == 0b1110  ? 3
                            : lead >> 3 == 0b11110 ? 4
                                                   : 0;
  if (bytes == 0 || bytes > text.size() - at) return {};
  char32_t code = lead & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if (byte(at + i) >> 6 != 0b10) return {};
    code = code << 6 | (byte(at + i) & 0x3fu);
  }
  // UTF-8 has one form of each letter, the shortest one.
  constexpr char32_t least[] = {0x80, 0x800, 0x10000};
  if (code < least[bytes - 2] || code > last_letter) return {};
  return {code, bytes};
}

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t count>
bool is_in(const Range (&ranges)[count], char32_t code) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [&](const Range& range) { return code >= range.first && code <= range.last; });
}

// Blocks of Unicode's East Asian Width W and F, and of its combining marks (UAX #11); coarse, as a
// column too few or too many only moves the cut.
constexpr Range wide[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},  {0x3041, 0xa4cf},
                          {0xac00, 0xd7a3},   {0xf900, 0xfaff},  {0xfe30, 0xfe6f},
                          {0xff00, 0xff60},   {0xffe0, 0xffe6},  {0x1f300, 0x1f64f},
                          {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};
constexpr Range without_width[] = {
    {0x300, 0x36f}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}};
// Control characters, and those that turn the direction of writing.
constexpr Range refused[] = {{0, 0x1f},        {0x7f, 0x9f},     {0x200e, 0x200f},
                             {0x2028, 0x202e}, {0x2066, 0x2069}, {0xd800, 0xdfff}};

int columns_of(char32_t code) {
  if (is_in(without_width, code)) return 0;
  return is_in(wide, code) ? 2 : 1;
}

}  // namespace

std::string printable_text(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const Letter letter = letter_at(text, at);
    const bool good = letter.code != no_letter && !is_in(refused, letter.code);
    result += good ? text.substr(at, letter.bytes) : "?";
    at += letter.bytes;
  }
  return result;
}

void print_line(std::FILE* to, std::string_view text) {
  fmt::print(to, "{}\n", printable_text(text));
}

void silence_closed_streams() noexcept {
  for (std::FILE* const stream : {stdout, stderr}) {
    pollfd output = {::fileno(stream), POLLOUT, 0};
    if (::poll(&output, 1, 0) <= 0 || (output.revents & (POLLERR | POLLHUP)) == 0) continue;
    const UniqueFd nothing(::open("/dev/null", O_WRONLY | O_CLOEXEC));
    if (nothing.empty() || ::dup2(nothing.get(), output.fd) < 0) continue;
    std::clearerr(stream);  // A line may have failed before.
  }
}

std::string escaped_text(std::string_view text, std::size_t max_bytes) {
  std::string out;
  for (const char c : text) {
    if (out.size() >= max_bytes && (static_cast<unsigned char>(c) & 0xc0U) != 0x80) {
      return out + "...";  // cut between characters, not inside of one
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      out += c;
  }
  return out;
}

int columns_of(std::string_view text) {
  int columns = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Letter letter = letter_at(text, at);
    columns += columns_of(letter.code);
    at += letter.bytes;
  }
  return columns;
}

std::string fit_columns(std::string_view text, int columns) {
  constexpr std::string_view cut = "...";
  if (columns_of(text) <= columns) return std::string(text);
  const int mark = columns > 2 * static_cast<int>(cut.size()) ? static_cast<int>(cut.size()) : 0;
  std::size_t end = 0;
  for (int used = 0; end < text.size();) {
    const Letter letter = letter_at(text, end);
    used += columns_of(letter.code);
    if (used > columns - mark) break;
    end += letter.bytes;
  }
  return std::string(text.substr(0, end)) + std::string(mark > 0 ? cut : "");
}

std::string duration_text(double seconds) {
  if (!(seconds >= 0) || seconds > 1e9) return "-";
  const auto tenths = static_cast<std::int64_t>(seconds * 10 + 1e-6);
  const std::int64_t whole = tenths / 10;
  const std::string end = fmt::format("{:02}.{}", whole % 60, tenths % 10);
  if (whole < 3600) return fmt::format("{}:{}", whole / 60, end);
  return fmt::format("{}:{:02}:{}", whole / 3600, whole / 60 % 60, end);
}

}  // namespace tilewall
