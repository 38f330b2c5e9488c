// A flat TOML file whose every key is needed: typed reading with errors that name file, line and
// key.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace tilewall {

template <typename Enum>
struct WordOf {
  std::string_view word;
  Enum value;
};

/// @pre `value` is in the list
template <typename Enum>
std::string_view word_of(Enum value, std::span<const WordOf<Enum>> words) {
  for (const WordOf<Enum>& entry : words)
    if (entry.value == value) return entry.word;
  return {};
}
template <typename Enum, std::size_t count>
std::string_view word_of(Enum value, const std::array<WordOf<Enum>, count>& words) {
  return word_of(value, std::span<const WordOf<Enum>>(words));
}

/// Every reader throws InputError naming file, line and key when the key is missing or its value is
/// not as asked for.
class TomlTable {
 public:
  /// Reads the file, of at most 1 MiB. Throws InputError.
  explicit TomlTable(const std::filesystem::path& file);
  /// Parses `text`, which came from `place`, at most 1 MiB of it. Throws InputError.
  TomlTable(std::string_view text, const std::string& place);
  ~TomlTable();
  TomlTable(const TomlTable&) = delete;
  TomlTable& operator=(const TomlTable&) = delete;

  /// Throws InputError for the first key that is not in the list, naming the nearest one that is.
  void refuse_unknown_keys(std::span<const std::string_view> known) const;

  /// @return a value in [least, most]
  std::int64_t integer(std::string_view key, std::int64_t least, std::int64_t most) const;
  [[nodiscard]] bool boolean(std::string_view key) const;
  [[nodiscard]] std::string text(std::string_view key) const;

  template <typename Enum>
  [[nodiscard]] Enum word(std::string_view key, std::span<const WordOf<Enum>> words) const {
    const std::string found = text(key);
    std::string expected = "one of";
    for (const WordOf<Enum>& entry : words) {
      if (entry.word == found) return entry.value;
      expected.append(" \"").append(entry.word).append("\"");
    }
    refuse(key, expected, '"' + found + '"');
  }

  /// Throws InputError about a key's value.
  [[noreturn]] void refuse(std::string_view key, std::string_view expected,
                           std::string_view found) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// As a TOML string, quotes included. Bytes that are no UTF-8 become '?'.
[[nodiscard]] std::string toml_quoted(std::string_view text);

}  // namespace tilewall
