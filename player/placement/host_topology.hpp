// What a host is made of, as far as it matters where threads run: NUMA nodes, cores, and the
// devices that stand near one of the nodes. From hwloc, for this host or one that it describes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sync/base/thread_place.hpp"

namespace tilewall::placement {

struct HostNode {
  int number = 0;
  std::vector<int> cores;  ///< of each the first hardware thread that may be used; ascending
  bool operator==(const HostNode&) const = default;
};

struct HostDevice {
  enum class Kind { network, display };
  Kind kind = Kind::network;
  std::string name;     ///< "eth0", "card0"
  int node = any_node;  ///< any: the system does not tell
  bool operator==(const HostDevice&) const = default;
};

/// Of what this process may use.
struct HostTopology {
  std::vector<HostNode> nodes;      ///< those with cores; at least one, without cores where unknown
  std::vector<int> cpus;            ///< hardware threads, ascending
  std::vector<int> memory_nodes;    ///< ascending
  std::vector<HostDevice> devices;  ///< on several nodes only: of one there is nothing to choose
  bool is_this_host = true;

  /// The one of that number; null where there is none with cores.
  [[nodiscard]] const HostNode* find_node(int number) const noexcept;
  /// The node of all these devices; any where they are on several, or one is not known.
  [[nodiscard]] int node_of(HostDevice::Kind kind, const std::vector<std::string>& names) const;
};

/// Takes hwloc some 8 ms.
[[nodiscard]] HostTopology read_host_topology();

/// Of another host: a file that `lstopo` wrote there (XML), or hwloc's synthetic form, such as
/// "pack:2 numa:2 core:8 pu:2". Throws InputError naming `field`.
[[nodiscard]] HostTopology describe_host(const std::string& description, const std::string& field);

}  // namespace tilewall::placement
