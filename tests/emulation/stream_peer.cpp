#include "tests/emulation/stream_peer.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "net/socket.hpp"
#include "sync/base/child_process.hpp"

namespace tilewall::test {

using namespace net;
namespace {

constexpr std::chrono::milliseconds start_up{300};

}  // namespace

std::optional<double> measure_stream_peer(
    int streams, std::chrono::seconds duration,
    const std::function<BenchProcess(std::uint16_t target)>& start_path) {
  if (!program_exists("iperf3")) return std::nullopt;
  const std::uint16_t port =
      local_address(listen_tcp(resolve("127.0.0.1:0", "iperf3")).get()).port();
  const pid_t server = start_program(
      {"iperf3", "-s", "-1", "-B", "127.0.0.1", "-p", std::to_string(port)}, {{}, "/dev/null"});
  std::this_thread::sleep_for(start_up);
  const BenchProcess path = start_path(port);
  const auto report = nlohmann::json::parse(
      output_of(fmt::format("iperf3 -J -R -c 127.0.0.1 -p {} -t {} -P {} 2>/dev/null", path.port(),
                            duration.count(), streams)),
      nullptr, false);
  end_child(server, std::chrono::seconds(1));
  const auto end = report.is_object() ? report.find("end") : report.end();
  if (!report.is_object() || end == report.end() || !end->contains("sum_received"))
    return std::nullopt;
  return (*end)["sum_received"].value("bits_per_second", 0.0) * 1e-9;
}

}  // namespace tilewall::test
