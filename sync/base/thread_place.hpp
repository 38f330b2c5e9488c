// Sets where threads run, and on which NUMA node the memory lies that they touch first. No other
// file does either. Memory policies and nodes come from libnuma. This is a library of its own
// (tilewall::thread_place), because loading libnuma costs a process a quarter of a millisecond.
//
// CPUs and nodes have the system's numbers, as in `taskset -c` and `numactl -H`. Memory is
// allocated when it is first written to, by the policy of the thread that writes. So the place of
// the threads that fill a buffer is also the buffer's. Each function acts on the calling thread,
// and on those that it starts from then on.
#pragma once

#include <sys/prctl.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewall {

inline constexpr int max_cpus = 1024;   ///< Numbers of CPUs are less than this
inline constexpr int max_nodes = 1000;  ///< Numbers of nodes are less than this
inline constexpr int any_node = -1;     ///< The system decides

struct ThreadPlace {
  std::vector<int> cpus;       ///< Ascending; empty: the CPUs of the thread that starts this one
  int memory_node = any_node;  ///< any_node: the policy of the thread that starts this one
  bool operator==(const ThreadPlace&) const = default;
};

/// Parses a list like that of `taskset -c`, such as "0-3,8,10-20:2": ascending, each CPU once.
/// Empty for any other text, and for numbers beyond max_cpus.
[[nodiscard]] std::optional<std::vector<int>> parse_cpus(std::string_view text);

/// "0-3,8"; "" of none. @pre ascending
[[nodiscard]] std::string format_cpus(const std::vector<int>& cpus);

/// Places the calling thread. The node is preferred: where it is full others serve. False: the
/// system refuses the CPUs (this process may not use one) or the memory policy (in a container);
/// the other one still takes effect.
bool place_this_thread(const ThreadPlace& place) noexcept;

/// Whether the system lets this process set memory policies.
[[nodiscard]] bool may_place_memory() noexcept;

/// Whether this host has more than one NUMA node.
[[nodiscard]] bool has_several_nodes() noexcept;

/// Names the calling thread for tools; 15 bytes at most.
inline void name_this_thread(const char* name) noexcept { ::prctl(PR_SET_NAME, name); }

}  // namespace tilewall
