#include "player/placement/placement_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "net/interfaces.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"

namespace tilewall::placement {
namespace {

// With fewer cores for a panel, the presenting one decodes as well, because presenting hardly uses
// it.
constexpr std::size_t cores_to_spare = 4;
// One core receives some 10 Gbit/s, which is far more than seven cores decode.
constexpr std::size_t cores_per_receiver = 8;

/// The cores of a node, and how they are shared.
struct NodeShare {
  const HostNode* node = nullptr;
  std::vector<int> panel_cores;  // cores that the node's panels divide
  // Cores for all receivers of the host, where they are near this node.
  std::vector<int> receive_cores;
  std::size_t panels = 0;
};

bool has_display(const HostTopology& host, int node) {
  return std::ranges::any_of(host.devices, [&](const HostDevice& device) {
    return device.kind == HostDevice::Kind::display && device.node == node;
  });
}

/// The node of the interface; any_node where it is not known or there is no server.
int interface_node(const HostTopology& host, const HostUse& use) {
  if (use.interface.empty()) return any_node;
  const int node = host.node_of(HostDevice::Kind::network, use.devices);
  return host.find_node(node) != nullptr ? node : any_node;
}

bool has_receivers(const HostUse& use) { return !use.server.empty() && !use.mounted; }

/// The nodes in the order in which panels are dealt to them.
std::vector<const HostNode*> nodes_in_turn(const HostTopology& host, const HostUse& use) {
  const int near = interface_node(host, use);
  const auto rank = [&](const HostNode* node) {
    const bool is_drawn_here = use.windows && has_display(host, node->number);
    return std::pair(!is_drawn_here, node->number != near);
  };
  std::vector<const HostNode*> nodes;
  for (const HostNode& node : host.nodes) nodes.push_back(&node);
  std::ranges::stable_sort(nodes, {}, rank);
  return nodes;
}

/// Moves receivers' cores from the panels' to the receivers', if enough are left.
void reserve_receivers(NodeShare& share, int seats) {
  if (share.panels == 0) return share.receive_cores.swap(share.panel_cores);
  const std::size_t cores = share.panel_cores.size();
  const std::size_t reserved =
      std::clamp<std::size_t>(cores / cores_per_receiver, 1, static_cast<std::size_t>(seats));
  if (cores < reserved + cores_to_spare * share.panels) return;
  const auto first = share.panel_cores.end() - static_cast<std::ptrdiff_t>(reserved);
  share.receive_cores.assign(first, share.panel_cores.end());
  share.panel_cores.erase(first, share.panel_cores.end());
}

class Deal {
 public:
  Deal(const HostTopology& host, const HostUse& use) {
    const auto seats = static_cast<std::size_t>(use.seats);
    for (const HostNode* const node : nodes_in_turn(host, use))
      shares_.push_back({node, node->cores, {}, 0});
    for (std::size_t seat = 0; seat < seats; ++seat) ++share_of(seat).panels;
    const int near = interface_node(host, use);
    if (!has_receivers(use)) return;
    for (NodeShare& share : shares_) {
      if (several() && share.node->number != near) continue;
      reserve_receivers(share, use.seats);
      receivers_ = share.receive_cores;
      if (receivers_.empty() && several()) receivers_ = share.node->cores;
    }
  }

  [[nodiscard]] bool several() const { return shares_.size() > 1; }
  [[nodiscard]] const std::vector<int>& receivers() const { return receivers_; }
  [[nodiscard]] const std::vector<NodeShare>& shares() const { return shares_; }

  [[nodiscard]] PanelPlan panel(std::size_t seat) {
    const NodeShare& share = share_of(seat);
    PanelPlan plan;
    if (several()) plan.node = plan.memory_node = share.node->number;
    plan.receive = receivers_;
    const std::vector<int>& cores = share.panel_cores;
    const std::size_t each = cores.size() / share.panels;
    if (several()) plan.present = plan.decode = cores;
    if (each < 1) return plan;
    const auto first = cores.begin() + static_cast<std::ptrdiff_t>(seat / shares_.size() * each);
    plan.present = {*first};
    if (each > 1)
      plan.decode.assign(each < cores_to_spare ? first : first + 1,
                         first + static_cast<std::ptrdiff_t>(each));
    return plan;
  }

 private:
  [[nodiscard]] NodeShare& share_of(std::size_t seat) { return shares_[seat % shares_.size()]; }

  std::vector<NodeShare> shares_;
  std::vector<int> receivers_;
};

/// The interface to a server; "" where its name cannot be resolved here, which ends no show.
std::string interface_to(const std::string& server) {
  try {
    return net::interface_towards(net::resolve(server, server));
  } catch (const InputError&) {
    return "";
  }
}

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

void note_displays(const HostTopology& host, const HostUse& use, PlanNotes& notes) {
  if (!use.windows) return;
  for (const HostDevice& device : host.devices)
    if (device.kind == HostDevice::Kind::display && host.find_node(device.node) != nullptr)
      notes.reasons.push_back(
          fmt::format("windows on node {} first: {} is there", device.node, device.name));
}

void note_receivers(const HostUse& use, const Deal& deal, PlanNotes& notes) {
  if (!has_receivers(use))
    notes.reasons.emplace_back(use.mounted ? "no receivers: files come through the kernel"
                                           : "no receivers: nothing comes from a server");
  else if (deal.receivers().empty())
    notes.reasons.emplace_back("receivers run with each panel's decoders");
}

void note_interface(const HostTopology& host, const HostUse& use, const Deal& deal,
                    PlanNotes& notes) {
  if (use.server.empty()) return;
  const char* const what = use.mounted ? "panels preferably" : "receivers";
  if (use.interface.empty())
    return notes.not_possible.push_back(fmt::format(
        "{} near the interface: {}", what,
        host.is_this_host ? "no route to " + use.server
                          : "routes of a described host are not known; --place interface=NAME"));
  const std::string way = fmt::format("{} is reached by {}", use.server, use.interface);
  const int node = interface_node(host, use);
  const std::string devices = joined(use.devices);
  if (!deal.several() || node == any_node)
    notes.reasons.push_back(way);
  else
    notes.reasons.push_back(
        fmt::format("{} on node {}: {} is there; {}", what, node, devices, way));
  if (deal.several() && node == any_node)
    notes.not_possible.push_back(
        fmt::format("{} near {}: the system tells no NUMA node with CPUs of ours for {}", what,
                    use.interface, devices));
}

void note_cores(const HostTopology& host, const HostUse& use, const Deal& deal, PlanNotes& notes) {
  std::size_t cores = 0;
  for (const HostNode& node : host.nodes) cores += node.cores.size();
  const bool is_short = std::ranges::any_of(deal.shares(), [](const NodeShare& share) {
    return share.panel_cores.size() < share.panels;
  });
  if (is_short)
    notes.not_possible.push_back(
        fmt::format("cores of their own: {} panels on {} cores; the system shares them out{}",
                    use.seats, cores, deal.several() ? " within each node" : ""));
  if (deal.several())
    notes.reasons.emplace_back(
        "each panel's memory, unless asked otherwise, on the node of its cores");
  else
    notes.not_possible.emplace_back("placing by NUMA node: this host has one");
}

}  // namespace

HostUse with_interface(HostUse use, const std::string& asked_for, const HostTopology& host) {
  if (!asked_for.empty())
    use.interface = asked_for;
  else if (!use.server.empty() && host.is_this_host)
    use.interface = interface_to(use.server);
  use.devices = host.is_this_host && !use.interface.empty() ? net::devices_below(use.interface)
                                                            : std::vector{use.interface};
  return use;
}

PanelPlan plan_panel(const HostTopology& host, const HostUse& use, int seat) {
  TW_CHECK(seat >= 0 && seat < use.seats, "{} of {}", seat, use.seats);
  return Deal(host, use).panel(static_cast<std::size_t>(seat));
}

PanelPlan overridden(PanelPlan plan, const PlaceRequest& request, const HostTopology& host) {
  const auto take = [&](const PlaceRequest::Cpus& asked, std::vector<int>& cpus) {
    if (asked) cpus = asked->empty() ? host.cpus : *asked;
  };
  take(request.presenter, plan.present);
  take(request.receivers, plan.receive);
  take(request.decoders, plan.decode);
  if (request.memory) plan.memory_node = *request.memory;
  return plan;
}

PlanNotes plan_notes(const HostTopology& host, const HostUse& use) {
  const Deal deal(host, use);
  PlanNotes notes;
  note_displays(host, use, notes);
  note_interface(host, use, deal, notes);
  note_receivers(use, deal, notes);
  note_cores(host, use, deal, notes);
  return notes;
}

std::string to_string(const PanelPlan& plan) {
  std::vector<std::string> parts;
  const auto add = [&](const char* what, const std::vector<int>& cpus) {
    parts.push_back(fmt::format("{} {}", what, cpus.empty() ? "any" : format_cpus(cpus)));
  };
  if (!plan.present.empty() || !plan.decode.empty()) {
    add("present", plan.present);
    add("decode", plan.decode);
  }
  if (!plan.receive.empty()) add("receive", plan.receive);
  if (plan.memory_node != any_node) parts.push_back(fmt::format("memory {}", plan.memory_node));
  return parts.empty() ? "any" : joined(parts);
}

PanelPlan plan_panel_here(const HostUse& use, int seat, const PlaceRequest& request) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  if (cores < use.seats && request.empty() && !has_several_nodes()) return {};
  const HostTopology host = read_host_topology();
  check_place(request, host, "--place");
  return overridden(plan_panel(host, with_interface(use, request.interface, host), seat), request,
                    host);
}

}  // namespace tilewall::placement
