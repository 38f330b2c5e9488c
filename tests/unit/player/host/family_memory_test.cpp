// The memory of a host's processes, and the file by which panels know it.

#include "player/host/family_memory.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <cstring>
#include <fstream>
#include <vector>

#include "player/trace/host_memory.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::host;

namespace {

constexpr std::size_t block_bytes = std::size_t{32} << 20;

/// A child process that touches a block of memory of its own and one that others map, too.
class Holder {
 public:
  Holder() : shared_(mapped(MAP_SHARED)) {
    int ready[2] = {};
    REQUIRE(::pipe(ready) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      std::memset(shared_, 1, block_bytes);
      std::memset(mapped(MAP_PRIVATE), 1, block_bytes);
      static_cast<void>(::write(ready[1], "r", 1) == 1);
      for (;;) ::pause();
    }
    char byte = 0;
    REQUIRE(::read(ready[0], &byte, 1) == 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~Holder() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    ::munmap(shared_, block_bytes);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;

  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  static void* mapped(int flags) {
    return ::mmap(nullptr, block_bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
  }
  void* shared_;
  pid_t pid_ = 0;
};

}  // namespace

TEST_CASE("the memory of a family counts each process's own, and shared memory once", "[host]") {
  const Holder holder;
  const auto alone = memory_of_family(holder.pid(), 0);
  if (!alone) return;  // this kernel does not name the children of processes
  CHECK(*alone >= block_bytes);
  CHECK(*alone < 2 * block_bytes);
  const auto shared = memory_of_family(holder.pid(), holder.pid());
  REQUIRE(shared);
  CHECK(*shared >= 2 * block_bytes);
  const auto family = memory_of_family(::getpid(), holder.pid());
  REQUIRE(family);
  CHECK(*family > *shared);
  // Children of the process whose shared memory counts share it, too.
  const auto none_shares = memory_of_family(::getpid(), 0);
  const auto all_share = memory_of_family(::getpid(), ::getpid());
  REQUIRE((none_shares && all_share));
  CHECK(*all_share >= *none_shares + block_bytes / 2);
}

TEST_CASE("a host's memory is read as it was written", "[host]") {
  const test::TemporaryFolder folder;
  const auto file = folder / "memory";
  CHECK_FALSE(trace::read_host_memory(file));
  trace::write_host_memory(file, 12'345'678'901);
  CHECK(trace::read_host_memory(file) == 12'345'678'901);
  trace::write_host_memory(file, 7);
  CHECK(trace::read_host_memory(file) == 7);
  std::ofstream(file) << "no number";
  CHECK_FALSE(trace::read_host_memory(file));
  trace::write_host_memory(folder / "none" / "memory", 7);  // is lost
}
