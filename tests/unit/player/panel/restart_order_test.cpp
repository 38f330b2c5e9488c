// Orders to start processes of the host again: which processes end.

#include "player/panel/restart_order.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <string>
#include <system_error>

#include "sync/base/child_process.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;

namespace {
namespace restart_order_test {

/// A copy of `sleep` that runs as a program of that name.
class NamedSleep {
 public:
  NamedSleep(const std::filesystem::path& folder, const std::string& name, bool own_group) {
    const std::filesystem::path program = folder / name;
    std::filesystem::copy_file("/bin/sleep", program, std::filesystem::copy_options::skip_existing);
    ChildOptions options;
    options.own_group = own_group;
    pid_ = start_program({program.string(), "1000"}, options);
    const std::filesystem::path executable = "/proc/" + std::to_string(pid_) + "/exe";
    std::error_code error;
    REQUIRE(test::eventually(
        [&] { return std::filesystem::read_symlink(executable, error).filename() == name; }));
  }
  ~NamedSleep() {
    if (pid_ != 0) end_child(pid_, std::chrono::milliseconds(0));
  }
  NamedSleep(const NamedSleep&) = delete;
  NamedSleep& operator=(const NamedSleep&) = delete;

  /// Whether the process has been killed; it is waited for.
  bool was_killed() {
    const bool ended = test::eventually([&] {
      int status = 0;
      return ::waitpid(pid_, &status, WNOHANG) == pid_ && WIFSIGNALED(status) &&
             WTERMSIG(status) == SIGKILL;
    });
    if (ended) pid_ = 0;
    return ended;
  }
  [[nodiscard]] bool runs() const { return ::waitpid(pid_, nullptr, WNOHANG) == 0; }

 private:
  pid_t pid_ = 0;
};

}  // namespace restart_order_test
}  // namespace

TEST_CASE("casters and decoders of the panel's own group are killed, and nothing else", "[panel]") {
  using restart_order_test::NamedSleep;
  const test::TemporaryFolder folder;
  // A group of its own, as a host's keeper makes it: other tests run beside this one.
  const pid_t group = ::getpgrp();
  if (group != ::getpid()) REQUIRE(::setpgid(0, 0) == 0);
  {
    NamedSleep first(folder.path(), "tilewall-caster", false);
    NamedSleep second(folder.path(), "tilewall-caster", false);
    NamedSleep decoder(folder.path(), "tilewall-decoder", false);
    NamedSleep other_program(folder.path(), "tilewall-castle", false);
    NamedSleep other_show(folder.path(), "tilewall-caster", true);
    panel::obey_restart("caster");
    CHECK(first.was_killed());
    CHECK(second.was_killed());
    CHECK(decoder.runs());
    panel::obey_restart("host");
    CHECK(decoder.runs());
    panel::obey_restart("decoder");
    CHECK(decoder.was_killed());
    CHECK(other_program.runs());
    CHECK(other_show.runs());
  }
  if (group != ::getpid()) ::setpgid(0, group);
}

TEST_CASE("a panel that is to be started again ends by SIGKILL", "[panel]") {
  const pid_t child = ::fork();
  if (child == 0) {
    panel::obey_restart("panel");
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGKILL);
}
