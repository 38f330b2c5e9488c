// Where threads run, and on which NUMA node the memory lies that they touch first. The one place
// where either is set. Memory policies and nodes are libnuma's; a library of its own
// (tilewall::thread_place), because loading libnuma costs a process a quarter of a millisecond.
//
// CPUs and nodes are the system's numbers, as `taskset -c` and `numactl -H` have them. Memory goes
// to a node when it is first written to, by the policy of the thread that writes: so whoever places
// the threads that fill a buffer places the buffer. Each function concerns the calling thread, and
// those that it starts from then on.
#pragma once

#include <sys/prctl.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewall {

inline constexpr int max_cpus = 1024;   ///< CPUs have numbers below
inline constexpr int max_nodes = 1000;  ///< nodes too
inline constexpr int any_node = -1;     ///< the system decides

struct ThreadPlace {
  std::vector<int> cpus;       ///< ascending; empty: those of whoever starts the thread
  int memory_node = any_node;  ///< any: as whoever starts it
  bool operator==(const ThreadPlace&) const = default;
};

/// "0-3,8,10-20:2", as `taskset -c` takes it: ascending, each once. Empty optional: it is none, or
/// has a number beyond max_cpus.
[[nodiscard]] std::optional<std::vector<int>> parse_cpus(std::string_view text);

/// "0-3,8"; "" of none. @pre ascending
[[nodiscard]] std::string format_cpus(const std::vector<int>& cpus);

/// False: the system refuses (a CPU that this process may not use, memory policies in a container);
/// what it allows of the two happens. The node is preferred: where it is full others serve.
bool place_this_thread(const ThreadPlace& place) noexcept;

/// Whether the system lets this process say where memory goes.
[[nodiscard]] bool may_place_memory() noexcept;

/// Whether this host has more than one NUMA node.
[[nodiscard]] bool has_several_nodes() noexcept;

/// As tools show it; 15 bytes at most.
inline void name_this_thread(const char* name) noexcept { ::prctl(PR_SET_NAME, name); }

}  // namespace tilewall
