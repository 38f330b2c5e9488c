// tilewall clockd: runs the clock daemon, whose CLOCK_MONOTONIC is the wall's global time.

#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <memory>

#include "net/clock/clock_daemon.hpp"
#include "player/cli/commands.hpp"
#include "sync/base/error.hpp"
#include "sync/base/printed_line.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall::cli {
namespace {

struct ClockdOptions {
  net::ClockDaemonOptions daemon;
  bool ends_with_parent = false;
};

int run_clockd(const ClockdOptions& options) {
  const pid_t parent = ::getppid();
  const UniqueFd stop = stop_signal_fd();
  if (options.ends_with_parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (::getppid() != parent) return exit_done;  // the parent ended before the prctl
  }
  net::run_clock_daemon(options.daemon, stop.get(), [](const net::SocketAddress& address) {
    print_line(stdout, "tilewall clockd: global time on {}", net::to_string(address));
    std::fflush(stdout);
  });
  return exit_done;
}

}  // namespace

void add_clockd_command(CLI::App& app, command::CommandRun& run) {
  const auto options = std::make_shared<ClockdOptions>();
  CLI::App* const command = app.add_subcommand(
      "clockd", "The clock daemon: its monotonic clock is the wall's global time");
  command
      ->add_option("--listen", options->daemon.listen,
                   "HOST:PORT to answer on (port 0: any free one)")
      ->capture_default_str();
  command->add_option("--key-file", options->daemon.key_file,
                      "the wall's key; needed beyond loopback, the same on all hosts");
  command->add_option("--announce", options->daemon.announce_file,
                      "file that HOST:PORT is written to once it answers");
  command->add_option("--anchor", options->daemon.anchor_file,
                      "file that keeps the UTC anchor over restarts");
  command->add_option("--follow", options->daemon.follow,
                      "HOST:PORT of the wall's other daemon: serve its time, and carry that on");
  command->add_flag("--parent-death", options->ends_with_parent, "end with the parent process");
  command->footer(
      "Example: tilewall clockd --listen 192.168.7.1:7641 --key-file wall.key\n"
      "Two that stand in for each other, beside that: --follow 192.168.7.2:7641, and the reverse "
      "there");
  command->callback([options, &run] { run = [options] { return run_clockd(*options); }; });
}

}  // namespace tilewall::cli
