#include "wallconfigs/toml/toml_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/nearest.hpp"
#include "sync/base/terminal_text.hpp"
#include "wallconfigs/toml/key_depth.hpp"

namespace tilewall::wall {
namespace {

/// Limit of the parts of a dotted key. With toml++'s own limit of 256 nested values it bounds the
/// recursion.
constexpr int max_key_parts = 16;

int line_of_node(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

/// The last line of the node and of all that it holds.
int last_line_of(const toml::node& node) {
  int last = std::max(line_of_node(node), static_cast<int>(node.source().end.line));
  if (const auto* table = node.as_table())
    for (const auto& [key, value] : *table)
      last = std::max({last, static_cast<int>(key.source().end.line), last_line_of(value)});
  if (const auto* array = node.as_array())
    for (const toml::node& item : *array) last = std::max(last, last_line_of(item));
  return last;
}

std::string describe(const toml::node& node) {
  if (const auto* text = node.as_string()) return fmt::format("\"{}\"", escaped_text(text->get()));
  if (const auto* integer = node.as_integer()) return fmt::format("{}", integer->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
  if (node.is_table()) return "a table";
  if (const auto* array = node.as_array())
    return array->size() == 1 ? "an array of 1 value"
                              : fmt::format("an array of {} values", array->size());
  return "a date or time";
}

std::string words(IntegerRange range) {
  return fmt::format("an integer in [{}, {}]", range.min, range.max);
}

std::string words(RealRange range) {
  return fmt::format("a number in {}{}, {}]", range.open_min ? '(' : '[', range.min, range.max);
}

/// Any number, including infinity and NaN.
struct AnyNumber {};

std::string words(AnyNumber) { return "a number"; }

std::optional<std::int64_t> as(const toml::node& node, IntegerRange range) {
  const auto* integer = node.as_integer();
  if (integer == nullptr || integer->get() < range.min || integer->get() > range.max) return {};
  return integer->get();
}

std::optional<double> as(const toml::node& node, RealRange range) {
  const auto value = node.is_number() ? node.value<double>() : std::nullopt;
  if (!value || !std::isfinite(*value) || *value > range.max || *value < range.min) return {};
  if (range.open_min && *value == range.min) return {};
  return value;
}

std::optional<double> as(const toml::node& node, AnyNumber) {
  return node.is_number() ? node.value<double>() : std::nullopt;
}

bool is_printable(std::string_view text) {
  return std::none_of(text.begin(), text.end(),
                      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

/// The value of `key` as a scalar; other values are refused.
template <typename Value, typename Range>
std::optional<Value> scalar(const TomlSection& table, const toml::node* node, std::string_view key,
                            Range range) {
  if (node == nullptr) return {};
  const auto value = as(*node, range);
  if (!value) table.refuse(key, words(range));
  return value;
}

template <typename Value, typename Range>
std::optional<std::vector<Value>> list(const TomlSection& table, const toml::node* node,
                                       std::string_view key, std::size_t count, Range range) {
  if (node == nullptr) return {};
  const auto* array = node->as_array();
  const bool right_count =
      array != nullptr && (count == 0 ? !array->empty() : array->size() == count);
  if (!right_count)
    table.refuse(key, count == 0
                          ? "an array of at least 1 value, each " + words(range)
                          : fmt::format("an array of {} values, each {}", count, words(range)));
  std::vector<Value> values;
  for (const toml::node& item : *array) {
    const auto value = as(item, range);
    if (!value)
      throw InputError({table.file(), line_of_node(item)},
                       fmt::format("{}[{}]", table.field(key), values.size()), words(range),
                       describe(item));
    values.push_back(*value);
  }
  return values;
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

TomlSection::TomlSection(const std::string& file, const toml::table& table, std::string path,
                         KeyList known_keys)
    : file_(&file), table_(&table), path_(std::move(path)) {
  refuse_unknown_keys(known_keys);
}

void TomlSection::refuse_unknown_keys(KeyList known_keys) const {
  const toml::key* first = nullptr;  // first key in the file's order, because toml++ sorts by name
  for (const auto& [key, node] : *table_) {
    if (std::find(known_keys.begin(), known_keys.end(), key.str()) != known_keys.end()) continue;
    if (first == nullptr || key.source().begin < first->source().begin) first = &key;
  }
  if (first == nullptr) return;
  const std::string_view nearest = nearest_word(first->str().substr(0, 64), known_keys);
  throw InputError({*file_, static_cast<int>(first->source().begin.line)}, field(first->str()),
                   fmt::format("a known key (the nearest is \"{}\")", nearest), "an unknown one");
}

int TomlSection::line() const { return line_of_node(*table_); }

int TomlSection::end_line() const { return last_line_of(*table_) + 1; }

int TomlSection::line_of(std::string_view key) const {
  const auto found = table_->find(key);
  return found == table_->end() ? line() : static_cast<int>(found->first.source().begin.line);
}

std::string TomlSection::field(std::string_view key) const {
  return path_.empty() ? escaped_text(key) : path_ + "." + escaped_text(key);
}

void TomlSection::refuse(std::string_view key, std::string_view expected,
                         std::string_view found) const {
  throw InputError({*file_, line_of(key)}, field(key), expected, found);
}

void TomlSection::refuse(std::string_view key, std::string_view expected) const {
  const toml::node* node = table_->get(key);
  refuse(key, expected, node == nullptr ? "nothing" : describe(*node));
}

std::optional<std::int64_t> TomlSection::integer(std::string_view key, IntegerRange range) const {
  return scalar<std::int64_t>(*this, table_->get(key), key, range);
}

std::optional<double> TomlSection::number(std::string_view key, RealRange range) const {
  return scalar<double>(*this, table_->get(key), key, range);
}

std::optional<double> TomlSection::any_number(std::string_view key) const {
  return scalar<double>(*this, table_->get(key), key, AnyNumber{});
}

std::optional<bool> TomlSection::boolean(std::string_view key) const {
  if (!has(key)) return {};
  const auto* value = (*table_)[key].as_boolean();
  if (value == nullptr) refuse(key, "true or false");
  return value->get();
}

std::optional<std::string> TomlSection::text(std::string_view key, std::size_t max_bytes) const {
  if (!has(key)) return {};
  const auto* value = (*table_)[key].as_string();
  if (value == nullptr || value->get().empty() || value->get().size() > max_bytes ||
      !is_printable(value->get()))
    refuse(key, fmt::format("a text of 1 to {} printable characters", max_bytes));
  return value->get();
}

std::optional<std::string> TomlSection::any_text(std::string_view key) const {
  if (!has(key)) return {};
  const auto* value = (*table_)[key].as_string();
  if (value == nullptr) refuse(key, "a text");
  return value->get();
}

std::optional<std::vector<std::int64_t>> TomlSection::integers(std::string_view key,
                                                               std::size_t count,
                                                               IntegerRange range) const {
  return list<std::int64_t>(*this, table_->get(key), key, count, range);
}

std::optional<std::vector<double>> TomlSection::numbers(std::string_view key, std::size_t count,
                                                        RealRange range) const {
  return list<double>(*this, table_->get(key), key, count, range);
}

std::optional<std::vector<double>> TomlSection::any_numbers(std::string_view key,
                                                            std::size_t count) const {
  return list<double>(*this, table_->get(key), key, count, AnyNumber{});
}

std::optional<std::vector<std::vector<double>>> TomlSection::number_rows(std::string_view key,
                                                                         std::size_t max_rows,
                                                                         std::size_t count,
                                                                         RealRange range) const {
  if (!has(key)) return {};
  const auto* array = (*table_)[key].as_array();
  const std::string expected = fmt::format("{} numbers, each {}", count, words(range));
  if (array == nullptr || array->empty() || array->size() > max_rows)
    refuse(key, fmt::format("an array of 1 to {} arrays of {}", max_rows, expected));
  std::vector<std::vector<double>> rows;
  for (const toml::node& item : *array) {
    const auto refuse_row = [&](const toml::node& found) {
      throw InputError({*file_, line_of_node(item)}, fmt::format("{}[{}]", field(key), rows.size()),
                       "an array of " + expected, describe(found));
    };
    const auto* row = item.as_array();
    if (row == nullptr || row->size() != count) refuse_row(item);
    std::vector<double>& numbers = rows.emplace_back();
    for (const toml::node& node : *row) {
      const auto value = as(node, range);
      if (!value) refuse_row(node);
      numbers.push_back(*value);
    }
  }
  return rows;
}

std::optional<std::vector<std::string>> TomlSection::texts(std::string_view key,
                                                           std::size_t max_count) const {
  if (!has(key)) return {};
  const auto* array = (*table_)[key].as_array();
  if (array == nullptr) return std::vector<std::string>{text(key).value()};
  const std::string expected = fmt::format("a text, or an array of 1 to {} texts", max_count);
  if (array->empty() || array->size() > max_count) refuse(key, expected);
  std::vector<std::string> values;
  for (const toml::node& item : *array) {
    const auto* value = item.as_string();
    if (value == nullptr || value->get().empty() || !is_printable(value->get()))
      throw InputError({*file_, line_of_node(item)},
                       fmt::format("{}[{}]", field(key), values.size()), "a printable text",
                       describe(item));
    values.push_back(value->get());
  }
  return values;
}

std::optional<TomlSection> TomlSection::table(std::string_view key, KeyList known_keys) const {
  if (!has(key)) return {};
  const auto* value = (*table_)[key].as_table();
  if (value == nullptr) refuse(key, "a table");
  return TomlSection(*file_, *value, field(key), known_keys);
}

std::string TomlSection::item_path(std::string_view key, std::size_t index, const toml::table& item,
                                   std::string_view name_key) const {
  const toml::node* const name = name_key.empty() ? nullptr : item.get(name_key);
  const auto* const text = name == nullptr ? nullptr : name->as_string();
  if (text == nullptr || text->get().empty()) return fmt::format("{}[{}]", field(key), index);
  return fmt::format("{} \"{}\"", field(key), escaped_text(text->get()));
}

std::vector<TomlSection> TomlSection::tables(std::string_view key, KeyList known_keys,
                                             std::string_view name_key) const {
  std::vector<TomlSection> tables;
  if (!has(key)) return tables;
  const auto* array = (*table_)[key].as_array();
  const bool all_tables = array != nullptr && std::all_of(array->begin(), array->end(),
                                                          [](auto& n) { return n.is_table(); });
  if (!all_tables) refuse(key, fmt::format("tables written [[{}]]", key));
  for (const toml::node& item : *array)
    tables.emplace_back(*file_, *item.as_table(),
                        item_path(key, tables.size(), *item.as_table(), name_key), known_keys);
  return tables;
}

TomlFile::TomlFile(const std::filesystem::path& file, std::size_t max_bytes)
    : TomlFile(file.string(), read_text_file(file, max_bytes), max_bytes) {}

TomlFile::TomlFile(std::string name, std::string_view text, std::size_t max_bytes)
    : name_(std::move(name)) {
  if (text.size() > max_bytes)
    throw InputError({name_}, "", fmt::format("at most {} bytes", max_bytes),
                     fmt::format("{} bytes", text.size()));
  if (const auto deep = find_deep_key(text, max_key_parts))
    throw InputError({name_, *deep}, "", fmt::format("keys of at most {} parts", max_key_parts),
                     "a longer one");
  try {
    table_ = toml::parse(text, name_);
  } catch (const toml::parse_error& error) {
    std::string found = escaped_text(std::string_view(error.description()), 200);
    if (!found.empty() && found.front() == 'E') found.front() = 'e';  // "Error while parsing ..."
    throw InputError({name_, static_cast<int>(error.source().begin.line)}, "", "valid TOML", found);
  }
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

}  // namespace tilewall::wall
