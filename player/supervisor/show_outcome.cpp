#include "player/supervisor/show_outcome.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <set>

#include "player/supervisor/launch.hpp"
#include "sync/base/crash_report.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/role_log.hpp"

namespace tilewall::supervisor {
namespace {

constexpr std::size_t max_log_bytes = 64 * 1024;
constexpr std::size_t max_quoted_logs = 4;
constexpr std::size_t max_told_crashes = 20;
constexpr std::size_t max_head_bytes = 1024;  // of a crash report

/// The first message known of the launchers' logs; "" if there is none.
std::string launch_trouble(const RunDir& run_dir) {
  for (const std::filesystem::path& log : entries_of(run_dir.path() / "logs")) {
    if (!log.filename().string().starts_with("launcher")) continue;
    if (std::string trouble =
            known_launch_trouble(without_stamps(file_beginning(log, max_log_bytes)));
        !trouble.empty())
      return trouble;
  }
  return "";
}

void add_host(nlohmann::json& report, const HostFault& fault) {
  report["hosts"].push_back({{"host", fault.host},
                             {"address", fault.address},
                             {"cause", fault.cause},
                             {"remedy", fault.remedy}});
}

/// Adds the last log lines of the show's processes to the notes of a show that failed or whose
/// panels stayed black. Lines that repeat the error are left out.
void quote_logs(ShowResult& result, const RunDir& run_dir) {
  const nlohmann::json damage = result.report.value("damage", nlohmann::json::object());
  if (result.exit_code != exit_failed && damage.value("panels_black", 0) == 0) return;
  const std::string error = result.report.value("error", "");
  const std::string trouble = launch_trouble(run_dir);
  if (!trouble.empty() && error.find(trouble) == std::string::npos)
    result.report["notes"].push_back(trouble);
  std::set<std::string> lines;
  std::error_code ignored;
  for (const std::filesystem::path& log : entries_of(run_dir.path() / "logs")) {
    // The note about a crash has more than the last line of the role's log.
    if (std::filesystem::exists(crash_file_of(log), ignored)) continue;
    const std::string line = line_to_quote(file_ending(log, max_log_bytes), error);
    if (line.ends_with(crash_suffix)) continue;  // a keeper names the report of its panel
    if (!line.empty() && lines.size() < max_quoted_logs && lines.insert(line).second)
      result.report["notes"].push_back(fmt::format("logs/{}: {}", log.filename().string(), line));
  }
}

void keep_logs(ShowResult& result, RunDir& run_dir) {
  const std::filesystem::path logs = run_dir.keep_logs();
  if (!logs.empty()) result.report["logs"] = logs.string();
}

}  // namespace

void ShowOutcome::look_at_disk(const std::filesystem::path& run_dir) {
  std::error_code error;
  const auto space = std::filesystem::space(run_dir, error);
  disk_was_full_ = disk_was_full_ || (!error && space.available == 0);
}

std::vector<std::string> ShowOutcome::new_crashes(const std::filesystem::path& run_dir) {
  std::vector<std::string> lines;
  for (const std::filesystem::path& file : entries_of(run_dir / "logs")) {
    const std::string role = file.stem().string();
    if (file.extension() != crash_suffix || crashes_.contains(role) ||
        crashes_.size() == max_told_crashes)
      continue;
    // "signal 11 (Segmentation fault), address ..."; a report that has just begun has no such line.
    const std::string head = last_line_beginning(file_beginning(file, max_head_bytes), "signal ");
    if (head.empty()) continue;
    lines.push_back(fmt::format("{} crashed by {}: see {}", role, head.substr(0, head.find(',')),
                                file.string()));
    crashes_.emplace(role, lines.back());
  }
  return lines;
}

ShowResult ShowOutcome::result(nlohmann::json report, RunDir& run_dir) {
  ShowResult result = explained(
      std::move(report), without_stamps(file_beginning(run_dir.log(launcher_log_), max_log_bytes)));
  for (const auto& [role, line] : crashes_) result.told.push_back(line);
  static_cast<void>(new_crashes(run_dir.path()));
  for (const auto& [role, line] : crashes_) result.report["notes"].push_back(line);
  note_full_disk(result, run_dir);
  quote_logs(result, run_dir);
  if (result.exit_code == exit_failed || !crashes_.empty()) keep_logs(result, run_dir);
  return result;
}

ShowResult ShowOutcome::explained(nlohmann::json report, const std::string& launcher_text) const {
  ShowResult result{director_end_.signal != 0 ? exit_failed : director_end_.exit_code,
                    std::move(report)};
  for (const nlohmann::json& restart : restarts_) result.report["restarts"].push_back(restart);
  for (const HostFault& fault : missing_hosts_) {
    add_host(result.report, fault);
    if (launcher_end_ && missing_hosts_.size() > 1)
      result.report["notes"].push_back(to_string(fault));
  }
  if (result.report.contains("error")) return result;
  if (launcher_end_) {
    result.exit_code = exit_failed;
    result.report["error"] = launcher_failure(launcher_text);
  } else if (director_end_.signal != 0) {
    result.report["error"] = fmt::format("the director died (signal {})", director_end_.signal);
  } else if (result.exit_code != 0) {
    result.report["error"] =
        fmt::format("the director ended with code {} and gave no report", result.exit_code);
  } else if (!result.report.contains("frames_shown")) {
    // It was killed after a stop, or none ran then.
    result.exit_code = exit_failed;
    result.report["error"] = "the director gave no report";
  }
  return result;
}

std::string ShowOutcome::launcher_failure(const std::string& launcher_text) const {
  if (launcher_end_->signal != 0)
    return fmt::format("{} died (signal {})", launcher_, launcher_end_->signal);
  const std::string words = launch_summary(launcher_text);
  return fmt::format("{} ended with code {}{}{}", launcher_, launcher_end_->exit_code,
                     words.empty() ? " and printed nothing" : ": ", words);
}

// Reports a full disk under the run directory, because logs, process numbers and clock pages that
// are missing do not tell the reason.
void ShowOutcome::note_full_disk(ShowResult& result, const RunDir& run_dir) const {
  const std::string trouble =
      disk_was_full_ ? std::string(std::strerror(ENOSPC)) : run_dir.write_trouble();
  if (trouble.empty()) return;
  const std::string line = fmt::format("the run directory {} cannot be written to: {}",
                                       run_dir.path().string(), trouble);
  if (result.report.contains("error"))
    result.report["error"] = result.report["error"].get<std::string>() + "; " + line;
  else
    result.report["notes"].push_back(line + "; logs are incomplete");
}

ShowResult refusal_by_hosts(const std::vector<HostFault>& faults, RunDir& run_dir) {
  ShowResult result{exit_failed, nlohmann::json::object()};
  for (const HostFault& fault : faults) {
    add_host(result.report, fault);
    if (faults.size() > 1) result.report["notes"].push_back(to_string(fault));
  }
  result.report["error"] =
      faults.size() == 1
          ? to_string(faults.front())
          : fmt::format("{} hosts of the wall cannot run panels; nothing was started",
                        faults.size());
  keep_logs(result, run_dir);
  return result;
}

}  // namespace tilewall::supervisor
