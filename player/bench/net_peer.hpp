// What others reach on the same way in the same run: iperf3 and nuttcp, where they are installed.
#pragma once

#include <chrono>
#include <optional>

namespace tilewall {

struct PeerResult {
  double gbit_s = 0;    ///< that arrived
  double loss = 0;      ///< share of datagrams; 0 for TCP
  double rx_cpu_s = 0;  ///< of the receiving process
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

}  // namespace tilewall
