#include "wallconfigs/toml/key_depth.hpp"

#include <algorithm>
#include <cstddef>

namespace tilewall::wall {
namespace {

/// Index just past the string that begins at `begin` with a quote; past the line where a one-line
/// string does not end (the parser refuses it there).
std::size_t end_of_string(std::string_view toml, std::size_t begin) {
  const char quote = toml[begin];
  const std::string_view triple = quote == '"' ? R"(""")" : "'''";
  const bool many_lines = toml.substr(begin, 3) == triple;
  std::size_t at = begin + (many_lines ? 3 : 1);
  while (at < toml.size()) {
    if (quote == '"' && toml[at] == '\\') {
      at += 2;
    } else if (many_lines ? toml.substr(at, 3) == triple : toml[at] == quote) {
      return at + (many_lines ? 3 : 1);
    } else if (!many_lines && toml[at] == '\n') {
      return at;
    } else {
      ++at;
    }
  }
  return toml.size();
}

bool continues_key(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == ' ' || c == '\t';
}

}  // namespace

std::optional<int> find_deep_key(std::string_view toml, int max_parts) {
  int dots = 0;
  std::size_t at = 0;
  while (at < toml.size()) {
    const char c = toml[at];
    if (c == '#') {
      at = std::min(toml.find('\n', at), toml.size());
    } else if (c == '"' || c == '\'') {
      at = end_of_string(toml, at);
    } else {
      if (c == '.' && ++dots >= max_parts)
        return 1 + static_cast<int>(std::count(
                       toml.begin(), toml.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
      if (c != '.' && !continues_key(c)) dots = 0;
      ++at;
    }
  }
  return std::nullopt;
}

}  // namespace tilewall::wall
