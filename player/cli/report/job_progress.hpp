// The progress of long jobs on the terminal: a bar or lines for people, or JSON for programs.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "player/movie/convert/progress_sink.hpp"

namespace tilewall::cli {

/// Adds --json-lines to a job's command.
void add_json_lines_option(CLI::App& command, bool& is_wanted);

/// Where a job reports: a bar on stderr, which begins with `verb`, or with --json-lines
/// lines on stdout, each an object as `info --json` has it.
[[nodiscard]] std::unique_ptr<movie::ProgressSink> job_progress(const std::string& verb,
                                                                bool has_json_lines);

}  // namespace tilewall::cli
