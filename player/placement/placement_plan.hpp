// Where the threads of a host's panels run and on which NUMA node their memory lies: the one place
// where that is decided. sync/base/thread_place.hpp does it.
//
// Panels are dealt to the nodes in turn of their seats, beginning with those that have a GPU (for
// windows), then with the one whose network interface reaches the pictures' server. A panel's
// presenter, decoders and memory are all of its node; where they are on the other one, every
// picture crosses between the packages once more. What receives from the network runs near the
// interface, whose interrupts and packets are there.
//
// Pure, but for plan_panel_here().
#pragma once

#include <string>
#include <vector>

#include "player/placement/host_topology.hpp"
#include "player/placement/place_request.hpp"

namespace tilewall::placement {

/// What the host is to do.
struct HostUse {
  int seats = 1;                     ///< panels
  bool windows = false;              ///< they are drawn in windows
  std::string server;                ///< "HOST:PORT" that the pictures come from; "" = none
  bool mounted = false;              ///< as a file system's: the kernel receives, no thread of ours
  std::string interface;             ///< by which that is reached; "" = not known
  std::vector<std::string> devices;  ///< below the interface
};

/// The use with the interface by which this host reaches `use.server`, if it is found, or with the
/// one that is asked for.
[[nodiscard]] HostUse with_interface(HostUse use, const std::string& asked_for,
                                     const HostTopology& host);

/// For one panel. CPU sets may be empty: the system decides, and receivers run with the decoders.
struct PanelPlan {
  int node = any_node;  ///< whose cores and memory it has
  std::vector<int> present;
  std::vector<int> receive;
  std::vector<int> decode;
  int memory_node = any_node;
  bool operator==(const PanelPlan&) const = default;
};

/// For panel `seat`. Where a node has a core or more for each of its panels, each presents on one
/// of its own and decodes on those it has besides (on all it has, where they are fewer than four;
/// on any of the node's where it is the only one). Else, on a host with several nodes, a panel has
/// its node's cores, and on others nothing is bound: cores that panels must share are shared best
/// by the system. Where pictures come from a server, the last cores of the interface's node receive
/// for all panels, one in eight of them, if each panel there keeps four; else receivers have all
/// cores of that node, or on a host with one node run with the decoders. @pre 0 <= seat < seats
[[nodiscard]] PanelPlan plan_panel(const HostTopology& host, const HostUse& use, int seat);

/// With what is asked for instead. @pre check_place() has nothing against it
[[nodiscard]] PanelPlan overridden(PanelPlan plan, const PlaceRequest& request,
                                   const HostTopology& host);

/// Why the plan is as it is, and what was asked for but cannot be had on this host; a line each.
struct PlanNotes {
  std::vector<std::string> reasons;
  std::vector<std::string> not_possible;
};
[[nodiscard]] PlanNotes plan_notes(const HostTopology& host, const HostUse& use);

/// "present 0, decode 1-3", "present 0, decode 1-6, receive 7, memory 1"; "any" when nothing is
/// bound.
[[nodiscard]] std::string to_string(const PanelPlan& plan);

/// The plan for a panel of this host. hwloc is not asked where the plan is clear without it: one
/// node, fewer cores than panels, and no request. Throws InputError where the request names what
/// this host does not have.
[[nodiscard]] PanelPlan plan_panel_here(const HostUse& use, int seat, const PlaceRequest& request);

}  // namespace tilewall::placement
