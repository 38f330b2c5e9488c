// Slabs over a long path of a known capacity, some of it lossy: what share of the capacity arrives
// as whole slabs, each checked. The path, the server and the client are a process each.
//
//   $ build/release/long_path --json          all rows
//   $ build/release/long_path --row udp       that row; without one, those whose names begin so
//
// The capacity counts what the path carries of datagrams: their payloads with the slab protocol's
// 56 bytes of each 8952, not the headers of IP and UDP, so 0.9937 of it can be slabs. Of TCP: all
// bytes of the stream. Datagrams that are lost take their part of it,
// so 0.944 can be slabs where 5 % are lost.
// For TCP the path ends each connection at both its ports: a stream that is held up by a full path
// is seen, TCP's own search for the rate of a long path is not. Row tcp-window shows that, over a
// path between networks of its own, for which it needs CAP_NET_ADMIN.

#include <poll.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "net/slab/parity_groups.hpp"
#include "sync/base/error.hpp"
#include "tests/emulation/bench_process.hpp"
#include "tests/emulation/path_relay.hpp"
#include "tests/emulation/slab_load.hpp"
#include "tests/emulation/stream_peer.hpp"
#include "tests/emulation/tcp_window_bench.hpp"

namespace tilewall::test {

using namespace net;
namespace {

using Json = nlohmann::json;

struct LongPathOptions {
  std::string row;
  bool json = false;
  bool periods = false;
  int runs = 3;
  int seconds = 5;
  int slab_mib = 4;
  int in_flight = 32;
  double delay_ms = 32;
  double cap_gbit_s = 0;
  int queue_mib = 32;
};

enum class Counted { from_first_request, steady };

struct LongPathRow {
  const char* name;
  SlabTransport transport;
  int streams;
  double cap_gbit_s;
  double loss;  // each way
  bool rate_given;
  Counted counted;
  bool deadline = false;
  bool real_tcp = false;
};

constexpr LongPathRow long_path_rows[] = {
    {"udp-rate", SlabTransport::udp, 1, 4, 0, true, Counted::from_first_request},
    {"udp", SlabTransport::udp, 1, 4, 0, false, Counted::from_first_request},
    {"udp-rate-loss1", SlabTransport::udp, 1, 2, 0.01, true, Counted::steady},
    {"udp-loss1", SlabTransport::udp, 1, 2, 0.01, false, Counted::steady},
    {"udp-rate-loss5", SlabTransport::udp, 1, 2, 0.05, true, Counted::steady},
    {"udp-loss5", SlabTransport::udp, 1, 2, 0.05, false, Counted::steady},
    {"deadline-loss5", SlabTransport::udp, 1, 0.4, 0.05, true, Counted::steady, true},
    {"tcp-1", SlabTransport::tcp, 1, 4, 0, false, Counted::from_first_request},
    {"tcp-4", SlabTransport::tcp, 4, 4, 0, false, Counted::from_first_request},
    {"tcp-window", SlabTransport::tcp, 1, 4, 0, true, Counted::from_first_request, false, true}};

constexpr std::chrono::seconds warm_up{3};
constexpr int real_tcp_more_s = 3;  // TCP's own start takes most of the first
constexpr int steady_longer = 2;  // slabs end in no even pace where some of their pieces come late
constexpr std::uint64_t seeds_apart = 100;
constexpr std::uint32_t small_packet_bytes = 1024;
constexpr std::size_t group_bytes =
    ParityGroups::most_data * (small_packet_bytes - packet_head_bytes);
constexpr int most_in_flight = 256;
constexpr Nanos short_time = std::chrono::milliseconds(1);

void wait_for_end(int stop_fd) {
  pollfd waiting = {stop_fd, POLLIN, 0};
  while (::poll(&waiting, 1, -1) <= 0) continue;
}

BenchProcess start_server(NumberedSlabs& slabs, double rate_gbit_s) {
  return BenchProcess("tw-long-server", [&](const auto& inside, BenchProcessReport& report) {
    SlabServerOptions options;
    options.address = resolve("127.0.0.1:0", "server");
    options.rate_gbit_s = rate_gbit_s;
    SlabServer server(options, slabs);
    inside.say_port(server.port());
    server.run(inside.stop_fd);
    const SessionCounters sent = server.status().sent;
    report.counts[0] = sent.sent_bytes;
    report.counts[1] = sent.resent_pieces;
    report.counts[2] = sent.data_pieces;
    report.counts[3] = sent.parity_pieces;
    report.counts[4] = sent.protected_groups;
    report.counts[5] = sent.repaired_groups;
  });
}

PathShape shape_of(const LongPathOptions& options, const LongPathRow& row) {
  PathShape shape;
  shape.delay = Nanos(static_cast<Nanos::rep>(options.delay_ms * 1e6));
  shape.loss = row.loss;
  shape.rate_gbit_s = options.cap_gbit_s > 0 ? options.cap_gbit_s : row.cap_gbit_s;
  shape.queue_bytes = static_cast<std::size_t>(options.queue_mib) << 20;
  return shape;
}

BenchProcess start_path(std::uint16_t target, const PathShape& shape, std::uint64_t seed) {
  return BenchProcess("tw-long-path", [=](const auto& inside, BenchProcessReport& report) {
    PathRelay relay(target, shape, shape, seed);
    inside.say_port(relay.port());
    wait_for_end(inside.stop_fd);
    const PathCounters counters = relay.counters();
    report.counts[0] = counters.received;
    report.counts[1] = counters.lost;
    report.counts[2] = counters.dropped_by_queue;
  });
}

SlabLoad load_of(const LongPathOptions& options, const LongPathRow& row, std::uint16_t port) {
  SlabLoad load;
  load.client.servers = {with_port(resolve("127.0.0.1:0", "path"), port)};
  load.client.session.transport = row.transport;
  load.client.session.stripes = row.streams;
  load.client.keep_bytes = std::size_t{512} << 20;
  load.in_flight = options.in_flight;
  if (row.deadline) {
    load.client.session.packet_bytes = small_packet_bytes;
    load.of_use = short_time;
    load.in_flight = most_in_flight;
  }
  if (row.counted == Counted::steady) load.warm_up = warm_up;
  load.counted =
      std::chrono::seconds(options.seconds * (row.counted == Counted::steady ? steady_longer : 1));
  return load;
}

Json measure_once(const LongPathOptions& options, const LongPathRow& row, NumberedSlabs& slabs,
                  std::uint64_t seed) {
  const PathShape shape = shape_of(options, row);
  BenchProcess server = start_server(slabs, row.rate_given ? shape.rate_gbit_s : 0);
  BenchProcess path = start_path(server.port(), shape, seed);
  const SlabLoadResult result = run_slab_load(load_of(options, row, path.port()), slabs);
  const BenchProcessReport of_path = path.end();
  const BenchProcessReport of_server = server.end();
  const double seconds =
      result.seconds + as_double(warm_up) * 1e-9 * (row.counted == Counted::steady);
  const double gbit = static_cast<double>(result.bytes) * 8e-9;
  Json json = {{"seconds", result.seconds},
               {"goodput_gbit_s", result.gbit_s()},
               {"share_of_cap", result.gbit_s() / shape.rate_gbit_s},
               {"slabs", result.slabs},
               {"wrong_slabs", result.wrong_slabs},
               {"lost_sessions", result.switches},
               {"round_trip_ms", result.round_trip_ms},
               {"packets", result.received.packets},
               {"lost_packets", result.received.lost_packets},
               {"repeated_packets", result.received.repeated_packets},
               {"resent_pieces", of_server.counts[1]},
               {"sent_gbit", static_cast<double>(of_server.counts[0]) * 8e-9},
               {"path_lost", of_path.counts[1]},
               {"path_queue_drops", of_path.counts[2]},
               {"rx_gbit_per_cpu_s", gbit / result.cpu_s},
               {"tx_cpu_share", of_server.cpu_s / seconds},
               {"path_cpu_share", of_path.cpu_s / seconds}};
  if (row.deadline) {
    const double resent = static_cast<double>(of_server.counts[1]);
    json["parity_overhead"] = static_cast<double>(of_server.counts[3]) /
                              (static_cast<double>(of_server.counts[2]) - resent);
    json["groups"] = of_server.counts[4];
    json["lost_groups"] = of_server.counts[5];
  }
  if (options.periods) json["gbit_s_each_250_ms"] = result.gbit_s_each;
  return json;
}

double median_of(const Json& runs, const char* key) {
  std::vector<double> values;
  for (const Json& run : runs)
    if (run.at(key).is_number()) values.push_back(run.at(key).get<double>());
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The parameters of a row, which are known before it is measured.
Json head_of(const LongPathOptions& options, const LongPathRow& row, const PathShape& shape) {
  return {{"row", row.name},
          {"transport", row.transport == SlabTransport::udp ? "udp" : "tcp"},
          {"streams", row.streams},
          {"rate", row.rate_given ? "given" : "found"},
          {"counted", row.counted == Counted::steady ? "steady" : "from the first request"},
          {"round_trip_ms", 2 * options.delay_ms},
          {"cap_gbit_s", shape.rate_gbit_s},
          {"loss_each_way", row.loss},
          {"goodput_gbit_s", nullptr},
          {"share_of_cap", nullptr},
          {"wrong_slabs", 0},
          {"peer", nullptr},
          {"ratio_to_peer", nullptr}};
}

void count_wrong(Json& json) {
  for (const Json& run : json.at("runs"))
    json["wrong_slabs"] = json["wrong_slabs"].get<int>() + run.at("wrong_slabs").get<int>();
}

Json measure_real_tcp(const LongPathOptions& options, const LongPathRow& row,
                      NumberedSlabs& slabs) {
  const PathShape shape = shape_of(options, row);
  Json json = head_of(options, row, shape);
  const std::chrono::seconds duration(options.seconds + real_tcp_more_s);
  json["seconds"] = duration.count();
  json.update(measure_tcp_window(shape, duration, options.runs, slabs));
  if (json.contains("runs")) count_wrong(json);
  return json;
}

Json measure_row(const LongPathOptions& options, const LongPathRow& row, NumberedSlabs& slabs) {
  if (row.real_tcp) return measure_real_tcp(options, row, slabs);
  const PathShape shape = shape_of(options, row);
  Json runs = Json::array();
  Json peers = Json::array();
  for (int run = 0; run < options.runs; ++run) {
    runs.push_back(
        measure_once(options, row, slabs, seeds_apart * static_cast<std::uint64_t>(run + 1)));
    if (row.transport != SlabTransport::tcp) continue;
    const auto peer =
        measure_stream_peer(row.streams, std::chrono::seconds(options.seconds),
                            [&](std::uint16_t target) { return start_path(target, shape, 1); });
    if (peer) peers.push_back({{"goodput_gbit_s", *peer}});
  }
  Json json = head_of(options, row, shape);
  json["goodput_gbit_s"] = median_of(runs, "goodput_gbit_s");
  json["share_of_cap"] = median_of(runs, "share_of_cap");
  json["runs"] = runs;
  count_wrong(json);
  if (row.deadline) {
    json["parity_overhead"] = median_of(runs, "parity_overhead");
    for (const char* key : {"groups", "lost_groups"}) {
      std::uint64_t sum = 0;
      for (const Json& one : runs) sum += one.at(key).get<std::uint64_t>();
      json[key] = sum;
    }
  }
  if (!peers.empty()) {
    const double peer = median_of(peers, "goodput_gbit_s");
    json["peer"] = {{"name", "iperf3"}, {"goodput_gbit_s", peer}};
    if (peer > 0) json["ratio_to_peer"] = json["goodput_gbit_s"].get<double>() / peer;
  }
  return json;
}

void print_row(const Json& row) {
  if (row.contains("skipped")) {
    std::printf("%-15s skipped: %s\n", row.at("row").get<std::string>().c_str(),
                row.at("skipped").get<std::string>().c_str());
    return;
  }
  std::printf("%-15s %4.1f Gbit/s  loss %4.2f  rate %-5s  %7.3f Gbit/s = %.4f of the cap",
              row.at("row").get<std::string>().c_str(), row.at("cap_gbit_s").get<double>(),
              row.at("loss_each_way").get<double>(), row.at("rate").get<std::string>().c_str(),
              row.at("goodput_gbit_s").get<double>(), row.at("share_of_cap").get<double>());
  if (row.contains("peers")) {
    std::printf("  %s, window %.1f MiB", row.at("congestion_control").get<std::string>().c_str(),
                row.at("window_bytes").get<double>() / (1 << 20));
    for (const Json& peer : row.at("peers"))
      std::printf("  %s %.3f", peer.at("name").get<std::string>().c_str(),
                  peer.at("goodput_gbit_s").get<double>());
  } else if (row.at("peer").is_object()) {
    std::printf("  iperf3 %.3f", row.at("peer").at("goodput_gbit_s").get<double>());
  }
  if (row.contains("groups"))
    std::printf("  groups %llu, lost %llu, parity %.4f of the data",
                row.at("groups").get<unsigned long long>(),
                row.at("lost_groups").get<unsigned long long>(),
                row.at("parity_overhead").get<double>());
  std::printf("  wrong %d; processor of path %.2f, server %.2f\n", row.at("wrong_slabs").get<int>(),
              median_of(row.at("runs"), "path_cpu_share"),
              median_of(row.at("runs"), "tx_cpu_share"));
}

int run(int argc, char** argv) {
  CLI::App app("Slabs over a path of 64 ms: the share of its capacity that arrives");
  LongPathOptions options;
  app.add_option("--row", options.row, "only the row of that name, or those whose names begin so");
  app.add_option("--runs", options.runs)->check(CLI::Range(1, 100))->capture_default_str();
  app.add_option("--seconds", options.seconds)->check(CLI::Range(1, 3600))->capture_default_str();
  app.add_option("--slab-mib", options.slab_mib)->check(CLI::Range(1, 512))->capture_default_str();
  app.add_option("--in-flight", options.in_flight, "slabs asked for and not there yet")
      ->check(CLI::Range(1, 256))
      ->capture_default_str();
  app.add_option("--delay-ms", options.delay_ms, "one way")->check(CLI::Range(0.0, 1000.0));
  app.add_option("--cap", options.cap_gbit_s, "Gbit/s; 0: each row's own");
  app.add_option("--queue-mib", options.queue_mib, "what waits at the path's narrow place")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  app.add_flag("--periods", options.periods, "goodput of each 250 ms too");
  app.add_flag("--json", options.json);
  CLI11_PARSE(app, argc, argv);
  NumberedSlabs slabs(static_cast<std::size_t>(options.slab_mib) << 20);
  NumberedSlabs groups(group_bytes);
  Json rows = Json::array();
  bool right = true;
  const bool is_name = std::any_of(std::begin(long_path_rows), std::end(long_path_rows),
                                   [&](const LongPathRow& row) { return row.name == options.row; });
  for (const LongPathRow& row : long_path_rows) {
    const std::string name = row.name;
    if (is_name ? name != options.row : !name.starts_with(options.row)) continue;
    rows.push_back(measure_row(options, row, row.deadline ? groups : slabs));
    right &= rows.back().at("wrong_slabs").get<int>() == 0;
    if (!options.json) print_row(rows.back());
    std::fflush(stdout);
  }
  if (options.json) std::printf("%s\n", Json{{"rows", rows}}.dump().c_str());
  return right ? 0 : 1;
}

}  // namespace
}  // namespace tilewall::test

int main(int argc, char** argv) {
  try {
    return tilewall::test::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "long_path: %s\n", error.what());
    return tilewall::exit_failed;
  }
}
