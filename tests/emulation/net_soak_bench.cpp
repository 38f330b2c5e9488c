// Slabs at full rate for minutes, each checked, and the memory of both sides meanwhile:
// `tests/bench/net_soak` runs it.
//
//   $ build/release/net_soak --minutes 10 --json

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "sync/base/error.hpp"
#include "tests/emulation/bench_process.hpp"
#include "tests/emulation/slab_load.hpp"

namespace tilewall::test {
using namespace net;
namespace {

using Json = nlohmann::json;

constexpr std::chrono::seconds sample_gap{5};
constexpr double settled_minutes = 1;  // until then buffers fill up
constexpr int slabs_in_flight = 8;

struct MemorySample {
  double minute;
  double server_kib;
  double client_kib;
};

double resident_kib(const std::string& process) {
  std::ifstream status("/proc/" + process + "/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmRSS:")) return std::stod(line.substr(6));
  return 0;
}

/// Slope in KiB per minute, by least squares through the samples.
double slope_of(const std::vector<MemorySample>& samples, double MemorySample::*kib) {
  double x = 0, y = 0, xx = 0, xy = 0;
  for (const MemorySample& sample : samples) {
    x += sample.minute;
    y += sample.*kib;
    xx += sample.minute * sample.minute;
    xy += sample.minute * sample.*kib;
  }
  const double n = static_cast<double>(samples.size());
  const double spread = n * xx - x * x;
  return spread > 0 ? (n * xy - x * y) / spread : 0;
}

Json role_json(const char* role, const std::vector<MemorySample>& samples,
               double MemorySample::*kib) {
  if (samples.empty()) return {{"role", role}, {"slope_kib_min", nullptr}};
  return {{"role", role},
          {"first_kib", samples.front().*kib},
          {"last_kib", samples.back().*kib},
          {"slope_kib_min", slope_of(samples, kib)}};
}

/// Samples the memory of both processes until it is ended.
class MemoryWatch {
 public:
  MemoryWatch(pid_t server, double settled_after)
      : server_(std::to_string(server)),
        settled_after_(settled_after),
        thread_([this](const std::stop_token& stop) { run(stop); }) {}

  /// What was seen once the buffers were full.
  const std::vector<MemorySample>& end() {
    thread_.request_stop();
    thread_.join();
    return samples_;
  }

 private:
  void run(const std::stop_token& stop) {
    constexpr std::chrono::milliseconds look{100};
    for (int looks = 1; !stop.stop_requested(); ++looks) {
      std::this_thread::sleep_for(look);
      if (looks % (sample_gap / look) != 0) continue;
      const double minute = static_cast<double>(looks) * look.count() / 60'000.0;
      if (minute >= settled_after_)
        samples_.push_back({minute, resident_kib(server_), resident_kib("self")});
    }
  }

  const std::string server_;
  const double settled_after_;
  std::vector<MemorySample> samples_;  // the thread's until it has ended
  std::jthread thread_;                // last member
};

Json soak(double minutes, int slab_mib, const SlabSessionOptions& session) {
  NumberedSlabs slabs(static_cast<std::size_t>(slab_mib) << 20);
  BenchProcess server("tw-soak-server", [&](const auto& inside, BenchProcessReport& report) {
    SlabServerOptions options;
    options.address = resolve("127.0.0.1:0", "server");
    SlabServer slab_server(options, slabs);
    inside.say_port(slab_server.port());
    slab_server.run(inside.stop_fd);
    report.counts[0] = slab_server.status().sent.resent_pieces;
  });
  SlabLoad load;
  load.client.servers = {with_port(resolve("127.0.0.1:0", "server"), server.port())};
  load.client.session = session;
  load.client.keep_bytes = std::size_t{256} << 20;
  load.in_flight = slabs_in_flight;
  load.fill_first = true;
  load.counted = std::chrono::milliseconds(static_cast<std::int64_t>(minutes * 60'000));
  MemoryWatch watch(server.pid(), std::min(settled_minutes, minutes / 2));
  const SlabLoadResult result = run_slab_load(load, slabs);
  const std::vector<MemorySample>& samples = watch.end();
  const Json roles = {role_json("server", samples, &MemorySample::server_kib),
                      role_json("client", samples, &MemorySample::client_kib)};
  double worst = 0;
  for (const Json& role : roles)
    if (role.at("slope_kib_min").is_number())
      worst = std::max(worst, role.at("slope_kib_min").get<double>());
  return {{"minutes", minutes},
          {"transport", session.transport == SlabTransport::udp ? "udp" : "tcp"},
          {"goodput_gbit_s", result.gbit_s()},
          {"slabs", result.slabs},
          {"wrong_slabs", result.wrong_slabs},
          {"lost_sessions", result.switches},
          {"lost_packets", result.received.lost_packets},
          {"packets", result.received.packets},
          {"resent_pieces", server.end().counts[0]},
          {"rss", roles},
          {"worst_slope_kib_min", worst}};
}

int run(int argc, char** argv) {
  CLI::App app("Slabs over loopback for minutes, each checked; the memory of both sides");
  double minutes = 10;
  int slab_mib = 8;
  bool tcp = false;
  bool json = false;
  app.add_option("--minutes", minutes)->check(CLI::Range(0.1, 10'000.0))->capture_default_str();
  app.add_option("--slab-mib", slab_mib)->check(CLI::Range(1, 64))->capture_default_str();
  app.add_flag("--tcp", tcp, "four streams instead of UDP");
  app.add_flag("--json", json);
  CLI11_PARSE(app, argc, argv);
  SlabSessionOptions session;
  if (tcp) session.transport = SlabTransport::tcp;
  if (tcp) session.stripes = 4;
  const Json result = soak(minutes, slab_mib, session);
  if (json)
    std::printf("%s\n", result.dump().c_str());
  else
    std::printf("%s\n", result.dump(2).c_str());
  const bool good = result.at("wrong_slabs") == 0 && result.at("lost_sessions") == 0 &&
                    result.at("slabs").get<std::uint64_t>() > 0;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace tilewall::test

int main(int argc, char** argv) {
  try {
    return tilewall::test::run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "net_soak: %s\n", error.what());
    return tilewall::exit_failed;
  }
}
