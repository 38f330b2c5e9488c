// tilewall bench net: how fast slabs travel, by UDP and TCP, beside iperf3 in the same run.
//
//   $ tilewall bench net                        loopback, a server of its own
//   $ tilewall bench net --serve 10.0.0.1:7642 --key-file wall.key     there
//   $ tilewall bench net 10.0.0.1:7642 --key-file wall.key             here
#include <fmt/format.h>
#include <sys/resource.h>

#include <memory>
#include <optional>
#include <vector>

#include "net/clock/clock_daemon.hpp"
#include "player/cli/bench_command.hpp"
#include "player/cli/bench_net_load.hpp"
#include "player/cli/bench_net_peer.hpp"
#include "player/cli/bench_report.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"

namespace tilewall {
namespace {

using Json = nlohmann::json;

constexpr double harmless_loss = 1e-4;  // share of packets that a rate may lose and still count

struct BenchNetArguments {
  std::string host;
  std::string serve;
  std::string key_file;
  bool json = false;
  int seconds = 3;
  int runs = 3;
  int slab_mib = 16;
  double rate_gbit_s = 0;
};

struct NetCase {
  SlabTransport transport;
  int streams;
};
constexpr NetCase net_cases[] = {{SlabTransport::udp, 1},
                                 {SlabTransport::udp, 32},
                                 {SlabTransport::tcp, 1},
                                 {SlabTransport::tcp, 4}};

double children_cpu_s() {
  rusage usage = {};
  ::getrusage(RUSAGE_CHILDREN, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

SlabServerOptions server_options(const BenchNetArguments& arguments, const std::string& listen) {
  SlabServerOptions options;
  options.address = resolve(listen, "--serve");
  if (!arguments.key_file.empty()) options.key = AuthKey::from_file(arguments.key_file);
  options.rate_gbit_s = arguments.rate_gbit_s;
  return options;
}

std::size_t slab_bytes(const BenchNetArguments& arguments) {
  return static_cast<std::size_t>(arguments.slab_mib) << 20;
}

int serve(const BenchNetArguments& arguments) {
  const UniqueFd stop = stop_signal_fd();
  MemorySource source(slab_bytes(arguments));
  SlabServer server(server_options(arguments, arguments.serve), source);
  fmt::print("tilewall bench net: serving on {}\n",
             to_string(with_port(resolve(arguments.serve, "--serve"), server.port())));
  std::fflush(stdout);
  server.run(stop.get());
  return exit_done;
}

/// The server's CPU time is known when it has ended: with what it spent before the client counted.
constexpr double warm_up_share = 1.25;

/// One measurement.
struct Measured {
  NetResult net;
  double tx_cpu_s = 0;
};

Measured measure_here(const BenchNetArguments& arguments, const NetLoad& load) {
  int ends[2];
  if (::pipe(ends) != 0) throw JobError("no pipe");
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  const double cpu_before = children_cpu_s();
  const pid_t child = start_role("tw-bench-net", {{}, {}, false, {writing.get()}}, [&] {
    const UniqueFd stop = stop_signal_fd();
    MemorySource source(slab_bytes(arguments));
    SlabServer server(server_options(arguments, "127.0.0.1:0"), source);
    const std::uint16_t port = server.port();
    if (::write(writing.get(), &port, sizeof port) != sizeof port) return exit_failed;
    server.run(stop.get());
    return exit_done;
  });
  writing.reset();
  std::uint16_t port = 0;
  if (::read(reading.get(), &port, sizeof port) != sizeof port) {
    end_child(child, std::chrono::seconds(1));
    throw JobError("bench net: the server did not start");
  }
  Measured measured;
  measured.net = run_net_load(resolve(fmt::format("127.0.0.1:{}", port), "server"), load);
  end_child(child, std::chrono::seconds(2));
  measured.tx_cpu_s = (children_cpu_s() - cpu_before) / warm_up_share;
  return measured;
}

Measured measure(const BenchNetArguments& arguments, const NetCase& one) {
  NetLoad load;
  load.transport = one.transport;
  load.streams = one.streams;
  if (one.transport == SlabTransport::udp && one.streams > 1) load.in_flight = 2;
  load.duration = std::chrono::seconds(arguments.seconds);
  if (!arguments.key_file.empty()) load.key = AuthKey::from_file(arguments.key_file);
  if (arguments.host.empty()) return measure_here(arguments, load);
  return {run_net_load(resolve(arguments.host, "HOST:PORT"), load), 0};
}

/// The runs of one row.
struct Row {
  std::vector<double> gbit_s;
  std::vector<double> loss;
  std::vector<double> rx_gbit_per_cpu_s;
  std::vector<double> tx_gbit_per_cpu_s;
  std::vector<double> peer_gbit_s;
};

Json row_json(const NetCase& one, const Row& row, int seconds) {
  Json json = {{"transport", one.transport == SlabTransport::udp ? "udp" : "tcp"},
               {"streams", one.streams},
               {"seconds", seconds},
               {"goodput_gbit_s", median(row.gbit_s)},
               {"goodput_gbit_s_runs", median_and_p95(row.gbit_s)},
               {"loss", median(row.loss)},
               {"rx_gbit_per_cpu_s", median(row.rx_gbit_per_cpu_s)},
               {"tx_gbit_per_cpu_s", nullptr},
               {"peer", nullptr},
               {"ratio_to_peer", nullptr}};
  if (!row.tx_gbit_per_cpu_s.empty()) json["tx_gbit_per_cpu_s"] = median(row.tx_gbit_per_cpu_s);
  if (row.peer_gbit_s.empty()) return json;
  const double peer = median(row.peer_gbit_s);
  json["peer"] = {{"name", "iperf3"}, {"goodput_gbit_s", peer}};
  if (peer > 0) json["ratio_to_peer"] = median(row.gbit_s) / peer;
  return json;
}

Json measure_rows(const BenchNetArguments& arguments) {
  std::vector<Row> rows(std::size(net_cases));
  const std::chrono::seconds duration(arguments.seconds);
  for (int run = 0; run < arguments.runs; ++run)
    for (std::size_t i = 0; i < std::size(net_cases); ++i) {
      const Measured measured = measure(arguments, net_cases[i]);
      const double gbit = measured.net.gbit_s() * measured.net.seconds;
      rows[i].gbit_s.push_back(measured.net.gbit_s());
      rows[i].loss.push_back(measured.net.loss());
      rows[i].rx_gbit_per_cpu_s.push_back(gbit / measured.net.rx_cpu_s);
      if (measured.tx_cpu_s > 0) rows[i].tx_gbit_per_cpu_s.push_back(gbit / measured.tx_cpu_s);
      if (!arguments.host.empty() || net_cases[i].streams != 1) continue;
      const auto peer = net_cases[i].transport == SlabTransport::udp
                            ? measure_iperf_udp(duration, harmless_loss)
                            : measure_iperf_tcp(duration);
      if (peer) rows[i].peer_gbit_s.push_back(peer->gbit_s);
    }
  Json json = Json::array();
  for (std::size_t i = 0; i < std::size(net_cases); ++i)
    json.push_back(row_json(net_cases[i], rows[i], arguments.seconds));
  return json;
}

void print_net_table(const Json& report) {
  fmt::print("{:<10} {:>7} {:>9} {:>9} {:>13} {:>13} {:>15} {:>6}\n", "transport", "streams",
             "Gbit/s", "loss", "Gbit/rx CPU s", "Gbit/tx CPU s", "iperf3 Gbit/s", "ratio");
  const auto number = [](const Json& value, int digits) {
    return value.is_number() ? fmt::format("{:.{}f}", value.get<double>(), digits) : "-";
  };
  for (const auto& row : report.at("rows"))
    fmt::print("{:<10} {:>7} {:>9.2f} {:>9.5f} {:>13} {:>13} {:>15} {:>6}\n",
               row.at("transport").get<std::string>(), row.at("streams").get<int>(),
               row.at("goodput_gbit_s").get<double>(), row.at("loss").get<double>(),
               number(row.at("rx_gbit_per_cpu_s"), 1), number(row.at("tx_gbit_per_cpu_s"), 1),
               row.at("peer").is_null() ? "-" : number(row.at("peer").at("goodput_gbit_s"), 2),
               number(row.at("ratio_to_peer"), 2));
  fmt::print("every byte is checked; {} runs, medians; {}, {} cores; commit {}\n",
             report.at("runs").get<int>(), report.at("machine").at("cpu").get<std::string>(),
             report.at("machine").at("cores").get<unsigned>(),
             report.at("commit").get<std::string>());
}

int run_bench_net(const BenchNetArguments& arguments) {
  if (!arguments.serve.empty()) return serve(arguments);
  Json report = bench_header(arguments.runs);
  report["rows"] = measure_rows(arguments);
  if (arguments.json)
    fmt::print("{}\n", report.dump());
  else
    print_net_table(report);
  return exit_done;
}

}  // namespace

void add_bench_net(CLI::App& bench, CommandRun& run) {
  auto arguments = std::make_shared<BenchNetArguments>();
  CLI::App* command = bench.add_subcommand(
      "net", "How fast slabs travel by UDP and TCP, from memory to memory, beside iperf3");
  command->add_option("HOST:PORT", arguments->host, "a server there; without: one of its own here");
  command->add_option("--serve", arguments->serve, "HOST:PORT: be that server, for others");
  command->add_option("--key-file", arguments->key_file, "the wall's key; needed beyond loopback");
  command->add_flag("--json", arguments->json, "one JSON object on stdout");
  command->add_option("--seconds", arguments->seconds, "of each measurement")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  command->add_option("--runs", arguments->runs, "rounds over all rows")
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command->add_option("--slab-mib", arguments->slab_mib, "size of a slab")
      ->check(CLI::Range(1, 512))
      ->capture_default_str();
  command->add_option("--rate", arguments->rate_gbit_s, "Gbit/s that a client is sent at most")
      ->check(CLI::Range(0.0, 1000.0));
  command->footer("Example: tilewall bench net --json");
  command->callback([arguments, &run] { run = [arguments] { return run_bench_net(*arguments); }; });
}

}  // namespace tilewall
