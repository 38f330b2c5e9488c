// Carries the crash reports of a host (sync/base/crash_report.hpp) to the director's host, where
// they are kept with the logs of the show: the run directory of any other host goes with the show.
//
// Threads: a CrashNews has one owner; keep_crash() waits for the disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace tilewall::trace {

inline constexpr std::size_t longest_crash_report = 512 * 1024;

/// A report on its way.
struct CrashMessage {
  std::string host;
  std::string role;  ///< "panel-3"
  std::vector<std::uint8_t> report;
};
/// The text of the message; the report is its blob.
[[nodiscard]] nlohmann::json to_json(const CrashMessage& message);
/// Throws InputError where a field is missing, a name could not be part of a file's name, or the
/// report is longer than longest_crash_report.
[[nodiscard]] CrashMessage crash_from(const nlohmann::json& json, std::vector<std::uint8_t> blob);

/// The reports of this host that are new or have grown.
class CrashNews {
 public:
  /// Has no news where the run directory is the director's own.
  explicit CrashNews(std::filesystem::path run_dir);

  /// The reports that are new or have changed since the last call, four at most. Cheap without any.
  [[nodiscard]] std::vector<CrashMessage> take();

 private:
  std::filesystem::path logs_;                  // "" = the director's own
  std::map<std::string, std::uintmax_t> sent_;  // size of a role's report when it was last taken
};

/// Writes the report to logs/HOST-ROLE.crash in the director's run directory. One that cannot be
/// written is lost.
void keep_crash(const std::filesystem::path& run_dir, const CrashMessage& message);

}  // namespace tilewall::trace
