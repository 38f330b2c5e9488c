#include "sync/base/thread_place.hpp"

#include <fmt/format.h>
#include <numa.h>
#include <numaif.h>
#include <sched.h>

#include <bitset>
#include <charconv>

#include "sync/base/handle.hpp"

namespace tilewall {
namespace {

static_assert(max_cpus <= CPU_SETSIZE);

/// A set of nodes, with room for as many as this kernel could have.
struct NodeMaskTraits {
  using Raw = bitmask*;
  static constexpr Raw null() noexcept { return nullptr; }
  static void close(Raw raw) noexcept { ::numa_bitmask_free(raw); }
};
using NodeMask = UniqueHandle<NodeMaskTraits>;

/// Length of a mask in the kernel's calls.
unsigned long bits_of(const NodeMask& nodes) noexcept { return nodes.get()->size + 1; }

/// Reads a number below max_cpus from the front of the text, and removes it.
std::optional<int> take_number(std::string_view& text) {
  int number = -1;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || number < 0 || number >= max_cpus) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  return number;
}

/// Reads `mark` and the number behind it from the front of the text; `otherwise` where there is no
/// such mark.
std::optional<int> take_marked(std::string_view& text, char mark, int otherwise) {
  if (!text.starts_with(mark)) return otherwise;
  text.remove_prefix(1);
  return take_number(text);
}

// This does not use numa_set_preferred(), which prints the kernel's refusals instead of returning
// them.
bool prefer_node(int node) noexcept {
  if (::numa_available() < 0 || node > ::numa_max_possible_node()) return false;
  const NodeMask nodes(::numa_allocate_nodemask());
  ::numa_bitmask_setbit(nodes.get(), static_cast<unsigned>(node));
  return ::set_mempolicy(MPOL_PREFERRED, nodes.get()->maskp, bits_of(nodes)) == 0;
}

bool run_on(const std::vector<int>& cpus) noexcept {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  return ::sched_setaffinity(0, sizeof set, &set) == 0;
}

}  // namespace

std::optional<std::vector<int>> parse_cpus(std::string_view text) {
  std::bitset<max_cpus> listed;
  for (bool more = true; more;) {
    const auto first = take_number(text);
    if (!first) return std::nullopt;
    const bool is_range = text.starts_with('-');
    const auto last = take_marked(text, '-', *first);
    const auto step = is_range ? take_marked(text, ':', 1) : 1;
    if (!last || *last < *first || !step || *step < 1) return std::nullopt;
    for (int cpu = *first; cpu <= *last; cpu += *step) listed.set(static_cast<std::size_t>(cpu));
    more = text.starts_with(',');
    if (more) text.remove_prefix(1);
  }
  if (!text.empty()) return std::nullopt;
  std::vector<int> cpus;
  for (int cpu = 0; cpu < max_cpus; ++cpu)
    if (listed.test(static_cast<std::size_t>(cpu))) cpus.push_back(cpu);
  return cpus;
}

std::string format_cpus(const std::vector<int>& cpus) {
  std::string text;
  for (std::size_t first = 0; first < cpus.size();) {
    std::size_t last = first;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[first]);
    if (last > first) text += fmt::format("-{}", cpus[last]);
    first = last + 1;
  }
  return text;
}

bool place_this_thread(const ThreadPlace& place) noexcept {
  const bool runs = place.cpus.empty() || run_on(place.cpus);
  const bool remembers = place.memory_node == any_node || prefer_node(place.memory_node);
  return runs && remembers;
}

bool may_place_memory() noexcept {
  if (::numa_available() < 0) return false;
  int mode = MPOL_DEFAULT;
  const NodeMask nodes(::numa_allocate_nodemask());
  if (::get_mempolicy(&mode, nodes.get()->maskp, bits_of(nodes), nullptr, 0) != 0) return false;
  const bool is_default = mode == MPOL_DEFAULT;  // MPOL_DEFAULT must be set without nodes
  return ::set_mempolicy(mode, is_default ? nullptr : nodes.get()->maskp,
                         is_default ? 0 : bits_of(nodes)) == 0;
}

bool has_several_nodes() noexcept {
  return ::numa_available() >= 0 && ::numa_num_configured_nodes() > 1;
}

}  // namespace tilewall
