// tilewall: the program that users run. It parses the command line, runs one command, and prints
// one line on error.

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "player/bench/benchmarks.hpp"
#include "player/cli/commands.hpp"
#include "player/cli/ctl/ctl_command.hpp"
#include "player/cli/help/help.hpp"
#include "sync/base/error.hpp"
#include "sync/base/printed_line.hpp"
#include "sync/base/process.hpp"
#include "sync/base/role_log.hpp"
#include "sync/base/terminal_text.hpp"

namespace tilewall::cli {
namespace {

void set_up(CLI::App& app, command::CommandRun& run) {
  app.set_version_flag("--version", "tilewall " TILEWALL_VERSION);
  app.require_subcommand(1);
  app.footer("Example: tilewall demo --seconds 20");
  app.get_formatter()->column_width(34);
  add_demo_command(app, run);
  add_play_command(app, run);
  add_view_command(app, run);
  add_present_command(app, run);
  add_serve_command(app, run);
  add_key_command(app, run);
  add_import_command(app, run);
  add_export_command(app, run);
  add_brick_command(app, run);
  add_info_command(app, run);
  add_cache_command(app, run);
  add_wall_command(app, run);
  add_path_command(app, run);
  add_render_command(app, run);
  add_ctl_command(app, run);
  add_clock_command(app, run);
  add_clockd_command(app, run);
#ifndef TILEWALL_SANITIZED  // builds with a sanitizer have no benchmarks
  bench::add_bench_command(app, run);
#endif
  add_manual_command(app, run);
}

/// What is wrong where a name cannot be passed on to other processes, which goes by JSON.
std::string wrong_name_line(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    try {
      static_cast<void>(nlohmann::json(argv[i]).dump());
    } catch (const nlohmann::json::type_error&) {
      return fmt::format("{}: expected names in UTF-8, found other bytes", printable_text(argv[i]));
    }
  }
  return "a file's name: expected UTF-8, found other bytes";
}

/// Flushes standard output. Returns the exit code, or exit_failed if output was lost: a full disk
/// or a closed pipe must not look like success to a script.
int with_output_written(int exit_code) {
  std::cout.flush();
  const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good();
  if (written) return exit_code;
  print_line(stderr, "tilewall: stdout: cannot be written{}{}", errno != 0 ? ": " : "",
             errno != 0 ? std::strerror(errno) : "");
  return exit_code == exit_done ? exit_failed : exit_code;
}

int run_program(int argc, char** argv) {
  CLI::App app("Plays movies and draws volumes on tiled walls of display panels.", "tilewall");
  command::CommandRun run;
  set_up(app, run);
  try {
    const NamedHiddenOptions named(app);
    app.parse(argc, argv);
  } catch (const CLI::Success& help) {  // --help, --version
    const std::vector<std::string> unknown = unknown_words(app);
    if (unknown.empty()) return app.exit(help);
    const CLI::ExtrasError error(app.get_name(), unknown);
    print_line(stderr, "tilewall: {}", parse_error_line(app, error));
    return exit_bad_input;
  } catch (const CLI::ParseError& error) {
    print_line(stderr, "tilewall: {}", parse_error_line(app, error));
    return exit_bad_input;
  }
  return run();
}

}  // namespace
}  // namespace tilewall::cli

int main(int argc, char** argv) {
  tilewall::allow_open_files();
  tilewall::begin_started_role("tilewall");  // `serve`, where a supervisor started it
  try {
    return tilewall::cli::with_output_written(tilewall::cli::run_program(argc, argv));
  } catch (const tilewall::InputError& error) {
    tilewall::log_line("tilewall: {}", error.what());
    return tilewall::exit_bad_input;
  } catch (const nlohmann::json::type_error& error) {
    constexpr int not_utf8 = 316;  // nlohmann-json's number of that error
    const bool is_name = error.id == not_utf8;
    tilewall::log_line("tilewall: {}",
                       is_name ? tilewall::cli::wrong_name_line(argc, argv) : error.what());
    return is_name ? tilewall::exit_bad_input : tilewall::exit_failed;
  } catch (const std::exception& error) {
    tilewall::log_line("tilewall: {}", error.what());
    return tilewall::exit_failed;
  }
}
