// Collects a show's notes for people, and the reason of its failure.
//
// Threads: one owner, the director's thread.
#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sync/base/error.hpp"

namespace tilewall::director {

class ShowNotes {
 public:
  /// `tell` is called with every note.
  explicit ShowNotes(std::function<void(const std::string& line)> tell) : tell_(std::move(tell)) {}

  /// Adds a note. Only the first 100 are kept for lines().
  void note(const std::string& line);
  /// Adds a note for a problem of a panel, once even if several panels have it.
  void note_problem(const std::string& panel, const std::string& line);
  /// Notes that the show has failed. The first call sets error() and exit_code().
  void fail(const std::string& line, int exit_code = exit_failed);

  [[nodiscard]] const std::vector<std::string>& lines() const noexcept { return lines_; }
  /// The newest note, be it kept or not; "" before the first.
  [[nodiscard]] const std::string& last() const noexcept { return last_; }
  [[nodiscard]] const std::string& error() const noexcept { return error_; }
  [[nodiscard]] int exit_code() const noexcept { return exit_code_; }

  /// The notes and the failure, for restore() of the next director.
  [[nodiscard]] nlohmann::json checkpoint() const;
  /// Throws InputError where the checkpoint is malformed.
  void restore(const nlohmann::json& checkpoint);

 private:
  const std::function<void(const std::string& line)> tell_;
  std::vector<std::string> lines_;
  std::string last_;
  std::set<std::string> problems_;
  int exit_code_ = exit_done;
  std::string error_;  // "" = none
};

/// Adds a note, once, when the wall has shown nothing of its volume for more than a second.
///
/// Threads: one owner, the director's thread.
class BackgroundWatch {
 public:
  using Clock = std::chrono::steady_clock;

  /// `notes` outlives this object.
  explicit BackgroundWatch(ShowNotes& notes) noexcept : notes_(notes) {}

  /// `only_background`: the wall shows a volume, and all panels show only its background.
  void see(bool only_background, Clock::time_point now);
  /// To be called at the end of the show. Adds the note also after a shorter time.
  void end();

 private:
  void note();

  ShowNotes& notes_;
  std::optional<Clock::time_point> since_;
  bool noted_ = false;
};

}  // namespace tilewall::director
