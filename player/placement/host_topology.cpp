#include "player/placement/host_topology.hpp"

#include <hwloc.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <optional>
#include <span>

#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::placement {
namespace {

constexpr unsigned load_limit_s = 5;  // for hwloc to read a description

struct TopologyTraits {
  using Raw = hwloc_topology_t;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw topology) noexcept { hwloc_topology_destroy(topology); }
};
using Topology = UniqueHandle<TopologyTraits>;

Topology new_topology() {
  hwloc_topology_t raw = nullptr;
  return hwloc_topology_init(&raw) == 0 ? Topology(raw) : Topology();
}

/// Finds devices by the kernel's own lists. The libraries of GPUs take seconds to answer, and Xlib
/// may end the process that looks for GPUs behind an X server.
void ask_for_devices(hwloc_topology_t topology) {
  for (const char* const slow : {"cuda", "nvml", "opencl", "rsmi", "levelzero", "gl"})
    hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, slow);
  hwloc_topology_set_io_types_filter(topology, HWLOC_TYPE_FILTER_KEEP_IMPORTANT);
}

std::vector<int> numbers_in(hwloc_const_bitmap_t bitmap) {
  std::vector<int> numbers;
  if (bitmap == nullptr || hwloc_bitmap_weight(bitmap) < 0) return numbers;  // infinite
  for (int number = hwloc_bitmap_first(bitmap); number >= 0;
       number = hwloc_bitmap_next(bitmap, number))
    numbers.push_back(number);
  return numbers;
}

/// The cores within `cpus`, each named by its first hardware thread that may be used.
std::vector<int> cores_within(hwloc_topology_t topology, hwloc_const_bitmap_t cpus) {
  std::vector<int> cores;
  const int count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE);
  for (int i = 0; i < count; ++i) {
    const hwloc_obj_t core =
        hwloc_get_obj_by_type(topology, HWLOC_OBJ_CORE, static_cast<unsigned>(i));
    const int first = hwloc_bitmap_first(core->cpuset);
    if (first >= 0 && hwloc_bitmap_isset(cpus, static_cast<unsigned>(first)) != 0)
      cores.push_back(first);
  }
  std::ranges::sort(cores);
  return cores;
}

std::optional<HostDevice::Kind> kind_of(hwloc_obj_t device) {
  const hwloc_obj_osdev_type_t type = device->attr->osdev.type;
  if (type == HWLOC_OBJ_OSDEV_NETWORK) return HostDevice::Kind::network;
  if (type == HWLOC_OBJ_OSDEV_GPU) return HostDevice::Kind::display;
  return std::nullopt;
}

/// The NUMA node that a device is attached to.
int node_near(hwloc_topology_t topology, hwloc_obj_t device) {
  const hwloc_obj_t near = hwloc_get_non_io_ancestor_obj(topology, device);
  if (near == nullptr || hwloc_bitmap_weight(near->nodeset) != 1) return any_node;
  return hwloc_bitmap_first(near->nodeset);
}

std::vector<HostDevice> devices_of(hwloc_topology_t topology) {
  std::vector<HostDevice> devices;
  for (hwloc_obj_t device = hwloc_get_next_osdev(topology, nullptr); device != nullptr;
       device = hwloc_get_next_osdev(topology, device))
    if (const auto kind = kind_of(device); kind && device->name != nullptr)
      devices.push_back({*kind, device->name, node_near(topology, device)});
  return devices;
}

std::vector<HostNode> nodes_of(hwloc_topology_t topology) {
  std::vector<HostNode> nodes;
  const int count = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_NUMANODE);
  for (int i = 0; i < count; ++i) {
    const hwloc_obj_t node =
        hwloc_get_obj_by_type(topology, HWLOC_OBJ_NUMANODE, static_cast<unsigned>(i));
    HostNode found = {static_cast<int>(node->os_index), cores_within(topology, node->cpuset)};
    // Of two kinds of memory beside the same cores, the first is the ordinary one.
    const bool is_known = std::ranges::any_of(
        nodes, [&](const HostNode& other) { return other.cores == found.cores; });
    if (!found.cores.empty() && !is_known) nodes.push_back(std::move(found));
  }
  return nodes;
}

HostTopology read(hwloc_topology_t topology) {
  HostTopology host;
  host.nodes = nodes_of(topology);
  host.cpus = numbers_in(hwloc_topology_get_topology_cpuset(topology));
  host.memory_nodes = numbers_in(hwloc_topology_get_topology_nodeset(topology));
  if (host.nodes.size() > 1) host.devices = devices_of(topology);
  return host;
}

/// A topology of a description, not loaded yet; empty where the text is none.
Topology described_topology(const std::string& description) {
  Topology topology = new_topology();
  if (topology.empty()) return {};
  ask_for_devices(topology.get());
  const char* const text = description.c_str();
  const int error = std::filesystem::exists(description)
                        ? hwloc_topology_set_xml(topology.get(), text)
                        : hwloc_topology_set_synthetic(topology.get(), text);
  return error == 0 ? std::move(topology) : Topology();
}

/// Tries a description in a child process, because hwloc crashes on some that lack what it expects.
bool can_be_loaded(const std::string& description) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_DUMPABLE, 0);
    for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
      std::signal(number, SIG_DFL);
    ::alarm(load_limit_s);
    const Topology topology = described_topology(description);
    ::_exit(!topology.empty() && hwloc_topology_load(topology.get()) == 0 ? 0 : 1);
  }
  int status = 1;
  const bool has_ended =
      child > 0 && retry_eintr([&] { return ::waitpid(child, &status, 0); }) == child;
  return has_ended && status == 0;
}

HostTopology unknown_host() {
  HostTopology host;
  host.nodes.emplace_back();
  return host;
}

}  // namespace

const HostNode* HostTopology::find_node(int number) const noexcept {
  const auto found = std::ranges::find(nodes, number, &HostNode::number);
  return found == nodes.end() ? nullptr : &*found;
}

int HostTopology::node_of(HostDevice::Kind kind, const std::vector<std::string>& names) const {
  std::optional<int> common;
  for (const std::string& name : names) {
    const auto device = std::ranges::find_if(
        devices, [&](const HostDevice& other) { return other.kind == kind && other.name == name; });
    const int node = device == devices.end() ? any_node : device->node;
    if (common.value_or(node) != node) return any_node;
    common = node;
  }
  return common.value_or(any_node);
}

HostTopology read_host_topology() {
  const Topology topology = new_topology();
  if (topology.empty()) return unknown_host();
  // Only the CPUs and nodes that this process may use, such as by taskset.
  hwloc_topology_set_flags(topology.get(), HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM |
                                               HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING);
  if (has_several_nodes()) ask_for_devices(topology.get());
  if (hwloc_topology_load(topology.get()) != 0) return unknown_host();
  HostTopology host = read(topology.get());
  if (host.nodes.empty()) host.nodes.emplace_back();
  return host;
}

HostTopology describe_host(const std::string& description, const std::string& field) {
  const auto refuse = [&] {
    throw InputError({field}, "", "an XML file that lstopo wrote, or such as \"numa:2 core:8\"",
                     "\"" + description + "\"");
  };
  if (!can_be_loaded(description)) refuse();
  const Topology topology = described_topology(description);
  if (topology.empty() || hwloc_topology_load(topology.get()) != 0) refuse();
  HostTopology host = read(topology.get());
  host.is_this_host = false;
  if (host.nodes.empty() || host.cpus.back() >= max_cpus || host.memory_nodes.back() >= max_nodes)
    refuse();
  return host;
}

}  // namespace tilewall::placement
