// Reads TOML files key by key, with errors that name file, line, field, what was expected and
// found. Every TOML file that tilewall reads goes through here: walls, shows, cameras, transfer
// functions, movie.toml and the sidecars of raw volumes.
//
// A file is read whole into memory with a bound on its size and on its nesting. Every table is
// opened with the list of its known keys; any other key is an error that names the nearest known
// one. All errors are InputErrors of one line, whatever bytes the file holds.
#pragma once

// The parser asserts that a table's name begins like a key, although it then refuses "[(" itself.
#define TOML_ASSERT(expr) static_cast<void>(0)
#include <toml++/toml.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewall::wall {

/// Inclusive.
struct IntegerRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
};

/// [min, max], or (min, max] where `open_min`.
struct RealRange {
  double min = 0;
  double max = 0;
  bool open_min = false;
};

using KeyList = std::span<const std::string_view>;

/// One table of a file. Getters return empty where the key is absent, and throw InputError where
/// its value has another type or lies outside of its range. Refers to the TomlFile, which outlives
/// it.
class TomlSection {
 public:
  /// `path` is how messages name the table, such as "panel[3]"; "" is the file's top.
  /// Throws InputError for the first key that `known_keys` lacks.
  TomlSection(const std::string& file, const toml::table& table, std::string path,
              KeyList known_keys);

  [[nodiscard]] bool has(std::string_view key) const { return table_->contains(key); }
  [[nodiscard]] std::optional<std::int64_t> integer(std::string_view key, IntegerRange range) const;
  [[nodiscard]] std::optional<double> number(std::string_view key, RealRange range) const;
  /// Any number, an infinite one and NaN among them.
  [[nodiscard]] std::optional<double> any_number(std::string_view key) const;
  [[nodiscard]] std::optional<bool> boolean(std::string_view key) const;

  /// Printable text of 1 to `max_bytes` bytes.
  [[nodiscard]] std::optional<std::string> text(std::string_view key,
                                                std::size_t max_bytes = 256) const;
  /// Any text: empty, long, with control characters.
  [[nodiscard]] std::optional<std::string> any_text(std::string_view key) const;

  /// An array of exactly `count` integers, or of one or more where `count` is 0.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::string_view key,
                                                                  std::size_t count,
                                                                  IntegerRange range) const;
  /// An array of exactly `count` numbers.
  [[nodiscard]] std::optional<std::vector<double>> numbers(std::string_view key, std::size_t count,
                                                           RealRange range) const;
  /// An array of exactly `count` numbers, infinite ones and NaN among them.
  [[nodiscard]] std::optional<std::vector<double>> any_numbers(std::string_view key,
                                                               std::size_t count) const;
  /// An array of 1 to `max_rows` arrays of exactly `count` numbers.
  [[nodiscard]] std::optional<std::vector<std::vector<double>>> number_rows(std::string_view key,
                                                                            std::size_t max_rows,
                                                                            std::size_t count,
                                                                            RealRange range) const;
  /// One text, or an array of 1 to `max_count` of them.
  [[nodiscard]] std::optional<std::vector<std::string>> texts(std::string_view key,
                                                              std::size_t max_count) const;

  [[nodiscard]] bool is_table(std::string_view key) const { return (*table_)[key].is_table(); }
  [[nodiscard]] bool is_text(std::string_view key) const { return (*table_)[key].is_string(); }
  [[nodiscard]] bool is_integer(std::string_view key) const { return (*table_)[key].is_integer(); }
  [[nodiscard]] bool is_number(std::string_view key) const { return (*table_)[key].is_number(); }
  [[nodiscard]] bool is_array(std::string_view key) const { return (*table_)[key].is_array(); }
  [[nodiscard]] std::optional<TomlSection> table(std::string_view key, KeyList known_keys) const;

  /// The tables written [[key]], in the file's order; none where the key is absent. Messages call a
  /// table "key[3]", or by its text at `name_key` where it has one: key "Intro".
  [[nodiscard]] std::vector<TomlSection> tables(std::string_view key, KeyList known_keys,
                                                std::string_view name_key = {}) const;

  [[nodiscard]] const std::string& file() const { return *file_; }
  [[nodiscard]] int line() const;      ///< Line of the table's beginning, from 1
  [[nodiscard]] int end_line() const;  ///< One past the last line of its keys, values and tables
  /// Line of the key, or of its table if it is absent.
  [[nodiscard]] int line_of(std::string_view key) const;
  [[nodiscard]] std::string field(std::string_view key) const;  ///< "panel[3].size_px"

  /// Throws InputError about `key` with the value found there ("nothing" where it is absent).
  [[noreturn]] void refuse(std::string_view key, std::string_view expected) const;
  [[noreturn]] void refuse(std::string_view key, std::string_view expected,
                           std::string_view found) const;

 private:
  void refuse_unknown_keys(KeyList known_keys) const;
  /// How messages name the table at `index` of the array `key`.
  [[nodiscard]] std::string item_path(std::string_view key, std::size_t index,
                                      const toml::table& item, std::string_view name_key) const;

  const std::string* file_;
  const toml::table* table_;
  std::string path_;
};

/// A parsed file; its tables refer to it.
class TomlFile {
 public:
  /// Throws InputError: missing, unreadable, larger than `max_bytes`, not TOML.
  TomlFile(const std::filesystem::path& file, std::size_t max_bytes);
  /// Takes the file's `text`, which came from `name`. Throws InputError as above.
  TomlFile(std::string name, std::string_view text, std::size_t max_bytes);
  TomlFile(const TomlFile&) = delete;
  TomlFile& operator=(const TomlFile&) = delete;

  [[nodiscard]] TomlSection root(KeyList known_keys) const {
    return {name_, table_, "", known_keys};
  }

 private:
  std::string name_;
  toml::table table_;
};

/// `text` as a TOML string, quotes included. Bytes that are no UTF-8 become '?'.
[[nodiscard]] std::string toml_quoted(std::string_view text);

}  // namespace tilewall::wall
