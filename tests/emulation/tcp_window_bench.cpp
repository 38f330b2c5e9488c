#include "tests/emulation/tcp_window_bench.hpp"

#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "net/slab/tcp_window.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "tests/emulation/slab_load.hpp"
#include "tests/emulation/tun_path.hpp"

namespace tilewall::test {

using namespace net;
namespace {

using Json = nlohmann::json;

constexpr std::size_t turn_bytes = 256u << 10;
constexpr std::chrono::seconds connect_limit{3};
constexpr int slabs_in_flight = 32;

/// A stream of no protocol. `window_bytes`: that both ends make room for; 0: the system's windows.
struct PlainStream {
  const char* congestion_control;
  std::uint64_t window_bytes = 0;
};

SocketAddress server_address(std::uint16_t port) {
  return with_port(resolve(std::string(TunPath::server_address) + ":0", "path"), port);
}

void widen(int socket, TcpEnd end, const PlainStream& stream) {
  if (stream.window_bytes > 0) static_cast<void>(widen_tcp(socket, end, stream.window_bytes));
}

BenchProcess start_sender(const TunPath& path, const PlainStream& stream) {
  return BenchProcess("tw-plain-sender", [&](const auto& inside, BenchProcessReport&) {
    const NetworkNamespace::Visit visit(path.server());
    const UniqueFd listener = listen_tcp(server_address(0));
    inside.say_port(local_address(listener.get()).port());
    const UniqueFd socket(
        check_sys(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC), "accept"));
    check_sys(::setsockopt(socket.get(), IPPROTO_TCP, TCP_CONGESTION, stream.congestion_control,
                           static_cast<socklen_t>(std::strlen(stream.congestion_control))),
              "TCP_CONGESTION");
    widen(socket.get(), TcpEnd::sends, stream);
    const std::vector<std::byte> bytes(turn_bytes);
    while (::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) > 0) continue;
  });
}

double plain_gbit_s(const PathShape& shape, const PlainStream& stream,
                    std::chrono::seconds duration) {
  std::string reason;
  const auto path = TunPath::try_make(shape, reason);
  if (!path) throw JobError(reason);
  const BenchProcess sender = start_sender(*path, stream);
  const NetworkNamespace::Visit visit(path->client());
  const UniqueFd socket = try_connect_tcp(server_address(sender.port()), connect_limit,
                                          [&](int made) { widen(made, TcpEnd::receives, stream); });
  if (socket.empty()) throw JobError("nothing passes the path");
  std::vector<std::byte> bytes(turn_bytes);
  std::uint64_t got = 0;
  const LocalInstant start = local_now();
  for (const LocalInstant until = start + Nanos(duration); local_now() < until;) {
    pollfd waiting = {socket.get(), POLLIN, 0};
    ::poll(&waiting, 1, 10);
    const ssize_t some = ::recv(socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (some > 0) got += static_cast<std::uint64_t>(some);
  }
  return static_cast<double>(got) * 8 / as_double(local_now() - start);
}

/// What the path's address, which is not loopback, asks of server and client.
AuthKey path_key() {
  const std::vector<std::byte> secret(AuthKey::shortest_bytes, std::byte{7});
  return AuthKey(secret);
}

BenchProcess start_slab_server(const TunPath& path, double rate_gbit_s, NumberedSlabs& slabs) {
  return BenchProcess("tw-window-server", [&](const auto& inside, BenchProcessReport&) {
    const NetworkNamespace::Visit visit(path.server());
    SlabServerOptions options;
    options.address = server_address(0);
    options.key = path_key();
    options.rate_gbit_s = rate_gbit_s;
    SlabServer server(options, slabs);
    inside.say_port(server.port());
    server.run(inside.stop_fd);
  });
}

Json slab_run(const PathShape& shape, double rate_gbit_s, std::chrono::seconds duration,
              NumberedSlabs& slabs) {
  std::string reason;
  const auto path = TunPath::try_make(shape, reason);
  if (!path) throw JobError(reason);
  BenchProcess server = start_slab_server(*path, rate_gbit_s, slabs);
  SlabLoadResult result;
  {
    const NetworkNamespace::Visit visit(path->client());
    SlabLoad load;
    load.client.servers = {server_address(server.port())};
    load.client.session.key = path_key();
    load.client.session.transport = SlabTransport::tcp;
    load.client.keep_bytes = std::size_t{512} << 20;
    load.in_flight = slabs_in_flight;
    load.counted = duration;
    result = run_slab_load(load, slabs);
  }
  const double server_cpu_s = server.end().cpu_s;
  const TunPath::Counters counters = path->end();
  return {{"goodput_gbit_s", result.gbit_s()},
          {"wrong_slabs", result.wrong_slabs},
          {"lost_sessions", result.switches},
          {"window_bytes", result.tuning.window_bytes},
          {"wanted_window_bytes", result.tuning.wanted_window_bytes},
          {"congestion_control", result.tuning.congestion_control},
          {"round_trip_ms", as_double(result.tuning.round_trip) * 1e-6},
          {"gbit_s_each_250_ms", result.gbit_s_each},
          {"path_queue_drops", counters.dropped_by_queue},
          {"path_cpu_share", counters.cpu_s / result.seconds},
          {"tx_cpu_share", server_cpu_s / result.seconds}};
}

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

Json measure_tcp_window(const PathShape& shape, std::chrono::seconds duration, int runs,
                        NumberedSlabs& slabs) {
  std::string reason;
  if (!TunPath::try_make(shape, reason)) return {{"skipped", reason}};
  const std::uint64_t window = tcp_window_bytes(shape.rate_gbit_s * 1e9 / 8, shape.delay * 2, 1);
  struct Peer {
    const char* name;
    PlainStream stream;
    std::vector<double> gbit_s = {};
  };
  std::vector<Peer> peers = {{"cubic, the system's windows", {"cubic"}},
                             {"bbr, the system's windows", {"bbr"}},
                             {"cubic, the path's window", {"cubic", window}}};
  Json own = Json::array();
  std::vector<double> own_gbit_s, found_gbit_s;
  for (int run = 0; run < runs; ++run) {
    own.push_back(slab_run(shape, shape.rate_gbit_s, duration, slabs));
    own_gbit_s.push_back(own.back().at("goodput_gbit_s").get<double>());
    own.push_back(slab_run(shape, 0, duration, slabs));
    found_gbit_s.push_back(own.back().at("goodput_gbit_s").get<double>());
    for (Peer& peer : peers) peer.gbit_s.push_back(plain_gbit_s(shape, peer.stream, duration));
  }
  const double gbit_s = median_of(own_gbit_s);
  Json others = Json::array();
  for (const Peer& peer : peers) {
    const double theirs = median_of(peer.gbit_s);
    others.push_back({{"name", peer.name}, {"goodput_gbit_s", theirs}, {"ratio", gbit_s / theirs}});
  }
  const double found = median_of(found_gbit_s);
  others.push_back(
      {{"name", "slabs, rate found"}, {"goodput_gbit_s", found}, {"ratio", gbit_s / found}});
  return {{"goodput_gbit_s", gbit_s},
          {"share_of_cap", gbit_s / shape.rate_gbit_s},
          {"window_bytes", own.front().at("window_bytes")},
          {"congestion_control", own.front().at("congestion_control")},
          {"peer", others.front()},
          {"ratio_to_peer", others.front().at("ratio")},
          {"peers", others},
          {"runs", own}};
}

}  // namespace tilewall::test
