// The lines that a role of a show (a panel, a decoder, the sound process ...) writes to its log,
// which is its standard error. Each line begins with the time, in seconds with six places:
//
//   [1234.567890] tilewall-panel: ...          global time
//   [1234.567890 local] tilewall-panel: ...    this host's CLOCK_MONOTONIC
//
// A process stamps with global time once it knows its host's mapping (set_log_clock()); before
// that, and in processes without one, the stamp is local. Whoever reads the log of a host converts
// local stamps by the host's mapping. Lines of libraries have no stamp. They belong to the time of
// the line above.
//
// A process that is no role, such as a command at a terminal, prints the same lines without stamps.
//
// Threads: begin_role() is called before other threads start; all other functions from any thread.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace tilewall {

/// Makes this process a role with this log: its lines have stamps from now on, and its crashes are
/// reported in the file beside the log (crash_report.hpp). `program` names the process in the line
/// about a crash. `log` is an absolute path; the file itself is not opened.
void begin_role(const std::string& program, const std::filesystem::path& log);

/// The same for a program that was started by start_program() with ChildOptions::output, which is
/// its log. Without one, nothing changes and false is returned.
bool begin_started_role(const std::string& program);

/// This role's log; "" where the process is no role.
[[nodiscard]] std::filesystem::path role_log();

/// Environment variable by which start_program() passes on the log.
inline constexpr const char* role_log_variable = "TILEWALL_ROLE_LOG";

/// Stamps lines with global time from now on: `global_ns` returns the time now in nanoseconds,
/// empty while it is not known. One thread calls it at a time.
void set_log_clock(std::function<std::optional<std::int64_t>()> global_ns);

/// Writes a line to standard error by one system call, so that lines of several threads and
/// processes are not mixed. Control characters of `text`, line ends too, become '?'
/// (printable_text). Never throws; what cannot be written is lost.
void write_log_line(std::string_view text) noexcept;

template <typename... Values>
void log_line(fmt::format_string<Values...> format, Values&&... values) {
  write_log_line(fmt::format(format, std::forward<Values>(values)...));
}

/// The time at the beginning of a line.
struct LogStamp {
  std::int64_t ns = 0;
  bool is_global = false;  ///< false: CLOCK_MONOTONIC of the host
};

/// "[1234.567890] " or "[1234.567890 local] ".
[[nodiscard]] std::string to_string(const LogStamp& stamp);

struct StampedLine {
  std::optional<LogStamp> stamp;
  std::string_view text;  ///< the line without its stamp
};

/// Takes a line apart. Anything but a whole stamp is text.
[[nodiscard]] StampedLine parse_log_line(std::string_view line) noexcept;

/// A text of several lines without their stamps.
[[nodiscard]] std::string without_stamps(std::string_view text);

}  // namespace tilewall
