#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "player/cli/play/placement_options.hpp"
#include "player/placement/placement_plan.hpp"
#include "sync/base/error.hpp"
#include "sync/base/process.hpp"

namespace tilewall::cli {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr const char* topology_option = "--topology";

/// The topologies of --topology by host; "" = this machine.
std::map<std::string, placement::HostTopology> described_hosts(const PlacementQuestion& question) {
  std::map<std::string, placement::HostTopology> found;
  for (const std::string& text : question.described) {
    const auto equals = text.find('=');
    const std::string host = text.substr(0, equals);
    const bool names_host = equals != std::string::npos && question.wall.find_host(host) != nullptr;
    found[names_host ? host : ""] =
        placement::describe_host(names_host ? text.substr(equals + 1) : text, topology_option);
  }
  return found;
}

std::vector<std::string> hosts_in_order(const wall::Wall& wall) {
  std::vector<std::string> hosts;
  for (const wall::Panel& panel : wall.panels)
    if (std::ranges::find(hosts, panel.host) == hosts.end()) hosts.push_back(panel.host);
  return hosts;
}

OrderedJson cpus_json(const std::vector<int>& cpus) {
  return cpus.empty() ? OrderedJson(nullptr) : OrderedJson(format_cpus(cpus));
}

OrderedJson text_json(const std::string& text) {
  return text.empty() ? OrderedJson(nullptr) : OrderedJson(text);
}

OrderedJson node_json(int node) {
  return node == any_node ? OrderedJson(nullptr) : OrderedJson(node);
}

OrderedJson placed_panel_json(const std::string& name, const placement::PanelPlan& plan,
                              const placement::PlaceRequest& request) {
  return {{"panel", name},
          {"node", node_json(plan.node)},
          {"presenter", cpus_json(plan.present)},
          {"receivers", cpus_json(plan.receive)},
          {"decoders", cpus_json(plan.decode)},
          {"memory_node", node_json(plan.memory_node)},
          {"interface", text_json(request.interface)},
          {"asked_for", placement::to_string(request)}};
}

OrderedJson nodes_json(const placement::HostTopology& host) {
  OrderedJson nodes = OrderedJson::array();
  for (const placement::HostNode& node : host.nodes)
    nodes.push_back({{"node", node.number}, {"cores", cpus_json(node.cores)}});
  return nodes;
}

OrderedJson devices_json(const placement::HostTopology& host) {
  OrderedJson devices = OrderedJson::array();
  for (const placement::HostDevice& device : host.devices)
    devices.push_back(
        {{"name", device.name},
         {"kind", device.kind == placement::HostDevice::Kind::network ? "network" : "display"},
         {"node", node_json(device.node)}});
  return devices;
}

void append_new(OrderedJson& lines, const std::vector<std::string>& more) {
  for (const std::string& line : more)
    if (std::ranges::find(lines, OrderedJson(line)) == lines.end()) lines.push_back(line);
}

class HostReport {
 public:
  HostReport(const PlacementQuestion& question, std::string host, placement::HostTopology topology)
      : question_(question), host_(std::move(host)), topology_(std::move(topology)) {
    check_places(question.places, question.wall, host_, topology_);
    use_.seats =
        static_cast<int>(std::ranges::count(question.wall.panels, host_, &wall::Panel::host));
    use_.windows = question.windows;
    use_.server = question.server.address;
    use_.mounted = question.server.mounted;
  }

  [[nodiscard]] OrderedJson json() {
    const std::vector<placement::PlaceRequest> requests =
        place_requests(question_.places, question_.wall);
    for (std::size_t i = 0; i < requests.size(); ++i)
      if (question_.wall.panels[i].host == host_)
        add_panel(question_.wall.panels[i].name, requests[i]);
    if (!question_.pin) reasons_.push_back("--pin off: the system decides");
    if (binds_memory_ && topology_.is_this_host && !may_place_memory())
      not_possible_.push_back("memory by node: the system refuses memory policies here");
    return {{"host", host_.empty() ? host_name() : host_},
            {"described", !topology_.is_this_host},
            {"cpus", cpus_json(topology_.cpus)},
            {"nodes", nodes_json(topology_)},
            {"devices", devices_json(topology_)},
            {"server", text_json(use_.server)},
            {"server_mounted", use_.mounted},
            {"panels", panels_},
            {"reasons", reasons_},
            {"not_possible", not_possible_}};
  }

 private:
  void add_panel(const std::string& name, const placement::PlaceRequest& request) {
    const int seat = static_cast<int>(panels_.size());
    if (!question_.pin) return panels_.push_back(placed_panel_json(name, {}, {}));
    const placement::HostUse use = placement::with_interface(use_, request.interface, topology_);
    const placement::PanelPlan plan =
        placement::overridden(placement::plan_panel(topology_, use, seat), request, topology_);
    binds_memory_ = binds_memory_ || plan.memory_node != any_node;
    panels_.push_back(placed_panel_json(name, plan, request));
    const placement::PlanNotes notes = placement::plan_notes(topology_, use);
    append_new(reasons_, notes.reasons);
    append_new(not_possible_, notes.not_possible);
  }

  const PlacementQuestion& question_;
  const std::string host_;
  const placement::HostTopology topology_;
  placement::HostUse use_;
  OrderedJson panels_ = OrderedJson::array();
  OrderedJson reasons_ = OrderedJson::array();
  OrderedJson not_possible_ = OrderedJson::array();
  bool binds_memory_ = false;
};

/// The text of a cell; a star ("8*") marks a value that --place requested.
std::string cell(const OrderedJson& panel, const char* key, const char* otherwise, bool is_asked) {
  const OrderedJson& value = panel.at(key);
  const std::string text = value.is_null()             ? otherwise
                           : value.is_number_integer() ? std::to_string(value.get<int>())
                                                       : value.get<std::string>();
  return text + (is_asked ? "*" : "");
}

using TableRow = std::vector<std::string>;

TableRow row_of(const OrderedJson& panel, const OrderedJson& host) {
  const placement::PlaceRequest asked = placement::parse_place(panel.at("asked_for"), "--place");
  const bool receives = !host.at("server").is_null() && !host.at("server_mounted").get<bool>();
  const bool near_asked = asked.receivers.has_value() || !asked.interface.empty();
  return {panel.at("panel"),
          cell(panel, "node", "any", false),
          cell(panel, "presenter", "any", asked.presenter.has_value()),
          cell(panel, "receivers", receives ? "decoders'" : "none", near_asked),
          cell(panel, "decoders", "any", asked.decoders.has_value()),
          cell(panel, "memory_node", "any", asked.memory.has_value())};
}

std::string table_of(const std::vector<TableRow>& rows) {
  std::string text;
  for (const TableRow& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      std::size_t width = 0;
      for (const TableRow& other : rows) width = std::max(width, other[column].size());
      line += fmt::format("{:<{}}  ", row[column], width);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string lines_of(const OrderedJson& lines, const std::string& title) {
  if (lines.empty()) return "";
  std::string text = title + "\n";
  for (const OrderedJson& line : lines) text += "  " + line.get<std::string>() + "\n";
  return text;
}

std::string host_text(const OrderedJson& host) {
  std::vector<std::string> nodes;
  for (const OrderedJson& node : host.at("nodes"))
    nodes.push_back(
        fmt::format("node {}: cores {}", node.at("node").get<int>(),
                    node.at("cores").is_null() ? "unknown" : node.at("cores").get<std::string>()));
  std::string text =
      fmt::format("placement on {}{} ({})\n", host.at("host").get<std::string>(),
                  host.at("described").get<bool>() ? ", as described" : "", fmt::join(nodes, "; "));
  std::vector<TableRow> rows = {{"panel", "node", "presenter", "receivers", "decoders", "memory"}};
  bool is_asked = false;
  for (const OrderedJson& panel : host.at("panels")) {
    rows.push_back(row_of(panel, host));
    is_asked = is_asked || !panel.at("asked_for").get<std::string>().empty();
  }
  text += table_of(rows);
  if (is_asked) text += "* as --place asks\n";
  return text + lines_of(host.at("reasons"), "why:") +
         lines_of(host.at("not_possible"), "not possible here:");
}

}  // namespace

OrderedJson placement_json(const PlacementQuestion& question) {
  std::map<std::string, placement::HostTopology> described = described_hosts(question);
  // Checks requests for hosts elsewhere, too.
  static_cast<void>(place_requests(question.places, question.wall));
  OrderedJson hosts = OrderedJson::array();
  OrderedJson elsewhere = OrderedJson::array();
  for (const std::string& host : hosts_in_order(question.wall)) {
    const bool is_here = is_this_machine(question.wall, host);
    auto found = described.find(host);
    if (found == described.end() && is_here) found = described.find("");
    if (found != described.end())
      hosts.push_back(HostReport(question, host, found->second).json());
    else if (is_here)
      hosts.push_back(HostReport(question, host, placement::read_host_topology()).json());
    else
      elsewhere.push_back(host);
  }
  return {{"hosts", std::move(hosts)}, {"elsewhere", std::move(elsewhere)}};
}

std::string placement_text(const OrderedJson& plan) {
  std::string text;
  for (const OrderedJson& host : plan.at("hosts"))
    text += (text.empty() ? "" : "\n") + host_text(host);
  for (const OrderedJson& host : plan.at("elsewhere"))
    text += fmt::format(
        "{0} plans its own panels when they start; to see it here: ssh {0} lstopo --of xml - > "
        "{0}.xml, then --topology {0}={0}.xml\n",
        host.get<std::string>());
  return text;
}

}  // namespace tilewall::cli
