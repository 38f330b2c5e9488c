// The journal of a show: the entries by which a director that is started again, or a show that is
// resumed, continues where the last one ended.
//
// Each entry is one line of JSON: {"sum", "at_ns", "kind", "data"}. `sum` is XXH3-64 of the rest of
// the line. The journal is kept twice: in shared memory, which a director that dies leaves to the
// next one, and in the file journal.jsonl of the run directory, which outlives the whole show. Only
// the thread "journal" touches the file, so no disk delays the director.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "sync/global_time.hpp"

namespace tilewall::director {

/// The journal's file in the run directory.
inline constexpr const char* journal_file = "journal.jsonl";

/// The format's number, in the entry "show".
inline constexpr int journal_version = 1;

struct JournalEntry {
  GlobalInstant at;     ///< when it was written
  std::string kind;     ///< "show", "director", "source", "scene", "live", "cues", "time", "once";
                        ///< others stay
  nlohmann::json data;  ///< depends on the kind
};

/// The entry as a line, with its end.
[[nodiscard]] std::string to_line(const JournalEntry& entry);

/// The line, without its end, of an entry's text after the sum: `"at_ns":1,"kind":"a","data":2}`.
[[nodiscard]] std::string line_of_body(std::string_view body);

/// Reads a line without its end. Empty where the sum is wrong, a field is missing, or values are
/// nested deeper than deepest_json.
[[nodiscard]] std::optional<JournalEntry> entry_from_line(std::string_view line);

struct JournalText {
  std::vector<JournalEntry> entries;
  std::size_t damaged_lines = 0;  ///< lines that are no entries; a torn last line does not count
};

/// Reads the entries of a journal of any size and contents.
[[nodiscard]] JournalText read_journal(std::string_view text);

/// The journal's text in memory that survives the director. The supervisor makes the memory.
///
/// The first 16 bytes say where the text begins and ends. They are written last, so a director that
/// dies while it writes leaves the text as it was. Threads: one writer; any thread may read.
class JournalMemory {
 public:
  /// Makes new memory with an empty journal. Throws JobError. The caller owns the descriptor.
  [[nodiscard]] static int make();

  /// `fd` is from make(), and outlives this object.
  explicit JournalMemory(int fd) noexcept : fd_(fd) {}

  /// Where the text begins and ends, in bytes of the memory.
  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  [[nodiscard]] Range range() const;
  /// The text of a range.
  [[nodiscard]] std::string text(const Range& range) const;

  /// Adds whole lines. A reader sees all of them or none. Throws JobError.
  void append(std::string_view lines);
  /// Replaces the text. A reader sees the old text or the new one. Throws JobError.
  void replace(std::string_view text);

 private:
  /// Writes the text behind the present one, and then the range from `begin` to its end.
  void write_behind(std::string_view text, std::uint64_t begin);

  const int fd_;
};

/// Copies the journal from memory to its file, and lets the disk have it once a second.
///
/// Threads: owns one, "journal". The functions belong to the director's thread.
class JournalCopy {
 public:
  /// `memory_fd`: of JournalMemory; it outlives the process's use of it. The file is written anew
  /// at once.
  JournalCopy(int memory_fd, std::filesystem::path file);
  /// Copies the rest, and waits for that up to 200 ms.
  ~JournalCopy();
  JournalCopy(const JournalCopy&) = delete;
  JournalCopy& operator=(const JournalCopy&) = delete;

  /// Notes that the memory has changed. Never blocks.
  void copy_soon();

  /// Why the file cannot be written; "" where it can.
  [[nodiscard]] std::string trouble() const;

 private:
  /// What the thread works on. It outlives this object where a disk holds the thread up.
  class State;

  const std::shared_ptr<State> state_;
  std::jthread thread_;
};

}  // namespace tilewall::director
