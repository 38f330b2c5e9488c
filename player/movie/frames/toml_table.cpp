#include "player/movie/frames/toml_table.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <sstream>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/nearest.hpp"
#include "wallconfigs/key_depth.hpp"

namespace tilewall {
namespace {

constexpr std::size_t max_file_bytes = 1 << 20;
constexpr int max_key_parts = 16;
constexpr std::size_t max_quoted_chars = 60;  // of a wrong value, in an error message

std::string found_in(const toml::node& node) {
  std::ostringstream text;
  if (const auto* string = node.as_string())
    text << '"' << string->get() << '"';
  else if (node.is_table() || node.is_array())
    text << (node.is_table() ? "a table" : "an array");
  else
    node.visit([&](const auto& value) { text << value; });
  return std::move(text).str().substr(0, max_quoted_chars);
}

// Length of the UTF-8 character at the start of `text`; 0 when there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) < 0x80             ? 1
                             : (byte(0) & 0xe0) == 0xc0 ? 2
                             : (byte(0) & 0xf0) == 0xe0 ? 3
                             : (byte(0) & 0xf8) == 0xf0 ? 4
                                                        : 0;
  if (length > text.size()) return 0;
  std::uint32_t code = length == 1 ? byte(0) : byte(0) & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < least[length] || code > 0x10ffff || surrogate ? 0 : length;
}

}  // namespace

struct TomlTable::State {
  std::string file;
  toml::table table;

  [[nodiscard]] const toml::node& at(std::string_view key) const {
    const toml::node* node = table.get(key);
    if (node == nullptr) throw InputError({file}, key, "this key", "none");
    return *node;
  }
};

TomlTable::TomlTable(const std::filesystem::path& file)
    : TomlTable(read_text_file(file, max_file_bytes), file.string()) {}

TomlTable::TomlTable(std::string_view text, const std::string& place)
    : state_(std::make_unique<State>(State{place, {}})) {
  if (text.size() > max_file_bytes)
    throw InputError({place}, "", "at most 1 MiB", fmt::format("{} bytes", text.size()));
  if (const auto deep = find_deep_key(text, max_key_parts))
    throw InputError({state_->file, *deep}, "",
                     fmt::format("keys of at most {} parts", max_key_parts), "a longer one");
  try {
    state_->table = toml::parse(text, state_->file);
  } catch (const toml::parse_error& error) {
    const auto line = static_cast<int>(error.source().begin.line);
    throw InputError({state_->file, line}, "", "valid TOML", error.description());
  }
}

TomlTable::~TomlTable() = default;

void TomlTable::refuse_unknown_keys(std::span<const std::string_view> known) const {
  for (const auto& [key, node] : state_->table) {
    if (std::find(known.begin(), known.end(), key.str()) != known.end()) continue;
    refuse(key.str(),
           fmt::format("a known key (the nearest is {})", nearest_word(key.str(), known)),
           "an unknown one");
  }
}

std::int64_t TomlTable::integer(std::string_view key, std::int64_t least, std::int64_t most) const {
  const toml::node& node = state_->at(key);
  const auto value = node.value_exact<std::int64_t>();
  if (!value || *value < least || *value > most)
    refuse(key, fmt::format("an integer in [{}, {}]", least, most), found_in(node));
  return *value;
}

bool TomlTable::boolean(std::string_view key) const {
  const toml::node& node = state_->at(key);
  const auto value = node.value_exact<bool>();
  if (!value) refuse(key, "true or false", found_in(node));
  return *value;
}

std::string TomlTable::text(std::string_view key) const {
  const toml::node& node = state_->at(key);
  auto value = node.value_exact<std::string>();
  if (!value) refuse(key, "a string", found_in(node));
  return *std::move(value);
}

void TomlTable::refuse(std::string_view key, std::string_view expected,
                       std::string_view found) const {
  const toml::node* node = state_->table.get(key);
  const int line = node == nullptr ? 0 : static_cast<int>(node->source().begin.line);
  throw InputError({state_->file, line}, key, expected, found);
}

std::string toml_quoted(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char first = text.front();
    if (length == 0)
      quoted += '?';
    else if (first == '"' || first == '\\')
      quoted.append("\\").append(1, first);
    else if (static_cast<unsigned char>(first) < 0x20 || first == 0x7f)
      quoted += fmt::format("\\u{:04X}", static_cast<unsigned>(first));
    else
      quoted.append(text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return quoted + '"';
}

}  // namespace tilewall
