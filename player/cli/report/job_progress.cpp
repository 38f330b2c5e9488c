#include "player/cli/report/job_progress.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "player/cli/report/reports.hpp"
#include "player/command/progress.hpp"
#include "sync/base/json_text.hpp"
#include "sync/base/printed_line.hpp"

namespace tilewall::cli {
namespace {

class StatusLines final : public movie::ProgressSink {
 public:
  void update(const movie::TransferProgress& /*progress*/) override {}
  void status(const movie::TransferStatus& status) override {
    fmt::print("{}\n", json_text(status_report(status)));
    std::fflush(stdout);  // a pipe's reader is to see it now
  }
  void note(const std::string& line) override { print_line(stderr, "tilewall: {}", line); }
};

}  // namespace

void add_json_lines_option(CLI::App& command, bool& is_wanted) {
  command.add_flag("--json-lines", is_wanted,
                   "print the progress once a second, and the result as the last line, each as "
                   "one JSON object; \"running\" and \"workers\" are those of 'info --json'");
}

std::unique_ptr<movie::ProgressSink> job_progress(const std::string& verb, bool has_json_lines) {
  if (has_json_lines) return std::make_unique<StatusLines>();
  return std::make_unique<command::ProgressLine>(verb);
}

}  // namespace tilewall::cli
