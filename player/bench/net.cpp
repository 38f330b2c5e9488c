// tilewall bench net: how fast slabs travel, by UDP and TCP, sealed in every way, from memory and
// from a disk, and how long a question takes meanwhile; beside iperf3 and nuttcp in the same run.
//
//   $ tilewall bench net                        loopback, a server of its own
//   $ tilewall bench net --serve 10.0.0.1:7642 --key-file wall.key     there
//   $ tilewall bench net 10.0.0.1:7642 --key-file wall.key             here
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/clock/clock_daemon.hpp"
#include "net/show_keys.hpp"
#include "player/bench/benchmarks.hpp"
#include "player/bench/common.hpp"
#include "player/bench/net_load.hpp"
#include "player/bench/net_server.hpp"
#include "player/command/number_check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall::bench {
namespace {

using Json = nlohmann::json;

constexpr double harmless_loss = 1e-4;  // share of packets that a rate may lose and still count

struct BenchNetArguments {
  std::string host;
  std::string serve;
  std::string key_file;
  std::string folder;
  std::string interfaces;
  bool json = false;
  int seconds = 3;
  int runs = 3;
  int slab_mib = 16;
  int disk_mib = 512;
  double rate_gbit_s = 0;
};

enum class NetSeal { plain, tag, encrypted };  // plain: a checksum; a tag where there is a key

struct NetCase {
  net::SlabTransport transport;
  int streams;
  NetSeal seal = NetSeal::plain;
};
constexpr NetCase net_cases[] = {{net::SlabTransport::udp, 1},
                                 {net::SlabTransport::udp, 1, NetSeal::tag},
                                 {net::SlabTransport::udp, 1, NetSeal::encrypted},
                                 {net::SlabTransport::udp, 32},
                                 {net::SlabTransport::tcp, 1},
                                 {net::SlabTransport::tcp, 4}};
constexpr std::size_t most_streams = 4;  // most connections of the cases above

std::optional<net::AuthKey> key_of(const BenchNetArguments& arguments) {
  if (arguments.key_file.empty()) return std::nullopt;
  return net::key_from_file(arguments.key_file, net::Protocol::stream);
}

/// A key for rows whose seal needs one, where none was given.
net::AuthKey some_key() {
  const std::vector<std::byte> secret(net::AuthKey::shortest_bytes, std::byte{42});
  return net::AuthKey(secret);
}

std::vector<net::NetInterface> interfaces_of(const BenchNetArguments& arguments) {
  if (arguments.interfaces.empty()) return {};
  auto interfaces = net::parse_interfaces(arguments.interfaces, "--interfaces", "");
  if (interfaces.size() > most_streams)
    throw InputError({"--interfaces"}, "", fmt::format("at most {} interfaces", most_streams),
                     std::to_string(interfaces.size()));
  return interfaces;
}

std::size_t slab_bytes(const BenchNetArguments& arguments) {
  return static_cast<std::size_t>(arguments.slab_mib) << 20;
}

int serve(const BenchNetArguments& arguments) {
  const UniqueFd stop = stop_signal_fd();
  MemorySource source(slab_bytes(arguments));
  net::SlabServerOptions options;
  options.address = net::resolve(arguments.serve, "--serve");
  options.key = key_of(arguments);
  options.rate_gbit_s = arguments.rate_gbit_s;
  net::SlabServer server(options, source);
  fmt::print("tilewall bench net: serving on {}\n",
             net::to_string(net::with_port(*options.address, server.port())));
  std::fflush(stdout);
  server.run(stop.get());
  return exit_done;
}

/// The server's CPU time is known only after its end, so it includes the time before the client
/// counted.
constexpr double warm_up_share = 1.25;

/// One measurement.
struct Measured {
  NetResult net;
  double tx_cpu_s = 0;
};

Measured measure(const BenchNetArguments& arguments, const NetCase& one) {
  NetLoad load;
  load.transport = one.transport;
  load.streams = one.streams;
  if (one.transport == net::SlabTransport::udp && one.streams > 1) load.in_flight = 2;
  load.duration = std::chrono::seconds(arguments.seconds);
  load.key = key_of(arguments);
  if (!load.key && one.seal != NetSeal::plain) load.key = some_key();
  load.encrypt = one.seal == NetSeal::encrypted;
  if (one.transport == net::SlabTransport::tcp) load.interfaces = interfaces_of(arguments);
  if (!arguments.host.empty())
    return {run_net_load(net::resolve(arguments.host, "HOST:PORT"), load), 0};
  NetServer server({load.key, arguments.rate_gbit_s},
                   [&] { return std::make_unique<MemorySource>(slab_bytes(arguments)); });
  Measured measured;
  measured.net = run_net_load(server.address(), load);
  measured.tx_cpu_s = server.end() / warm_up_share;
  return measured;
}

/// The runs of one row.
struct Row {
  std::vector<double> gbit_s;
  std::vector<double> loss;
  std::vector<double> rx_gbit_per_cpu_s;
  std::vector<double> tx_gbit_per_cpu_s;
  std::vector<double> iperf_gbit_s;
  std::vector<double> nuttcp_gbit_s;
  net::StripeTuning tuning;  // tuning after the last run
};

const char* name_of_seal(const BenchNetArguments& arguments, NetSeal seal) {
  if (seal == NetSeal::encrypted) return "encrypted";
  return seal == NetSeal::tag || !arguments.key_file.empty() ? "tag" : "checksum";
}

Json row_json(const BenchNetArguments& arguments, const NetCase& one, const Row& row) {
  Json json = {{"transport", one.transport == net::SlabTransport::udp ? "udp" : "tcp"},
               {"streams", one.streams},
               {"seal", name_of_seal(arguments, one.seal)},
               {"seconds", arguments.seconds},
               {"goodput_gbit_s", median(row.gbit_s)},
               {"goodput_gbit_s_runs", median_and_p95(row.gbit_s)},
               {"loss", median(row.loss)},
               {"rx_gbit_per_cpu_s", median(row.rx_gbit_per_cpu_s)},
               {"tx_gbit_per_cpu_s", nullptr},
               {"peer", nullptr},
               {"ratio_to_peer", nullptr},
               {"nuttcp", nullptr},
               {"ratio_to_nuttcp", nullptr},
               {"ratio_to_plain", nullptr}};
  if (one.transport == net::SlabTransport::tcp) {
    json["round_trip_ms"] = as_double(row.tuning.round_trip) * 1e-6;
    json["window_bytes"] = row.tuning.window_bytes;
    json["wanted_window_bytes"] = row.tuning.wanted_window_bytes;
    json["congestion_control"] = row.tuning.congestion_control;
    if (!arguments.interfaces.empty()) json["interfaces"] = arguments.interfaces;
  }
  if (!row.tx_gbit_per_cpu_s.empty()) json["tx_gbit_per_cpu_s"] = median(row.tx_gbit_per_cpu_s);
  const auto add_peer = [&](const char* name, const char* key, const std::vector<double>& gbit_s) {
    if (gbit_s.empty()) return;
    const double peer = median(gbit_s);
    json[key] = {{"name", name}, {"goodput_gbit_s", peer}};
    if (peer > 0) json[std::string("ratio_to_") + key] = median(row.gbit_s) / peer;
  };
  add_peer("iperf3", "peer", row.iperf_gbit_s);
  add_peer("nuttcp", "nuttcp", row.nuttcp_gbit_s);
  return json;
}

void measure_peers(const BenchNetArguments& arguments, const NetCase& one, Row& row) {
  const bool has_peer = one.streams == 1 && one.seal == NetSeal::plain;
  if (!arguments.host.empty() || !has_peer) return;
  const bool udp = one.transport == net::SlabTransport::udp;
  const std::chrono::seconds duration(arguments.seconds);
  const auto iperf = udp ? measure_iperf_udp(duration, harmless_loss) : measure_iperf_tcp(duration);
  const auto nuttcp =
      udp ? measure_nuttcp_udp(duration, harmless_loss) : measure_nuttcp_tcp(duration);
  if (iperf) row.iperf_gbit_s.push_back(iperf->gbit_s);
  if (nuttcp) row.nuttcp_gbit_s.push_back(nuttcp->gbit_s);
}

/// A server elsewhere either has a key or none, so only half of the cases apply. Each interface has
/// a stream.
std::vector<NetCase> cases_of(const BenchNetArguments& arguments) {
  std::vector<NetCase> cases;
  const bool keyed = !arguments.key_file.empty();
  const std::size_t interfaces = interfaces_of(arguments).size();
  for (const NetCase& one : net_cases) {
    if (one.transport == net::SlabTransport::tcp &&
        static_cast<std::size_t>(one.streams) < interfaces)
      continue;
    const bool possible =
        one.seal == NetSeal::plain || (one.seal == NetSeal::tag ? arguments.host.empty() && !keyed
                                                                : arguments.host.empty() || keyed);
    if (possible) cases.push_back(one);
  }
  return cases;
}

Json measure_rows(const BenchNetArguments& arguments) {
  const std::vector<NetCase> cases = cases_of(arguments);
  std::vector<Row> rows(cases.size());
  for (int run = 0; run < arguments.runs; ++run)
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const Measured measured = measure(arguments, cases[i]);
      const double gbit = measured.net.gbit_s() * measured.net.seconds;
      rows[i].gbit_s.push_back(measured.net.gbit_s());
      rows[i].loss.push_back(measured.net.loss());
      rows[i].tuning = measured.net.tuning;
      rows[i].rx_gbit_per_cpu_s.push_back(gbit / measured.net.rx_cpu_s);
      if (measured.tx_cpu_s > 0) rows[i].tx_gbit_per_cpu_s.push_back(gbit / measured.tx_cpu_s);
      measure_peers(arguments, cases[i], rows[i]);
    }
  Json json = Json::array();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    json.push_back(row_json(arguments, cases[i], rows[i]));
    if (cases[i].seal != NetSeal::plain)  // the first case is the plain one of these
      json.back()["ratio_to_plain"] = median(rows[i].gbit_s) / median(rows.front().gbit_s);
  }
  return json;
}

std::string number_or_dash(const Json& value, int digits) {
  return value.is_number() ? fmt::format("{:.{}f}", value.get<double>(), digits) : "-";
}

std::string peer_text(const Json& row, const char* key) {
  if (row.at(key).is_null()) return "-";
  return fmt::format("{:.2f} {}", row.at(key).at("goodput_gbit_s").get<double>(),
                     number_or_dash(row.at(std::string("ratio_to_") + key), 2));
}

void print_more(const Json& report) {
  if (report.contains("disk"))
    for (const Json& disk : report.at("disk"))
      fmt::print(
          "{} frames of a movie, checked: {:.2f} Gbit/s; disk alone {:.2f}, net alone {:.2f}, "
          "ratio to the lesser {:.2f}; {} wrong\n",
          disk.at("cache").get<std::string>(), disk.at("goodput_gbit_s").get<double>(),
          disk.at("disk_gbit_s").get<double>(), disk.at("net_gbit_s").get<double>(),
          disk.at("ratio_to_lesser").get<double>(), disk.at("wrong_slabs").get<int>());
  if (!report.contains("control")) return;
  const auto us = [&](const char* key, const char* rank) {
    return report.at("control").at(key).at(rank).get<double>();
  };
  fmt::print(
      "a question, p50 / p99: idle {:.0f} / {:.0f} us, under {:.1f} Gbit/s {:.0f} / {:.0f} us\n",
      us("idle_us", "p50"), us("idle_us", "p99"),
      report.at("control").at("loaded_gbit_s").get<double>(), us("loaded_us", "p50"),
      us("loaded_us", "p99"));
}

/// `report` as `bench net --json` prints it, for people.
void print_net_table(const Json& report) {
  fmt::print("{:<9} {:<9} {:>7} {:>8} {:>8} {:>13} {:>13} {:>8} {:>12} {:>12}\n", "transport",
             "seal", "streams", "Gbit/s", "loss", "Gbit/rx CPU s", "Gbit/tx CPU s", "of plain",
             "iperf3 ratio", "nuttcp ratio");
  for (const auto& row : report.at("rows"))
    fmt::print("{:<9} {:<9} {:>7} {:>8.2f} {:>8.5f} {:>13} {:>13} {:>8} {:>12} {:>12}\n",
               row.at("transport").get<std::string>(), row.at("seal").get<std::string>(),
               row.at("streams").get<int>(), row.at("goodput_gbit_s").get<double>(),
               row.at("loss").get<double>(), number_or_dash(row.at("rx_gbit_per_cpu_s"), 1),
               number_or_dash(row.at("tx_gbit_per_cpu_s"), 1),
               number_or_dash(row.at("ratio_to_plain"), 2), peer_text(row, "peer"),
               peer_text(row, "nuttcp"));
  for (const auto& row : report.at("rows"))
    if (row.contains("window_bytes"))
      fmt::print("tcp, {} streams: {}, window {:.1f} MiB{}\n", row.at("streams").get<int>(),
                 row.at("congestion_control").get<std::string>(),
                 row.at("window_bytes").get<double>() / (1 << 20),
                 row.at("window_bytes") < row.at("wanted_window_bytes")
                     ? fmt::format(" (the kernel gives no more; {:.1f} MiB are wanted)",
                                   row.at("wanted_window_bytes").get<double>() / (1 << 20))
                     : "");
  print_more(report);
  fmt::print("every byte is checked; {} runs, medians; {}, {} cores; commit {}\n",
             report.at("runs").get<int>(), report.at("machine").at("cpu").get<std::string>(),
             report.at("machine").at("cores").get<unsigned>(),
             report.at("commit").get<std::string>());
}

int run_bench_net(const BenchNetArguments& arguments) {
  if (!arguments.serve.empty()) return serve(arguments);
  Json report = bench_header(arguments.runs);
  report["rows"] = measure_rows(arguments);
  if (arguments.host.empty()) {
    const NetServerOptions server = {key_of(arguments), arguments.rate_gbit_s};
    report["disk"] =
        measure_disk_over_net(server, arguments.folder, arguments.disk_mib, arguments.runs);
    report["control"] = measure_control_latency(server, slab_bytes(arguments), arguments.runs,
                                                std::chrono::seconds(arguments.seconds));
  }
  if (arguments.json)
    fmt::print("{}\n", report.dump());
  else
    print_net_table(report);
  return exit_done;
}

command::CommandRun add_net_options(CLI::App& command) {
  auto arguments = std::make_shared<BenchNetArguments>();
  command.add_option("HOST:PORT", arguments->host, "a server there; without: one of its own here");
  command.add_option("--serve", arguments->serve, "HOST:PORT: be that server, for others");
  command.add_option("--key-file", arguments->key_file, "the wall's key; needed beyond loopback");
  command.add_flag("--json", arguments->json, "one JSON object on stdout");
  command.add_option("--seconds", arguments->seconds, "of each measurement")
      ->check(command::NumberIn(1, 3600))
      ->capture_default_str();
  command.add_option("--runs", arguments->runs, "rounds over all rows")
      ->check(command::NumberIn(1, 100))
      ->capture_default_str();
  command.add_option("--slab-mib", arguments->slab_mib, "size of a slab")
      ->check(command::NumberIn(1, 512))
      ->capture_default_str();
  command.add_option("--interfaces", arguments->interfaces,
                     "NAME[@GBIT_S],...: what TCP's connections are spread over");
  command.add_option("--folder", arguments->folder, "a folder on the disk that is measured");
  command.add_option("--disk-mib", arguments->disk_mib, "size of the movie that is written there")
      ->check(command::NumberIn(64, 1 << 20))
      ->capture_default_str();
  command.add_option("--rate", arguments->rate_gbit_s, "Gbit/s that a client is sent at most")
      ->check(command::NumberIn(0.0, 1000.0));
  command.footer("Example: tilewall bench net --json");
  return [arguments] { return run_bench_net(*arguments); };
}

}  // namespace

Benchmark net_benchmark() {
  return {
      "net",
      "How fast slabs travel by UDP and TCP, beside iperf3 and nuttcp; how long a question takes",
      add_net_options};
}

}  // namespace tilewall::bench
