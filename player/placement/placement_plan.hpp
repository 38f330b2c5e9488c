// Plans where the threads of a host's panels run and on which NUMA node their memory lies. No other
// file decides this; sync/base/thread_place.hpp carries it out.
//
// Panels are dealt to the nodes in turn of their seats, beginning with those that have a GPU (for
// windows), then with the one whose network interface reaches the pictures' server. A panel's
// presenter, decoders and memory are all of its node, because otherwise every picture crosses
// between the packages once more. Receivers run near the interface, where its interrupts and
// packets are.
//
// Pure, but for plan_panel_here().
#pragma once

#include <string>
#include <vector>

#include "player/placement/host_topology.hpp"
#include "player/placement/place_request.hpp"

namespace tilewall::placement {

/// The work of the host that is planned.
struct HostUse {
  int seats = 1;         ///< Number of panels
  bool windows = false;  ///< The panels draw in windows
  std::string server;    ///< "HOST:PORT" of the pictures' server; "" = none
  /// The server is mounted as a file system: the kernel receives, no thread of ours.
  bool mounted = false;
  std::string interface;             ///< Interface that reaches the server; "" = not known
  std::vector<std::string> devices;  ///< Devices below the interface
};

/// The use with an interface: the one that is asked for, else the one by which this host reaches
/// `use.server`, if it is found.
[[nodiscard]] HostUse with_interface(HostUse use, const std::string& asked_for,
                                     const HostTopology& host);

/// Placement of one panel. CPU sets may be empty: the system decides, and receivers run with the
/// decoders.
struct PanelPlan {
  int node = any_node;  ///< Node of its cores and memory
  std::vector<int> present;
  std::vector<int> receive;
  std::vector<int> decode;
  int memory_node = any_node;
  bool operator==(const PanelPlan&) const = default;
};

/// Plans panel `seat`.
/// - Where a node has a core or more for each of its panels, each panel presents on one core of its
/// own and decodes on its others (on all it has, where they are fewer than four; on any of the
/// node's where it has one).
/// - Otherwise, on a host with several nodes, a panel has its node's cores. On a host with one node
/// nothing is bound, because the system shares cores between panels best.
/// - Where pictures come from a server, the last cores of the interface's node receive for all
/// panels: one core in eight, if each panel there keeps four. Otherwise receivers have all cores of
/// that node or, on a host with one node, run with the decoders.
/// @pre 0 <= seat < seats
[[nodiscard]] PanelPlan plan_panel(const HostTopology& host, const HostUse& use, int seat);

/// The plan with the requested fields in place of its own. @pre check_place() accepts the request
[[nodiscard]] PanelPlan overridden(PanelPlan plan, const PlaceRequest& request,
                                   const HostTopology& host);

/// Lines for people: the reasons for the plan, and requests that this host cannot meet.
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
