#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "player/movie/playlist/list_formats.hpp"

namespace tilewall::movie {
namespace {

constexpr std::string_view duration_tag = "#EXTINF:";
constexpr std::string_view file_scheme = "file://";
constexpr double max_still_s = 24 * 3600;

bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

bool has_scheme(std::string_view path) noexcept {
  const std::size_t end = path.find("://");
  return end != std::string_view::npos && end > 0 && is_letter(path[0]) &&
         std::all_of(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(end), [](char c) {
           return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.';
         });
}

// Decodes "%20" and the like (RFC 3986, section 2.1). "%00" stays, because no path has a NUL.
std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned byte = 0;
    const char* const digits = text.data() + at + 1;
    if (text[at] == '%' && at + 2 < text.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2 && byte != 0) {
      decoded += static_cast<char>(byte);
      at += 2;
    } else {
      decoded += text[at];
    }
  }
  return decoded;
}

std::string path_of(const ListLine& line, const std::filesystem::path& file) {
  const std::string_view text = line.text;
  if (text.starts_with(file_scheme) && text.substr(file_scheme.size()).starts_with('/'))
    return percent_decoded(text.substr(file_scheme.size()));
  if (is_address(text)) return line.text;
  if (has_scheme(text))
    throw InputError({file.string(), line.number}, "", "a file on this machine",
                     "\"" + line.text + "\"");
  return (file.parent_path() / line.text).string();
}

// The seconds of an #EXTINF line; empty for 0 and for -1, which players write for streams.
std::optional<double> duration_of(const ListLine& line, const std::filesystem::path& file) {
  const std::string_view text = std::string_view(line.text).substr(duration_tag.size());
  double seconds = 0;
  const char* const start = text.data() + std::min(text.find_first_not_of(' '), text.size());
  const auto [end, error] = std::from_chars(start, text.data() + text.size(), seconds);
  if (error != std::errc{} || !(seconds <= max_still_s))
    throw InputError({file.string(), line.number}, "#EXTINF",
                     "a duration in seconds, at most a day", "\"" + std::string(text) + "\"");
  if (!(seconds > 0)) return std::nullopt;
  return seconds;
}

/// The title: the text after the first comma outside of quoted attributes, as in
/// `#EXTINF:5 logo="a,b",Title`.
std::string title_of(std::string_view line) {
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '"') quoted = !quoted;
    if (line[at] == ',' && !quoted) return title_text(line.substr(at + 1));
  }
  return "";
}

}  // namespace

std::vector<PlaylistEntry> read_path_list(const std::filesystem::path& file) {
  const bool utf8 = file.extension() == ".m3u8" || file.extension() == ".M3U8";
  std::vector<PlaylistEntry> entries;
  std::optional<double> duration_s;
  std::string title;
  for (const ListLine& line : read_list_lines(file, utf8 ? ListText::utf8 : ListText::any_bytes)) {
    if (line.text.starts_with(duration_tag)) {
      duration_s = duration_of(line, file);
      title = title_of(line.text);
    }
    if (line.text.starts_with('#')) continue;
    PlaylistEntry entry;
    entry.path = path_of(line, file);
    entry.place = {file.string(), line.number};
    entry.still_s = std::exchange(duration_s, std::nullopt);
    entry.title = std::exchange(title, {});
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace tilewall::movie
