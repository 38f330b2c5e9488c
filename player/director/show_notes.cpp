#include "player/director/show_notes.hpp"

#include <utility>

namespace tilewall::director {

namespace {

constexpr std::size_t max_notes = 100;

}  // namespace

void ShowNotes::note(const std::string& line) {
  tell_(line);
  last_ = line;
  if (lines_.size() < max_notes) lines_.push_back(line);
}

void ShowNotes::note_problem(const std::string& panel, const std::string& line) {
  if (problems_.size() < max_notes && problems_.insert(line).second)
    note("panel " + panel + ": " + line);
}

void ShowNotes::fail(const std::string& line, int exit_code) {
  if (exit_code_ == exit_done) exit_code_ = exit_code;
  if (error_.empty()) error_ = line;
}

namespace {

constexpr std::chrono::seconds background_limit{1};

}  // namespace

void BackgroundWatch::see(bool only_background, Clock::time_point now) {
  if (!only_background) return since_.reset();
  if (!since_) since_ = now;
  if (now > *since_ + background_limit) note();
}

void BackgroundWatch::end() {
  if (since_) note();
}

void BackgroundWatch::note() {
  if (std::exchange(noted_, true)) return;
  notes_.note(
      "the volume is not visible: with its values, transfer function, clip box and camera only the "
      "background is left");
}

}  // namespace tilewall::director
