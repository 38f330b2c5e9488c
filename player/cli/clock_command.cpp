// tilewall clock: measures this host's offset, drift and error bound against the clock daemon.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "net/clock/clock_client.hpp"
#include "net/clock/clock_daemon.hpp"
#include "net/show_keys.hpp"
#include "player/cli/commands.hpp"
#include "player/command/number_check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/stop_signals.hpp"
#include "sync/pacing/wait.hpp"

namespace tilewall::cli {
namespace {

// Limit for an answer, so that the error line comes within two seconds.
constexpr double answer_limit_s = 1.8;

struct ClockOptions {
  std::string server = "127.0.0.1:7641";
  std::filesystem::path key_file;
  double seconds = 2;
  bool json = false;
};

double to_us(Nanos value) { return static_cast<double>(value.count()) * 1e-3; }

LocalInstant after(double seconds) {
  return local_now() + Nanos{static_cast<Nanos::rep>(seconds * 1e9)};
}

/// Measures for `options.seconds`, or until a stop signal. Throws JobError if no daemon answers
/// within `answer_limit_s`.
sync::ClockStatus measure(const ClockOptions& options,
                          const std::vector<net::SocketAddress>& servers) {
  net::ClockClientOptions client_options;
  client_options.daemons = servers;
  if (!options.key_file.empty())
    client_options.key = net::key_from_file(options.key_file, net::Protocol::clock);
  const UniqueFd stop = stop_signal_fd();
  const net::ClockClient client(client_options);
  const LocalInstant end = after(options.seconds);
  const LocalInstant first_answer = std::min(end, after(answer_limit_s));
  std::ignore = sync::wait_until(first_answer, Nanos{0}, stop.get());
  if (client.status().samples == 0)
    throw JobError(fmt::format("{}: no clock daemon answers ({})", options.server,
                               options.key_file.empty() ? "start one with tilewall clockd; beyond "
                                                          "loopback both need --key-file"
                                                        : "or it has another key"));
  std::ignore = sync::wait_until(end, Nanos{0}, stop.get());
  return client.status();
}

void print_json(const sync::ClockStatus& status, const net::SocketAddress& server,
                LocalInstant now) {
  const nlohmann::ordered_json report = {
      {"server", net::to_string(server)},
      {"state", sync::to_string(status.state)},
      {"offset_us", to_us(status.offset_at(now))},
      {"drift_ppb", status.drift_ppb},
      {"bound_us", to_us(status.mapping.bound_at(now))},
      {"rtt_min_us", to_us(status.round_trip_min)},
      {"samples", status.samples},
      {"rejected", status.rejected},
      {"lost", status.lost},
      {"daemon", status.daemon},
      {"failovers", status.failovers},
      {"holdover_s", static_cast<double>(status.holdover_at(now).count()) * 1e-9},
      {"utc_minus_global_s", static_cast<double>(status.utc_minus_global.count()) * 1e-9},
  };
  fmt::print("{}\n", report.dump(2));
}

void print_text(const sync::ClockStatus& status, const net::SocketAddress& server,
                LocalInstant now) {
  fmt::print("server     {} ({}{})\n", net::to_string(server), sync::to_string(status.state),
             status.daemon > 0 ? ", the standby: the first does not answer" : "");
  if (status.state == sync::ClockState::holdover)
    fmt::print("holdover   no answer for {:.1f} s: this host runs on by its own clock\n",
               to_us(status.holdover_at(now)) * 1e-6);
  fmt::print("offset     {:+.3f} us (local minus global)\n", to_us(status.offset_at(now)));
  fmt::print("bound      {:.3f} us\n", to_us(status.mapping.bound_at(now)));
  fmt::print("drift      {:+.3f} ppm\n", status.drift_ppb * 1e-3);
  fmt::print("round trip {:.3f} us at least\n", to_us(status.round_trip_min));
  fmt::print("exchanges  {} used, {} rejected, {} lost\n", status.samples, status.rejected,
             status.lost);
}

int run_clock(const ClockOptions& options) {
  const std::vector<net::SocketAddress> servers =
      net::resolve_clock_daemons(options.server, "--server");
  const sync::ClockStatus status = measure(options, servers);
  (options.json ? print_json : print_text)(status, servers.at(status.daemon), local_now());
  return exit_done;
}

}  // namespace

void add_clock_command(CLI::App& app, command::CommandRun& run) {
  const auto options = std::make_shared<ClockOptions>();
  CLI::App* const command =
      app.add_subcommand("clock", "This host's offset, drift and error bound against the daemon");
  command
      ->add_option("--server", options->server,
                   "HOST:PORT of the clock daemon, or of two: HOST:PORT,HOST:PORT")
      ->capture_default_str();
  command->add_option("--key-file", options->key_file, "the wall's key, as the daemon has it");
  command->add_option("--seconds", options->seconds, "how long to measure")
      ->check(command::NumberIn(0.1, 86400.0))
      ->capture_default_str();
  command->add_flag("--json", options->json, "one JSON object");
  command->footer("Example: tilewall clock --server 192.168.7.1:7641 --key-file wall.key");
  command->callback([options, &run] { run = [options] { return run_clock(*options); }; });
}

}  // namespace tilewall::cli
