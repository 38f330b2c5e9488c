#include "player/host/family_memory.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

namespace tilewall::host {
namespace {

constexpr std::size_t most_processes = 4096;  // a limit for a tree that grows while it is read

struct ResidentBytes {
  std::uint64_t own = 0;     // anonymous memory
  std::uint64_t shared = 0;  // shared memory that has no file
};

ResidentBytes resident_bytes(pid_t pid) {
  ResidentBytes bytes;
  std::ifstream stream(fmt::format("/proc/{}/status", pid));
  for (std::string word; stream >> word;) {
    std::uint64_t kib = 0;
    if (word == "RssAnon:" && stream >> kib)
      bytes.own = kib * 1024;
    else if (word == "RssShmem:" && stream >> kib)
      bytes.shared = kib * 1024;
    stream.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return bytes;
}

/// Adds the children of all threads of a process. Returns whether the kernel names them.
bool add_children(pid_t pid, std::vector<pid_t>& children) {
  bool is_known = false;
  std::error_code error;
  std::filesystem::directory_iterator thread(fmt::format("/proc/{}/task", pid), error);
  for (; !error && thread != std::filesystem::directory_iterator(); thread.increment(error)) {
    std::ifstream stream(thread->path() / "children");
    is_known |= stream.is_open();
    for (pid_t child = 0; stream >> child;) children.push_back(child);
  }
  return is_known;
}

}  // namespace

std::optional<std::uint64_t> memory_of_family(pid_t root, pid_t sharer) {
  struct Member {
    pid_t pid = 0;
    bool shares = false;
  };
  std::vector<Member> family = {{root, root == sharer}};
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < family.size() && i < most_processes; ++i) {
    const Member member = family[i];
    std::vector<pid_t> children;
    if (!add_children(member.pid, children) && i == 0) return std::nullopt;
    const ResidentBytes bytes = resident_bytes(member.pid);
    sum += bytes.own + (member.shares ? bytes.shared : 0);
    for (const pid_t child : children) family.push_back({child, member.shares || child == sharer});
  }
  return sum;
}

}  // namespace tilewall::host
