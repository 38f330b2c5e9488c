#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "net/socket.hpp"
#include "player/bench/net_server.hpp"
#include "sync/base/child_process.hpp"

namespace tilewall::bench {
namespace {

using Json = nlohmann::json;

constexpr int datagram_bytes = 8972;
constexpr int search_steps = 5;
constexpr std::chrono::milliseconds start_up{300};

/// Runs iperf3, and reads its own report.
std::optional<PeerResult> run_iperf(const std::string& options, std::chrono::seconds duration) {
  if (!program_exists("iperf3")) return std::nullopt;
  const int port = free_port();
  const pid_t server = start_program(
      {"iperf3", "-s", "-1", "-B", "127.0.0.1", "-p", std::to_string(port)}, {{}, "/dev/null"});
  std::this_thread::sleep_for(start_up);
  const Json report =
      Json::parse(output_of(fmt::format("iperf3 -J -c 127.0.0.1 -p {} -t {} {} 2>/dev/null", port,
                                        duration.count(), options)),
                  nullptr, false);
  end_child(server, std::chrono::seconds(1));
  if (!report.is_object() || !report.contains("end")) return std::nullopt;
  const Json& end = report["end"];
  if (!end.contains("sum_received") && !end.contains("sum")) return std::nullopt;
  const bool udp = end.contains("sum") && end["sum"].contains("lost_percent");
  const Json& sum = udp ? end["sum"] : end["sum_received"];
  PeerResult result;
  result.loss = udp ? sum.value("lost_percent", 0.0) / 100 : 0;
  result.gbit_s = sum.value("bits_per_second", 0.0) * 1e-9 * (1 - result.loss);
  const Json cpu = end.value("cpu_utilization_percent", Json::object());
  const double seconds = sum.value("seconds", static_cast<double>(duration.count()));
  result.tx_cpu_s = cpu.value("host_total", 0.0) / 100 * seconds;
  result.rx_cpu_s = cpu.value("remote_total", 0.0) / 100 * seconds;
  return result;
}

std::optional<PeerResult> run_iperf_udp(std::chrono::seconds duration, double gbit_s) {
  return run_iperf(fmt::format("-u -w 4M -l {} -b {:.0f}M", datagram_bytes, gbit_s * 1000),
                   duration);
}

/// The number behind `key=` in nuttcp's report; 0 where there is none.
double number_after(const std::string& report, const std::string& key) {
  const std::size_t at = report.find(key + "=");
  return at == std::string::npos ? 0 : std::strtod(report.c_str() + at + key.size() + 1, nullptr);
}

std::optional<PeerResult> run_nuttcp(const std::string& options, std::chrono::seconds duration) {
  if (!program_exists("nuttcp")) return std::nullopt;
  const int control = free_port();
  const pid_t server =
      start_program({"nuttcp", "-1", "--nofork", "-P", std::to_string(control)}, {{}, "/dev/null"});
  std::this_thread::sleep_for(start_up);
  const std::string report =
      output_of(fmt::format("nuttcp -fparse -T {} -P {} -p {} {} 127.0.0.1 2>/dev/null",
                            duration.count(), control, free_port(), options));
  end_child(server, std::chrono::seconds(1));
  PeerResult result;
  result.gbit_s = number_after(report, "rate_Mbps") * 1e-3;
  result.loss = number_after(report, "data_loss") / 100;
  const double seconds = number_after(report, "real_seconds");
  result.tx_cpu_s = number_after(report, "tx_cpu") / 100 * seconds;
  result.rx_cpu_s = number_after(report, "rx_cpu") / 100 * seconds;
  if (result.gbit_s <= 0) return std::nullopt;
  return result;
}

std::optional<PeerResult> run_nuttcp_udp(std::chrono::seconds duration, double gbit_s) {
  const std::string rate = gbit_s > 0 ? fmt::format("-R {:.0f}m", gbit_s * 1000) : "-R u";
  return run_nuttcp(fmt::format("-u -l {} -w4m {}", datagram_bytes, rate), duration);
}

using RunUdp = std::optional<PeerResult> (*)(std::chrono::seconds duration, double gbit_s);

/// The best rate with which at most `loss` is lost, by halving.
std::optional<PeerResult> search_udp(RunUdp run_udp, std::chrono::seconds duration, double loss) {
  const auto unpaced = run_udp(std::chrono::seconds(1), 0);
  if (!unpaced || unpaced->gbit_s <= 0 || unpaced->loss >= 1) return unpaced;
  double works = 0;
  double fails = unpaced->gbit_s / (1 - unpaced->loss);
  std::optional<PeerResult> best;
  for (int step = 0; step < search_steps; ++step) {
    const double rate = step == 0 ? fails * 0.8 : (works + fails) / 2;
    const auto result = run_udp(duration, rate);
    if (!result) return best;
    const bool holds = result->loss <= loss;
    if (holds && (!best || result->gbit_s > best->gbit_s)) best = result;
    (holds ? works : fails) = rate;
  }
  return best;
}

}  // namespace

std::optional<PeerResult> measure_iperf_tcp(std::chrono::seconds duration) {
  return run_iperf("", duration);
}

std::optional<PeerResult> measure_iperf_udp(std::chrono::seconds duration, double loss) {
  return search_udp(&run_iperf_udp, duration, loss);
}

std::optional<PeerResult> measure_nuttcp_tcp(std::chrono::seconds duration) {
  return run_nuttcp("", duration);
}

std::optional<PeerResult> measure_nuttcp_udp(std::chrono::seconds duration, double loss) {
  return search_udp(&run_nuttcp_udp, duration, loss);
}

}  // namespace tilewall::bench
