// What a person should know of a show beside its figures: notes, and what went wrong.
//
// One owner, the director's thread.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sync/base/error.hpp"

namespace tilewall::director {

class ShowNotes {
 public:
  /// `tell`: called with every line that is noted, also those that there is no room for.
  explicit ShowNotes(std::function<void(const std::string& line)> tell) : tell_(std::move(tell)) {}

  void note(const std::string& line);
  /// Noted once, however many panels meet it.
  void note_problem(const std::string& panel, const std::string& line);
  /// The show has failed; the first line is the report's, and its exit code the show's.
  void fail(const std::string& line, int exit_code = exit_failed);

  [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }
  /// Also where there was no room for it; "" before the first.
  [[nodiscard]] const std::string& last() const noexcept { return last_; }
  [[nodiscard]] const std::string& error() const noexcept { return error_; }
  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }

 private:
  const std::function<void(const std::string& line)> tell_;
  std::vector<std::string> lines_;
  std::string last_;
  std::set<std::string> problems_;
  int exit_code_ = exit_done;
  std::string error_;  // "" = none
};

/// A wall that shows nothing of its volume, and goes on to, says so once.
///
/// One owner, the director's thread.
class BackgroundWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// `notes` outlives this.
  explicit BackgroundWatch(ShowNotes& notes) noexcept : notes_(notes) {}

  /// `only_background`: every panel's newest picture in full shows a volume, and nothing of it.
  void see(bool only_background, Clock::time_point now);
  /// The show ends: what has not lasted long until now is noted too.
  void end();

 private:
  void note();

  ShowNotes& notes_;
  std::optional<Clock::time_point> since_;
  bool noted_ = false;
};

}  // namespace tilewall::director
