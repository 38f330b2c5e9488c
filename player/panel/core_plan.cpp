#include "player/panel/core_plan.hpp"

#include <fmt/format.h>
#include <hwloc.h>

#include <filesystem>
#include <thread>

#include "sync/base/check.hpp"
#include "sync/base/handle.hpp"

namespace tilewall {
namespace {

// With fewer cores for a panel, the one that presents decodes as well: it is hardly ever busy.
constexpr std::size_t cores_to_spare = 4;

struct TopologyTraits {
  using Raw = hwloc_topology_t;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw topology) noexcept { hwloc_topology_destroy(topology); }
};
using Topology = UniqueHandle<TopologyTraits>;

struct BitmapTraits {
  using Raw = hwloc_bitmap_t;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw bitmap) noexcept { hwloc_bitmap_free(bitmap); }
};

Topology load_topology() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return {};
  Topology topology(raw);
  // Only what this process was given, as by taskset.
  hwloc_topology_set_flags(
      raw, HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM | HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING);
  if (hwloc_topology_load(raw) != 0) return {};
  return topology;
}

/// The cores within `cpus`, each by its first hardware thread that may be used.
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
  return cores;
}

/// "0-3,8"
std::string ranges(const std::vector<int>& cores) {
  std::string text;
  for (std::size_t first = 0; first < cores.size();) {
    std::size_t last = first;
    while (last + 1 < cores.size() && cores[last + 1] == cores[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cores[first]);
    if (last > first) text += fmt::format("-{}", cores[last]);
    first = last + 1;
  }
  return text;
}

}  // namespace

PanelCores plan_panel_cores(const HostCores& host, int seat, int seats) {
  TW_CHECK(seat >= 0 && seat < seats, "{} of {}", seat, seats);
  const int nodes = static_cast<int>(host.nodes.size());
  const std::vector<int>& cores = host.nodes[static_cast<std::size_t>(seat % nodes)];
  const auto place = static_cast<std::size_t>(seat / nodes);  // among the node's panels
  const auto panels = static_cast<std::size_t>((seats - 1 - seat % nodes) / nodes + 1);
  const std::size_t share = cores.size() / panels;
  const std::vector<int> shared = nodes > 1 ? cores : std::vector<int>{};
  if (share < 1) return {shared, shared};
  const auto first = cores.begin() + static_cast<std::ptrdiff_t>(place * share);
  if (share < 2) return {{*first}, shared};
  const auto first_to_decode = share < cores_to_spare ? first : first + 1;
  return {{*first}, {first_to_decode, first + static_cast<std::ptrdiff_t>(share)}};
}

std::string to_string(const PanelCores& cores) {
  if (cores.present.empty()) return "any";
  if (cores.decode.empty()) return fmt::format("present {}, decode any", ranges(cores.present));
  return fmt::format("present {}, decode {}", ranges(cores.present), ranges(cores.decode));
}

HostCores read_host_cores() {
  const Topology topology = load_topology();
  HostCores host;
  if (topology.empty()) return {{{}}};
  const int nodes = hwloc_get_nbobjs_by_type(topology.get(), HWLOC_OBJ_NUMANODE);
  for (int i = 0; i < nodes; ++i) {
    const hwloc_obj_t node =
        hwloc_get_obj_by_type(topology.get(), HWLOC_OBJ_NUMANODE, static_cast<unsigned>(i));
    std::vector<int> cores = cores_within(topology.get(), node->cpuset);
    if (!cores.empty()) host.nodes.push_back(std::move(cores));
  }
  if (host.nodes.empty()) host.nodes.emplace_back();
  return host;
}

PanelCores panel_cores_here(int seat, int seats) {
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  const bool one_node = !std::filesystem::exists("/sys/devices/system/node/node1");
  if (one_node && cores < seats) return {};
  return plan_panel_cores(read_host_cores(), seat, seats);
}

void bind_this_thread(const std::vector<int>& cores) {
  const Topology topology = load_topology();
  if (topology.empty()) return;
  const UniqueHandle<BitmapTraits> cpus(hwloc_bitmap_alloc());
  for (const int core : cores) hwloc_bitmap_set(cpus.get(), static_cast<unsigned>(core));
  if (cores.empty())
    hwloc_bitmap_copy(cpus.get(), hwloc_topology_get_topology_cpuset(topology.get()));
  static_cast<void>(hwloc_set_cpubind(topology.get(), cpus.get(), HWLOC_CPUBIND_THREAD));
}

}  // namespace tilewall
