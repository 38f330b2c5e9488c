// Several hosts on one machine, each with a network, a name, a boot id and clocks of its own. A
// network that delays and loses packets joins them. The "head", where shows are started, has this
// machine's clocks. Nothing is left of them afterwards.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "net/network_namespace.hpp"
#include "tests/emulation/clock_skew.hpp"
#include "tests/emulation/packet_relay.hpp"

namespace tilewall::test {

struct HostSpec {
  std::int64_t offset_ns = 0;
  double drift_ppm = 0;
};

/// A ClockSkew in its file. This process writes it, and the host's processes read it.
class SkewFile {
 public:
  SkewFile(const std::filesystem::path& path, const HostSpec& spec);
  ~SkewFile();
  SkewFile(const SkewFile&) = delete;
  SkewFile& operator=(const SkewFile&) = delete;
  [[nodiscard]] ClockSkew& skew() const noexcept { return *skew_; }

 private:
  ClockSkew* skew_;  // mapped
};

/// Environment variable of a show that names the folder which its hosts see empty.
inline constexpr const char* hidden_folder_variable = "TILEWALL_TEST_HIDDEN_FOLDER";
/// The one that names the only host which sees it empty; unset: all hosts do.
inline constexpr const char* hidden_host_variable = "TILEWALL_TEST_HIDDEN_HOST";

struct EmulatedHost {
  std::string name;     ///< "h1"
  std::string address;  ///< "10.77.0.1"
  net::NetworkNamespace network;
  std::unique_ptr<SkewFile> clock;
};

class EmulatedNetwork {
 public:
  /// `folder` is a new one, for the network's files. Empty, with the reason in `reason`, where the
  /// kernel forbids it.
  [[nodiscard]] static std::unique_ptr<EmulatedNetwork> try_make(
      const std::vector<HostSpec>& hosts, const PathOptions& path,
      const std::filesystem::path& folder, std::string& reason);

  [[nodiscard]] const std::vector<EmulatedHost>& hosts() const noexcept { return hosts_; }

  [[nodiscard]] const net::NetworkNamespace& head() const noexcept { return head_; }

  /// Cuts the cable of a host: all its packets are dropped, until it is joined again.
  void cut(const EmulatedHost& host) const;
  void join() const;
  /// Switches a host off, so that the remote shell finds no route to it, or on again. Processes
  /// that run there go on.
  void switch_host(const EmulatedHost& host, bool on) const;
  /// Lets the remote shell wait before it starts what it is told to on a host, or wait no longer.
  void hold_host(const EmulatedHost& host, bool held) const;
  /// The processes that run on a host.
  [[nodiscard]] static std::vector<pid_t> processes_of(const EmulatedHost& host);

  /// Words to put before a program's own, so that it starts at the head.
  [[nodiscard]] std::vector<std::string> at_head() const;

  /// A key file that all hosts have, as walls of several machines need one.
  [[nodiscard]] std::string key_file() const { return folder_ / "wall.key"; }

  /// An mpirun command that starts its daemons on these hosts.
  [[nodiscard]] std::string launcher() const;

 private:
  EmulatedNetwork(net::NetworkNamespace wires, net::NetworkNamespace head,
                  std::filesystem::path folder)
      : wires_(std::move(wires)), head_(std::move(head)), folder_(std::move(folder)) {}

  void add_host(std::uint32_t number, const HostSpec& spec);
  void start_relay(const PathOptions& path);
  void write_remote_shell() const;

  net::NetworkNamespace wires_;  // the relay's ends of the cables
  net::NetworkNamespace head_;
  std::filesystem::path folder_;
  std::vector<EmulatedHost> hosts_;
  std::unique_ptr<PacketRelay> relay_;
};

}  // namespace tilewall::test
