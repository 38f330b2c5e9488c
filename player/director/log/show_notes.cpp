#include "player/director/log/show_notes.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "sync/base/json_fields.hpp"

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

nlohmann::json ShowNotes::checkpoint() const {
  return {{"lines", lines_},
          {"last", last_},
          {"problems", problems_},
          {"exit_code", exit_code_},
          {"error", error_}};
}

void ShowNotes::restore(const nlohmann::json& checkpoint) {
  lines_ = json_field<std::vector<std::string>>(checkpoint, "lines");
  last_ = json_field<std::string>(checkpoint, "last");
  problems_ = json_field<std::set<std::string>>(checkpoint, "problems");
  exit_code_ = json_field<int>(checkpoint, "exit_code");
  error_ = json_field<std::string>(checkpoint, "error");
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
