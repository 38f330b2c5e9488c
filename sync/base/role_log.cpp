#include "sync/base/role_log.hpp"

#include <unistd.h>

#include <charconv>
#include <cstdlib>
#include <ctime>
#include <mutex>

#include "sync/base/check.hpp"
#include "sync/base/crash_report.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall {
namespace {

constexpr std::string_view local_mark = " local";
constexpr std::size_t stamp_places = 6;
constexpr std::int64_t ns_per_s = 1'000'000'000;
constexpr std::int64_t most_stamp_s = ns_per_s;  // more would not fit nanoseconds with a margin

struct RoleState {
  std::mutex mutex;
  std::filesystem::path log;                               // guarded by mutex; "" = no role
  std::function<std::optional<std::int64_t>()> global_ns;  // guarded by mutex
};

RoleState& role_state() {
  static RoleState state;
  return state;
}

std::int64_t monotonic_ns() noexcept {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * ns_per_s + now.tv_nsec;
}

/// The stamp of a line that is written now; "" where this process is no role.
std::string stamp_now() {
  RoleState& state = role_state();
  const std::scoped_lock lock(state.mutex);
  if (state.log.empty()) return "";
  if (state.global_ns)
    if (const auto global = state.global_ns()) return to_string(LogStamp{*global, true});
  return to_string(LogStamp{monotonic_ns(), false});
}

/// A number of digits alone; empty where there is any other character, or none.
std::optional<std::int64_t> digits_of(std::string_view text) noexcept {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool all = error == std::errc{} && end == text.data() + text.size();
  if (!all || text.front() == '-') return std::nullopt;
  return value;
}

}  // namespace

void begin_role(const std::string& program, const std::filesystem::path& log) {
  RoleState& state = role_state();
  {
    const std::scoped_lock lock(state.mutex);
    state.log = log;
  }
  report_crashes(program, crash_file_of(log));
}

bool begin_started_role(const std::string& program) {
  const char* const log = std::getenv(role_log_variable);
  if (log == nullptr || *log == '\0') return false;
  begin_role(program, log);
  return true;
}

std::filesystem::path role_log() {
  RoleState& state = role_state();
  const std::scoped_lock lock(state.mutex);
  return state.log;
}

void set_log_clock(std::function<std::optional<std::int64_t>()> global_ns) {
  RoleState& state = role_state();
  const std::scoped_lock lock(state.mutex);
  state.global_ns = std::move(global_ns);
}

void write_log_line(std::string_view text) noexcept try {
  std::string line = stamp_now();
  line += printable_text(text);
  line += '\n';
  static_cast<void>(retry_eintr([&] { return ::write(STDERR_FILENO, line.data(), line.size()); }));
} catch (const std::exception&) {  // there is no memory for the line
}

std::string to_string(const LogStamp& stamp) {
  const std::int64_t us = stamp.ns / 1000;
  return fmt::format("[{}.{:06}{}] ", us / 1'000'000, us % 1'000'000,
                     stamp.is_global ? "" : local_mark);
}

StampedLine parse_log_line(std::string_view line) noexcept {
  const StampedLine plain{std::nullopt, line};
  const std::size_t end = line.find(']');
  if (line.empty() || line.front() != '[' || end == std::string_view::npos) return plain;
  std::string_view inside = line.substr(1, end - 1);
  const bool is_global = !inside.ends_with(local_mark);
  if (!is_global) inside.remove_suffix(local_mark.size());
  const std::size_t dot = inside.find('.');
  if (dot == std::string_view::npos || inside.size() - dot - 1 != stamp_places) return plain;
  const auto seconds = digits_of(inside.substr(0, dot));
  const auto us = digits_of(inside.substr(dot + 1));
  if (!seconds || !us || *seconds > most_stamp_s) return plain;
  const std::string_view rest = line.substr(end + 1);
  return {LogStamp{*seconds * ns_per_s + *us * 1000, is_global},
          rest.starts_with(' ') ? rest.substr(1) : rest};
}

std::string without_stamps(std::string_view text) {
  std::string plain;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    plain += parse_log_line(text.substr(0, end)).text;
    if (end == std::string_view::npos) break;
    plain += '\n';
    text.remove_prefix(end + 1);
  }
  return plain;
}

}  // namespace tilewall
