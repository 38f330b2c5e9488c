#include "player/trace/log_clock.hpp"

#include "player/trace/trace_link.hpp"
#include "sync/base/process.hpp"
#include "sync/base/role_log.hpp"

namespace tilewall::trace {
namespace {

void stamp_by_clock_page(const std::filesystem::path& log) {
  const auto run_dir = log.parent_path().parent_path();
  set_log_clock(
      [mapping = mapping_by_page(clock_page_of_host(run_dir))]() -> std::optional<std::int64_t> {
        const auto to_global = mapping();
        if (!to_global) return std::nullopt;
        return to_global->to_global(local_now()).since_epoch.count();
      });
}

}  // namespace

std::filesystem::path clock_page_of_host(const std::filesystem::path& run_dir) {
  return run_dir / ("clock-page-" + host_name());
}

void begin_host_role(const std::string& program) {
  if (begin_started_role(program)) stamp_by_clock_page(role_log());
}

void begin_host_role(const std::string& program, const std::filesystem::path& log) {
  begin_role(program, log);
  stamp_by_clock_page(log);
}

}  // namespace tilewall::trace
