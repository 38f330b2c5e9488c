// The logs of a host's processes, read for `tilewall ctl logs`: the last lines of each role in one
// order of time, and the message that carries them from a panel to the director.
//
// A line's instant is that of its stamp (sync/base/role_log.hpp) on global time. A line without a
// stamp, which a library wrote, has the instant of the line above. Lines above the first stamp have
// the instant of that stamp, and those of a log without any stamp that of the file's last change.
//
// Threads: these are free functions without state. read_host_log() waits for the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sync/global_time.hpp"

namespace tilewall::trace {

struct LogLine {
  GlobalInstant at;
  std::string host;
  std::string role;  ///< the log's name without its ending: "panel-3", "launcher"
  std::string text;  ///< UTF-8 without control characters; other bytes are '?'
};

/// Bounds of what is read. A longer line is cut, and earlier lines are left out.
struct LogLimits {
  std::size_t role_lines = 2000;
  std::size_t role_bytes = 256 * 1024;
  std::size_t line_bytes = 4096;
  std::size_t host_bytes = 1024 * 1024;  ///< Bytes of all lines, each counted with 64 bytes more
};

struct HostLog {
  std::vector<LogLine> lines;  ///< in the order of time
  bool is_cut = false;         ///< whether earlier lines were left out
};

/// Whether `role` is the wanted one, or one of the wanted kind: "panel" has "panel-3". All roles
/// are wanted by "".
[[nodiscard]] bool is_wanted_role(std::string_view role, std::string_view wanted) noexcept;

/// The lines of the end of a log, with the host and role of `origin`. `is_cut`: the text begins
/// within a line, which is left out. `changed` is the instant of the file's last change.
[[nodiscard]] HostLog lines_of_log(std::string_view text, const LogLine& origin, bool is_cut,
                                   const ClockMapping& mapping, GlobalInstant changed,
                                   const LogLimits& limits = {});

/// Puts logs into one order of time. Lines of one instant stay in their order, and the earliest
/// lines beyond `most_bytes` are left out, counted as for LogLimits::host_bytes.
[[nodiscard]] HostLog merged(std::vector<HostLog> logs, std::size_t most_bytes);

/// Reads the logs of the wanted roles in the run directory. `mapping` is this host's. Logs that
/// cannot be read are left out.
[[nodiscard]] HostLog read_host_log(const std::filesystem::path& run_dir, const std::string& wanted,
                                    const ClockMapping& mapping, const LogLimits& limits = {});

/// Whether the run directory is the director's own: on its machine, or on a file system that both
/// machines have.
[[nodiscard]] bool is_directors_own(const std::filesystem::path& run_dir);

/// The same as read_host_log() for a panel that answers for its host. Empty where the run directory
/// is the director's own, which the director reads itself.
[[nodiscard]] HostLog read_other_host_log(const std::filesystem::path& run_dir,
                                          const std::string& wanted, const ClockMapping& mapping);

/// A panel's answer to the director's {"type": "logs", "number", "role"}.
struct LogAnswer {
  std::uint64_t number = 0;
  HostLog log;
};
[[nodiscard]] nlohmann::json to_json(const LogAnswer& answer);
/// Throws InputError naming the field.
[[nodiscard]] LogAnswer log_answer_from_json(const nlohmann::json& json);

}  // namespace tilewall::trace
