#include "player/cli/present/show_recording.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <ctime>

#include "sync/base/arguments.hpp"
#include "sync/base/error.hpp"
#include "sync/base/handle.hpp"
#include "sync/base/json_text.hpp"

namespace tilewall::cli {
namespace {

namespace fs = std::filesystem;

/// The log beside the report: "rep.log.jsonl" for "rep.json". "" where the report is no file.
fs::path log_beside(const std::string& report) {
  std::error_code error;
  if (report.empty() || (fs::exists(report, error) && !fs::is_regular_file(report, error)))
    return {};
  return fs::path(report).replace_extension(".log.jsonl");
}

/// Throws InputError that names the option, unless the log can be written there. An old one stays
/// until the show starts, and none is left where there was none.
void check_log_file(const char* option, const fs::path& file, const PresentArguments& arguments) {
  const auto refuse = [option](const std::string& expected, const std::string& found) {
    throw InputError({option}, "", expected, found);
  };
  std::error_code error;
  if (!arguments.replay.empty() && fs::equivalent(file, arguments.replay, error))
    refuse("a file other than the log that is replayed", file.string());
  if (!arguments.play.report.empty() &&
      file.lexically_normal() == fs::absolute(arguments.play.report).lexically_normal())
    refuse("a file other than the report", file.string());
  if (fs::exists(file, error) && !fs::is_regular_file(file, error))
    refuse("a file", file.string() + ", which is something else");
  // A link to a file that is still to be made stays.
  const bool was_there = fs::symlink_status(file, error).type() != fs::file_type::not_found;
  const UniqueFd opened(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR | S_IRGRP | S_IROTH));
  if (opened.empty())
    refuse("a file that can be written",
           fmt::format("{}: {}", file.string(), std::strerror(errno)));
  if (!was_there) fs::remove(file, error);
}

/// The date and time of day, "2026-11-25T20:15:00Z".
std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  const std::size_t length = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return {text, length};
}

nlohmann::json text_or_none(const std::string& text) {
  return text.empty() ? nlohmann::json(nullptr) : nlohmann::json(text);
}

bool is_typed(const PresentArguments& arguments, const char* option) {
  return arguments.command != nullptr && arguments.command->count(option) > 0;
}

/// The fields of a log's first line.
class LogHead {
 public:
  explicit LogHead(const director::Recording& recording) : recording_(recording) {}

  /// "" where the field is null or missing.
  [[nodiscard]] std::string text(const char* field) const {
    const nlohmann::json& value = at(field);
    if (value.is_null()) return "";
    if (!value.is_string()) refuse(field, "a text or null", value);
    return value.get<std::string>();
  }
  [[nodiscard]] bool flag(const char* field) const {
    const nlohmann::json& value = at(field);
    if (value.is_null()) return false;
    if (!value.is_boolean()) refuse(field, "true or false", value);
    return value.get<bool>();
  }
  [[nodiscard]] double number(const char* field, double otherwise) const {
    const nlohmann::json& value = at(field);
    if (value.is_null()) return otherwise;
    if (!value.is_number()) refuse(field, "a number", value);
    return value.get<double>();
  }

 private:
  [[nodiscard]] const nlohmann::json& at(const char* field) const {
    static const nlohmann::json none;
    const auto found = recording_.head.find(field);
    return found == recording_.head.end() ? none : *found;
  }
  [[noreturn]] void refuse(const char* field, const char* expected,
                           const nlohmann::json& found) const {
    throw InputError({recording_.file, 1}, field, expected, shown_json(found));
  }

  const director::Recording& recording_;
};

}  // namespace

fs::path log_file(const PresentArguments& arguments) {
  const bool has_name = !arguments.log.empty();
  const fs::path named = has_name ? fs::path(arguments.log) : log_beside(arguments.play.report);
  if (named.empty()) return {};
  fs::path file = fs::absolute(named);
  check_log_file(has_name ? "--log" : "--report", file, arguments);
  return file;
}

std::string log_head(const PresentArguments& arguments, const wall::Wall& wall) {
  const PlayArguments& play = arguments.play;
  nlohmann::ordered_json head;
  head["log"] = director::show_log_version;
  head["program"] = program_version();
  head["utc"] = utc_now();
  head["show"] = fs::absolute(arguments.show).string();
  head["wall"] = wall.file.empty() ? nlohmann::json(nullptr)
                                   : nlohmann::json(fs::absolute(wall.file).string());
  head["start"] = text_or_none(arguments.start);
  head["section"] = text_or_none(arguments.section);
  head["kiosk"] = arguments.kiosk;
  head["late"] = is_typed(arguments, "--late") || arguments.late_is_recorded
                     ? nlohmann::json(play.late)
                     : nlohmann::json(nullptr);
  head["bezels"] = text_or_none(play.bezels);
  head["content"] = text_or_none(play.content);
  head["local"] = play.local;
  head["volume_percent"] = play.sound.volume_percent;
  if (arguments.resumes) head["resumed"] = true;
  return json_text(head);
}

PresentArguments recorded_arguments(const PresentArguments& typed,
                                    const director::Recording& recording) {
  const LogHead head(recording);
  PresentArguments all = typed;
  PlayArguments& play = all.play;
  const auto take = [&](const char* option, std::string& value, const char* field) {
    if (!is_typed(typed, option)) value = head.text(field);
  };
  if (typed.show.empty()) all.show = head.text("show");
  if (all.show.empty())
    throw InputError({recording.file, 1}, "show", "the path of a show file", "none");
  take("--wall", play.wall, "wall");
  take("--bezels", play.bezels, "bezels");
  take("--content", play.content, "content");
  if (!is_typed(typed, "--start") && !is_typed(typed, "--section")) {
    all.start = head.text("start");
    all.section = head.text("section");
  }
  if (const std::string late = head.text("late"); !late.empty() && !is_typed(typed, "--late")) {
    play.late = late;
    all.late_is_recorded = true;
  }
  all.kiosk = typed.kiosk || head.flag("kiosk");
  play.local = play.local || head.flag("local");
  if (!is_typed(typed, "--volume"))
    play.sound.volume_percent = head.number("volume_percent", play.sound.volume_percent);
  return all;
}

}  // namespace tilewall::cli
