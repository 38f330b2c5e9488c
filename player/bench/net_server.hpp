// Parts of `bench net`: the server that it starts, and the measurements that have files of their
// own.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "net/slab/slab_server.hpp"

namespace tilewall::bench {

/// The slab server that `bench net` measures against on this machine: a process of its own.
struct NetServerOptions {
  std::optional<net::AuthKey> key = {};
  double rate_gbit_s = 0;
};

class NetServer {
 public:
  /// `make_source` is called in the new process. Throws JobError where it does not start.
  /// @pre the calling process has one thread
  NetServer(const NetServerOptions& options,
            const std::function<std::unique_ptr<net::SlabSource>()>& make_source);
  ~NetServer();
  NetServer(const NetServer&) = delete;
  NetServer& operator=(const NetServer&) = delete;

  [[nodiscard]] net::SocketAddress address() const;

  /// Ends the server, and returns its CPU time since the start.
  double end();

 private:
  pid_t pid_ = 0;
  std::uint16_t port_ = 0;
};

// Measures how long a question to a slab server takes, idle and under full load.

/// {"idle_us": {"p50", "p99"}, "loaded_us": {"p50", "p99"}, "questions", "loaded_gbit_s"}: of
/// SlabClient::call, by turns, over UDP slabs on loopback. Idle and loaded questions go by the
/// client that fetches the slabs.
[[nodiscard]] nlohmann::json measure_control_latency(const NetServerOptions& options,
                                                     std::size_t slab_bytes, int runs,
                                                     std::chrono::seconds duration);

// Measures frames of a movie from a disk over loopback to memory, where they are checked, beside
// the disk alone and the network alone.

/// One object for frames that are in the page cache, and one for frames that are not: {"cache":
/// "warm" or "cold", "goodput_gbit_s", "disk_gbit_s", "net_gbit_s", "ratio_to_lesser",
/// "wrong_slabs", "slab_bytes", "slabs"}; medians of the runs, by turns. The movie, about `mib`
/// large, is written into a new folder in `folder` ("": the system's temporary one) and removed.
[[nodiscard]] nlohmann::json measure_disk_over_net(const NetServerOptions& options,
                                                   const std::filesystem::path& folder, int mib,
                                                   int runs);

/// Results of peers on the same path in the same run: iperf3 and nuttcp, where they are installed.
struct PeerResult {
  double gbit_s = 0;    ///< Rate of the data that arrived
  double loss = 0;      ///< Share of lost datagrams; 0 for TCP
  double rx_cpu_s = 0;  ///< CPU time of the receiving process
  double tx_cpu_s = 0;
};

/// iperf3 by TCP, one stream, over loopback; empty where it is not installed or fails.
[[nodiscard]] std::optional<PeerResult> measure_iperf_tcp(std::chrono::seconds duration);

/// iperf3 by UDP with 8972-byte datagrams over loopback, at the best rate found (by halving, from
/// what it sends unpaced) with which at most `loss` is lost.
[[nodiscard]] std::optional<PeerResult> measure_iperf_udp(std::chrono::seconds duration,
                                                          double loss);

/// The same of nuttcp.
[[nodiscard]] std::optional<PeerResult> measure_nuttcp_tcp(std::chrono::seconds duration);
[[nodiscard]] std::optional<PeerResult> measure_nuttcp_udp(std::chrono::seconds duration,
                                                           double loss);

}  // namespace tilewall::bench
