#include "player/trace/host_log.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>

#include "sync/base/file.hpp"
#include "sync/base/json_fields.hpp"
#include "sync/base/process.hpp"
#include "sync/base/role_log.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::trace {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view log_suffix = ".log";
constexpr const char* director_file = "control.addr";  // only the supervisor writes it
constexpr std::size_t line_overhead_bytes = 64;        // of a line's other fields in a message
constexpr std::size_t most_answer_lines = 100'000;

GlobalInstant instant_of(const LogStamp& stamp, const ClockMapping& mapping) {
  if (stamp.is_global) return GlobalInstant{Nanos(stamp.ns)};
  return mapping.to_global(LocalInstant{Nanos(stamp.ns)});
}

Nanos since_1970(const timespec& time) {
  return std::chrono::seconds(time.tv_sec) + Nanos(time.tv_nsec);
}

/// The instant of a file's change, by how long ago it was.
GlobalInstant change_of(const struct stat& status, const ClockMapping& mapping) {
  timespec now = {};
  ::clock_gettime(CLOCK_REALTIME, &now);
  return mapping.to_global(local_now() - (since_1970(now) - since_1970(status.st_mtim)));
}

/// Leaves out the earliest lines beyond `most_bytes`.
void cut_to(HostLog& log, std::size_t most_bytes) {
  std::size_t bytes = 0;
  auto first = log.lines.end();
  while (first != log.lines.begin()) {
    bytes += (first - 1)->text.size() + line_overhead_bytes;
    if (bytes > most_bytes) break;
    --first;
  }
  log.is_cut = log.is_cut || first != log.lines.begin();
  log.lines.erase(log.lines.begin(), first);
}

}  // namespace

bool is_wanted_role(std::string_view role, std::string_view wanted) noexcept {
  return wanted.empty() || role == wanted ||
         (role.starts_with(wanted) && role.substr(wanted.size()).starts_with('-'));
}

HostLog lines_of_log(std::string_view text, const LogLine& origin, bool is_cut,
                     const ClockMapping& mapping, GlobalInstant changed, const LogLimits& limits) {
  HostLog log;
  log.is_cut = is_cut;
  if (is_cut) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  std::optional<GlobalInstant> first;
  std::optional<GlobalInstant> at;
  std::size_t unstamped = 0;  // kept lines above the first stamp
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const StampedLine line = parse_log_line(text.substr(0, end));
    if (line.stamp) at = instant_of(*line.stamp, mapping);
    if (!first) first = at;
    if (!line.text.empty()) {
      if (!at) ++unstamped;
      log.lines.push_back(origin);
      log.lines.back().at = at.value_or(changed);
      log.lines.back().text = printable_text(line.text.substr(0, limits.line_bytes));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  for (std::size_t i = 0; first && i < unstamped; ++i) log.lines[i].at = *first;
  if (log.lines.size() > limits.role_lines) {
    log.is_cut = true;
    log.lines.erase(log.lines.begin(),
                    log.lines.end() - static_cast<std::ptrdiff_t>(limits.role_lines));
  }
  return log;
}

HostLog merged(std::vector<HostLog> logs, std::size_t most_bytes) {
  HostLog all;
  for (HostLog& log : logs) {
    all.is_cut = all.is_cut || log.is_cut;
    std::ranges::move(log.lines, std::back_inserter(all.lines));
  }
  std::ranges::stable_sort(all.lines, {}, &LogLine::at);
  cut_to(all, most_bytes);
  return all;
}

HostLog read_host_log(const fs::path& run_dir, const std::string& wanted,
                      const ClockMapping& mapping, const LogLimits& limits) {
  std::vector<fs::path> files = entries_of(run_dir / "logs");
  std::erase_if(files, [&](const fs::path& file) {
    return file.extension() != log_suffix || !is_wanted_role(file.stem().string(), wanted);
  });
  std::ranges::sort(files);
  std::vector<HostLog> logs;
  const std::string host = host_name();
  for (const fs::path& file : files) {
    struct stat status = {};
    if (::stat(file.c_str(), &status) != 0 || status.st_size == 0) continue;
    const std::string text = file_ending(file, limits.role_bytes);
    const bool is_cut = text.size() < static_cast<std::size_t>(status.st_size);
    logs.push_back(lines_of_log(text, {{}, host, file.stem().string(), {}}, is_cut && !text.empty(),
                                mapping, change_of(status, mapping), limits));
  }
  return merged(std::move(logs), limits.host_bytes);
}

bool is_directors_own(const fs::path& run_dir) {
  std::error_code error;
  return fs::exists(run_dir / director_file, error);
}

HostLog read_other_host_log(const fs::path& run_dir, const std::string& wanted,
                            const ClockMapping& mapping) {
  if (is_directors_own(run_dir)) return {};
  return read_host_log(run_dir, wanted, mapping);
}

Json to_json(const LogAnswer& answer) {
  Json lines = Json::array();
  for (const LogLine& line : answer.log.lines)
    lines.push_back({line.at.since_epoch.count(), line.host, line.role, line.text});
  return {{"type", "logs"},
          {"number", answer.number},
          {"lines", std::move(lines)},
          {"is_cut", answer.log.is_cut}};
}

LogAnswer log_answer_from_json(const Json& json) {
  LogAnswer answer;
  answer.number = json_field<std::uint64_t>(json, "number");
  answer.log.is_cut = json_field<bool>(json, "is_cut");
  const Json lines = json_field<Json>(json, "lines");
  expect_field(lines.is_array() && lines.size() <= most_answer_lines, "lines",
               "a list of at most 100000 lines");
  for (const Json& line : lines) {
    expect_field(line.is_array() && line.size() == 4 && fits_type<std::int64_t>(line[0]) &&
                     line[1].is_string() && line[2].is_string() && line[3].is_string(),
                 "lines", "[instant in ns, host, role, text]");
    answer.log.lines.push_back({GlobalInstant{Nanos(line[0].get<std::int64_t>())},
                                printable_text(line[1].get_ref<const std::string&>()),
                                printable_text(line[2].get_ref<const std::string&>()),
                                printable_text(line[3].get_ref<const std::string&>())});
  }
  return answer;
}

}  // namespace tilewall::trace
