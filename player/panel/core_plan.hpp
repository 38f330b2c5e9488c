// Which cores of its host a panel's threads run on, and so on which NUMA node its pictures lie:
// memory goes to the node of the thread that first writes to it. The one place where that is
// decided.
//
// Pure, but for the last three.
#pragma once

#include <string>
#include <vector>

namespace tilewall {

/// The cores that this process may use, by NUMA node: system numbers, one for each core even where
/// it has several hardware threads. At least one node with one core.
struct HostCores {
  std::vector<std::vector<int>> nodes;
};

/// Cores for a panel's threads; empty: the system decides.
struct PanelCores {
  std::vector<int> present;
  std::vector<int> decode;
  bool operator==(const PanelCores&) const = default;
};

/// For panel `seat` of the `seats` on this host. Panels are dealt to the nodes in turn of their
/// seats. Where a node has a core or more for each of its panels, each presents on one of its own
/// and decodes on those it has besides (on all it has, where they are fewer than four; on any of
/// the node's where it is the only one). Else, on a host with several nodes, a panel has its node's
/// cores, and on others nothing is bound: cores that panels must share are shared best by the
/// system.
/// @pre 0 <= seat < seats
[[nodiscard]] PanelCores plan_panel_cores(const HostCores& host, int seat, int seats);

/// "present 0, decode 1-3"; "any" when nothing is bound.
[[nodiscard]] std::string to_string(const PanelCores& cores);

/// From hwloc. One node with no core where it cannot tell: nothing will be bound then.
[[nodiscard]] HostCores read_host_cores();

/// The plan for this host. hwloc takes some 8 ms to look around, so it is not asked where the plan
/// is clear: one node, and fewer cores than panels.
[[nodiscard]] PanelCores panel_cores_here(int seat, int seats);

/// Keeps the calling thread, and those it starts from now on, on these cores; on all where empty.
/// Refused by the system: nothing happens.
void bind_this_thread(const std::vector<int>& cores);

}  // namespace tilewall
