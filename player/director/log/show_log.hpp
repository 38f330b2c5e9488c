// The log of a presentation: every command, cue, late event and restart with its global time, as
// lines of JSON in a file (SHOW_LOG.md), from which `present --replay` runs the show again.
//
// A line is first put into memory that survives the director. The thread "show log" copies it to
// the file, at the same place there, so that no disk delays the show, and a director that is
// started again completes what the last one left.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "sync/global_time.hpp"

namespace tilewall::director {

/// The format's number, in the field "log" of the first line.
inline constexpr int show_log_version = 1;

/// The part of a show log that its file may lack, and two numbers of the show. The supervisor makes
/// the memory, and directors use it one after the other. Threads: one writer; any thread may read.
class ShowLogMemory {
 public:
  /// Makes new memory with an empty log. Throws JobError. The caller owns the descriptor.
  [[nodiscard]] static int make();

  /// `fd` is from make(), and outlives this object.
  explicit ShowLogMemory(int fd) noexcept : fd_(fd) {}

  struct Head {
    std::uint64_t begin = 0;     ///< where the text begins and ends, in bytes of the whole log
    std::uint64_t end = 0;       ///< the text before `begin` is in the file
    std::int64_t start_ns = -1;  ///< global time of the show's start; -1: it has not started
    std::uint64_t replayed = 0;  ///< changes of a replay that were made
  };
  [[nodiscard]] Head head() const;
  /// At most `most_bytes` of the text from `begin` on, a place in [head().begin, head().end].
  [[nodiscard]] std::string text(std::uint64_t begin, std::size_t most_bytes) const;

  /// Adds a whole line. A reader sees all of it or nothing. Throws JobError.
  void append(std::string_view line);
  /// Gives the memory of the text before `begin` back to the system. Throws JobError.
  void release(std::uint64_t begin);
  void set_start(GlobalInstant at);
  void set_replayed(std::uint64_t count);

 private:
  void write(const Head& head) const;

  const int fd_;
};

class ShowLog {
 public:
  /// Where a log is written.
  struct Place {
    std::filesystem::path file;  ///< "" = no log is written
    std::string head;            ///< the first line, one JSON object
  };

  /// `memory_fd` is from ShowLogMemory::make(); -1: none, so that nothing is kept. An existing file
  /// is replaced, unless an earlier director has written to it.
  ShowLog(int memory_fd, Place place);
  /// Copies the rest, and waits for that up to 200 ms.
  ~ShowLog();
  ShowLog(const ShowLog&) = delete;
  ShowLog& operator=(const ShowLog&) = delete;

  /// Whether lines are written.
  [[nodiscard]] bool is_on() const noexcept { return copy_ != nullptr; }

  /// Adds {"at_s", "at_ns", "event": `name`, `details`...}. `at_s` is null before the start. The
  /// log ends, with news, at 256 MiB, or where 32 MiB wait for the disk.
  void add(std::string_view name, const nlohmann::json& details, GlobalInstant at);

  /// Sets the instant of the show's first picture, and adds the line "start". Further calls do
  /// nothing.
  void set_start(GlobalInstant at);
  [[nodiscard]] std::optional<GlobalInstant> start() const noexcept { return start_; }
  /// The time since the start in seconds, to the microsecond, as lines have it; null before it.
  [[nodiscard]] nlohmann::json seconds_at(GlobalInstant at) const;

  /// How many changes of a replay earlier directors and this one have made.
  [[nodiscard]] std::uint64_t replayed() const noexcept { return replayed_; }
  void set_replayed(std::uint64_t count);

  /// To be called about once a second.
  void step();
  /// A line for people on why the log is not written, once for each reason; empty: no news.
  [[nodiscard]] std::optional<std::string> news();

 private:
  /// Copies the text from memory to the file. It has the thread "show log".
  class Copy;

  void end_with(std::string reason);

  const int memory_fd_;
  ShowLogMemory memory_;
  const std::filesystem::path file_;
  std::unique_ptr<Copy> copy_;  // null: no log is written, or not any longer
  std::optional<GlobalInstant> start_;
  std::uint64_t replayed_ = 0;
  std::string ended_;  // why the log has ended; "" = it has not
  std::string told_;
};

}  // namespace tilewall::director
