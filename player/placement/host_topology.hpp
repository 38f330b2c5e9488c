// A host's hardware as far as placement needs it: NUMA nodes, cores, and devices that are near one
// of the nodes. hwloc reads it from this host or from a description of another one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sync/base/thread_place.hpp"

namespace tilewall::placement {

struct HostNode {
  int number = 0;
  std::vector<int> cores;  ///< First usable hardware thread of each core, ascending
  bool operator==(const HostNode&) const = default;
};

struct HostDevice {
  enum class Kind { network, display };
  Kind kind = Kind::network;
  std::string name;     ///< "eth0", "card0"
  int node = any_node;  ///< NUMA node; any_node: unknown
  bool operator==(const HostDevice&) const = default;
};

/// The part of a host that this process may use.
struct HostTopology {
  /// Nodes with cores, at least one; its cores are empty where unknown.
  std::vector<HostNode> nodes;
  std::vector<int> cpus;            ///< hardware threads, ascending
  std::vector<int> memory_nodes;    ///< ascending
  std::vector<HostDevice> devices;  ///< Empty on a host with one node, where there is no choice
  bool is_this_host = true;

  /// The node of that number; null where it has no cores or does not exist.
  [[nodiscard]] const HostNode* find_node(int number) const noexcept;
  /// The node of all these devices; any_node where they are on several nodes, or one is unknown.
  [[nodiscard]] int node_of(HostDevice::Kind kind, const std::vector<std::string>& names) const;
};

/// Reads this host's topology, which takes hwloc some 8 ms.
[[nodiscard]] HostTopology read_host_topology();

/// Reads another host's topology: from a file that `lstopo` wrote there (XML), or from hwloc's
/// synthetic form, such as "pack:2 numa:2 core:8 pu:2". Throws InputError naming `field`.
[[nodiscard]] HostTopology describe_host(const std::string& description, const std::string& field);

}  // namespace tilewall::placement
