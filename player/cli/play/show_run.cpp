#include "player/cli/play/show_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "player/cli/play/play_options.hpp"
#include "player/cli/play/resume.hpp"
#include "player/command/command.hpp"
#include "player/director/statistics/damage.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/printed_line.hpp"
#include "sync/base/process.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall::cli {
namespace {

/// "; at times 1 of 4 ticks, as panel c0r1 missed some (decode)"; "" if every tick was shown.
std::string decimation_text(const nlohmann::json& report) {
  const auto decimation = report.value("decimation", nlohmann::json::object());
  const auto most = decimation.value("most_every_nth_tick", std::int64_t{1});
  if (most == 1) return "";
  return fmt::format("; at times 1 of {} ticks, as panel {} missed some ({})", most,
                     decimation.at("panel").get<std::string>(),
                     decimation.at("cause").get<std::string>());
}

void print_summary(const nlohmann::json& report) {
  const auto& skew = report.at("skew_us");
  const auto& start_s = report.at("start_s");
  const std::string start =
      start_s.is_number() ? fmt::format(", first picture after {:.2f} s", start_s.get<double>())
                          : "";
  const std::string damage = director::to_string(
      director::damage_from_json(report.value("damage", nlohmann::json::object())));
  for (const auto& live : report.value("live", nlohmann::json::array())) {
    std::int64_t skipped = 0;
    for (const auto& count : live.at("skipped")) skipped += count.get<std::int64_t>();
    print_line(stdout, "showed {} timesteps of live:{}, skipped {}, {} late",
               live.at("shown").dump(), live.at("name").get<std::string>(), skipped,
               live.value("late", std::int64_t{0}));
  }
  const auto scheduled = report.at("frames_scheduled").get<std::int64_t>();
  const int panels = report.at("wall").at("panels").get<int>();
  // A wall that shows timesteps only has no frames that are due.
  const bool has_frames = scheduled > 0 || report.value("live", nlohmann::json::array()).empty();
  const std::string frames =
      has_frames ? fmt::format("showed {} of {} frames on {} panels at {:.2f} fps, {} late",
                               report.at("frames_shown").get<std::int64_t>(), scheduled, panels,
                               report.at("fps").get<double>(),
                               report.at("frames_late").get<std::int64_t>())
                 : fmt::format("on {} panels", panels);
  print_line(stdout, "{}{}{}; skew p50 {:.0f} p99 {:.0f} us, clock bound {:.1f} us{}{}", frames,
             damage.empty() ? "" : "; DAMAGE: ", damage, skew.at("p50").get<double>(),
             skew.at("p99").get<double>(), report.at("clock_error_us").at("p99").get<double>(),
             start, decimation_text(report));
}

/// Writes a --report that has only the error, for a show without a report.
void report_failure(const PlayArguments& arguments, const std::string& line) {
  if (arguments.report.empty()) return;
  const std::string text = json_text(nlohmann::json{{"error", line}}, 2) + "\n";
  try {
    write_file_atomically(arguments.report, text);
  } catch (const JobError&) {
    // On a full disk, overwrite the file that check_writable() made at the start.
    static_cast<void>(overwrite_file(arguments.report, text));
  }
}

/// Whether a report is worth a summary; that of a show that never began is not.
bool says_something(const nlohmann::json& report) {
  return report.contains("per_panel") &&
         (report.value("frames_shown", 0) > 0 || !report.contains("error"));
}

/// Prints what came of a show. `told`: lines that the terminal has had already. Returns the
/// judgement of `judge`.
int print_result(const PlayArguments& arguments, const supervisor::ShowResult& result,
                 const std::vector<std::string>& told, const JudgeReport& judge) {
  if (arguments.json)
    fmt::print("{}\n", json_text(result.report));
  else if (says_something(result.report))
    print_summary(result.report);
  const int judged = judge && says_something(result.report) ? judge(result.report) : exit_done;
  if (result.report.contains("error"))  // before the notes, which may be its consequences
    print_line(stderr, "tilewall: {}", result.report.at("error").get<std::string>());
  for (const auto& note : result.report.value("notes", nlohmann::json::array()))
    if (std::ranges::find(told, note.get<std::string>()) == told.end())
      print_line(stderr, "tilewall: {}", note.get<std::string>());
  if (result.report.contains("logs"))
    print_line(stderr, "tilewall: the logs of this show are in {}",
               result.report.at("logs").get<std::string>());
  return judged;
}

}  // namespace

int play_show(const PlayArguments& arguments, supervisor::SupervisorOptions options,
              const JudgeReport& judge) {
  options.terminal = arguments.json ? supervisor::TerminalUse::quiet_controlled
                                    : supervisor::TerminalUse::controlled;
  std::vector<std::string> told = options.show.notes;  // printed when they were found
  const supervisor::ShowResult result = supervisor::run_show(std::move(options));
  told.insert(told.end(), result.told.begin(), result.told.end());
  // The report comes first, because the terminal may be gone.
  std::exception_ptr unwritten;
  try {
    if (!arguments.report.empty())
      write_file_atomically(arguments.report, json_text(result.report, 2) + "\n");
  } catch (const JobError&) {  // the disk is full
    unwritten = std::current_exception();
  }
  // A show whose output nobody reads has gone as well as any other.
  silence_closed_streams();
  int judged = exit_done;
  try {
    judged = print_result(arguments, result, told, judge);
  } catch (const std::system_error&) {  // nobody can read it
  }
  std::fflush(stdout);
  silence_closed_streams();  // the reader may have gone meanwhile
  if (unwritten) std::rethrow_exception(unwritten);
  return result.exit_code != exit_done ? result.exit_code : judged;
}

namespace {

int try_show(const PlayArguments& arguments, const MakeShowOptions& make,
             const JudgeReport& judge) {
  supervisor::SupervisorOptions options;
  std::stop_token stop;
  {
    const StopSignals signals;  // only for opening inputs; the supervisor has its own
    stop = signals.token();
    options = make(stop);
  }
  command::throw_if_stopped(stop);
  options.arguments = own_arguments();
  options.folder = std::filesystem::current_path();
  return play_show(arguments, std::move(options), judge);
}

int try_to_resume(const PlayArguments& given, const ParseShow& parse) {
  const ShowToResume show = show_to_resume(given, parse);
  supervisor::SupervisorOptions options;
  std::stop_token stop;
  {
    const StopSignals signals;
    stop = signals.token();
    options = resumed_options(show, stop);
  }
  command::throw_if_stopped(stop);
  return play_show(show.parsed.arguments, std::move(options));
}

/// Runs a show by `run`. If that throws, --report gets the error.
template <typename Run>
int with_failure_reported(const PlayArguments& arguments, const Run& run) {
  try {
    return run();
  } catch (const std::exception& error) {
    report_failure(arguments, error.what());
    throw;
  }
}

}  // namespace

int run_show_command(const PlayArguments& arguments, const MakeShowOptions& make,
                     const JudgeReport& judge) {
  return with_failure_reported(arguments, [&] { return try_show(arguments, make, judge); });
}

int resume_show_command(const PlayArguments& arguments, const ParseShow& parse) {
  return with_failure_reported(arguments, [&] { return try_to_resume(arguments, parse); });
}

int run_show_command(const PlayArguments& arguments) {
  if (!arguments.resume.empty()) return resume_show_command(arguments, parse_play);
  return run_show_command(arguments, [&arguments](const std::stop_token& stop) {
    return supervisor_options(arguments, stop);
  });
}

}  // namespace tilewall::cli
