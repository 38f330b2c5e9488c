// The descriptors that a server waits for, on kernels of several ages.

#include "net/slab/event_set.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <cstddef>
#include <functional>
#include <thread>

#include "sync/base/error.hpp"
#include "tests/unit/net/slab/slab_peers.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace tilewall::test;

namespace {

/// Lets epoll_pwait2() fail with `error` on the calling thread, and on those that it starts.
/// Whether the system allows that.
bool refuse_fine_wait(int error) {
  sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_epoll_pwait2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {std::size(filter), filter};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
         ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// Runs a test on a thread for which epoll_pwait2() fails with `error`. Returns the text of what
/// the test threw, "" if nothing.
std::string without_fine_wait(int error, const std::function<void()>& test) {
  bool is_refused = false;
  std::string thrown;
  std::thread thread([&] {
    try {
      is_refused = refuse_fine_wait(error);
      if (is_refused) test();
    } catch (const std::exception& what) {
      thrown = what.what();
    }
  });
  thread.join();
  if (!is_refused) WARN("skipped: this system lets no thread filter its system calls");
  return thrown;
}

}  // namespace

TEST_CASE("a set tells what is ready, and watches for what it was told last", "[slab]") {
  EventSet set;
  const UniqueFd one(::eventfd(1, EFD_CLOEXEC));
  const UniqueFd other(::eventfd(0, EFD_CLOEXEC));
  set.watch(one.get(), EPOLLIN);
  set.watch(other.get(), EPOLLIN);
  const auto ready = set.wait(local_now() + 20s);
  REQUIRE(ready.size() == 1);
  CHECK(ready[0].data.fd == one.get());
  set.watch(one.get(), 0);
  CHECK(set.wait(local_now()).empty());
  set.watch(one.get(), EPOLLIN | EPOLLOUT);
  CHECK(set.wait(local_now() + 20s).size() == 1);
  CHECK_THROWS_AS(set.watch(-1, EPOLLIN), JobError);
}

TEST_CASE("a kernel or container without epoll_pwait2 serves as well", "[slab]") {
  for (const int error : {ENOSYS, EPERM}) {
    CAPTURE(error);
    const std::string thrown = without_fine_wait(error, [] {
      Numbers numbers;
      RunningServer server(SlabServerOptions{local(0)}, numbers);
      SlabClient client(client_of(server.port(), SlabTransport::udp));
      const auto slab = await(client, client.fetch(numbers_request(5, 100'000)));
      if (!slab || !is_right(*slab, 5, 100'000)) throw JobError("expected a slab");
    });
    CHECK(thrown == "");
  }
}

TEST_CASE("a wait that fails ends in a line, and does not turn round and round", "[slab]") {
  bool is_run = false;
  const std::string thrown = without_fine_wait(EBADF, [&] {
    is_run = true;
    EventSet set;
    static_cast<void>(set.wait(local_now()));
  });
  if (is_run) CHECK_THAT(thrown, Catch::Contains("epoll_wait: Bad file descriptor"));
}
