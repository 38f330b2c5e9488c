// Programs that are kept running, played by the shell.

#include "player/host/kept_program.hpp"

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <iterator>

#include "player/host/host_run_dir.hpp"
#include "sync/base/process.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::host;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

/// A program that writes a line to the file "starts" each time it is started.
class Kept {
 public:
  Kept(const std::string& body, const RestartLimits& limits)
      : program_({{"sh", "-c", "echo >> " + (folder_ / "starts").string() + "; " + body}, {}, {}},
                 limits) {}
  ~Kept() { program_.end(std::chrono::milliseconds(0)); }

  bool comes_to(const std::function<bool()>& condition) {
    return eventually([&] {
      while (const auto end = reap_any()) program_.take_end(*end);
      program_.look();
      return condition();
    });
  }

  [[nodiscard]] std::ptrdiff_t starts() const {
    std::ifstream file(folder_ / "starts");
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
  }

  [[nodiscard]] KeptProgram& program() noexcept { return program_; }

 private:
  TemporaryFolder folder_;
  KeptProgram program_;
};

constexpr std::chrono::hours never_over{1};

}  // namespace

TEST_CASE("a program that dies too often rests, and is tried again", "[host]") {
  RestartLimits limits;
  limits.most = 3;
  limits.rest = std::chrono::milliseconds(50);
  Kept kept("exit 7", limits);
  CHECK(kept.comes_to([&] { return kept.program().rests(); }));
  CHECK(kept.comes_to([&] { return kept.starts() >= 7; }));
  CHECK_FALSE(kept.program().has_ended());
}

TEST_CASE("exit code 0 ends a kept program, unless every end is a death", "[host]") {
  Kept ends("exit 0", {});
  CHECK(ends.comes_to([&] { return ends.program().has_ended(); }));
  CHECK(ends.starts() == 1);
  RestartLimits limits;
  limits.orderly_end = OrderlyEnd::none;
  Kept dies("exit 0", limits);
  CHECK(dies.comes_to([&] { return dies.starts() >= 2; }));
}

TEST_CASE("after its rest code a program rests at once", "[host]") {
  RestartLimits limits;
  limits.rest_code = 2;
  limits.rest = never_over;
  Kept kept("exit 2", limits);
  CHECK(kept.comes_to([&] { return kept.program().rests(); }));
  CHECK(kept.starts() == 1);
}

TEST_CASE("a program that ignores SIGTERM is killed when it is replaced", "[host]") {
  Kept kept("trap '' TERM; while :; do sleep 1; done", {});
  CHECK(kept.comes_to([&] { return kept.starts() == 1; }));
  const pid_t first = kept.program().pid();
  kept.program().replace(std::chrono::milliseconds(50));
  CHECK(kept.comes_to([&] { return kept.program().pid() != first && kept.starts() == 2; }));
  CHECK(::kill(first, 0) != 0);
}

TEST_CASE("a program that is replaced has its time to end in order", "[host]") {
  const TemporaryFolder folder;
  const auto file = [&](const char* name) { return (folder / name).string(); };
  Kept kept("trap 'sleep 0.2; echo > " + file("ended") + "; exit 0' TERM; echo > " + file("ready") +
                "; while :; do sleep 0.01; done",
            {});
  REQUIRE(kept.comes_to([&] { return fs::exists(file("ready")); }));
  kept.program().replace(never_over);
  CHECK(kept.comes_to([&] { return kept.starts() == 2; }));
  CHECK(fs::exists(file("ended")));
}

TEST_CASE("a program that is being replaced keeps the limit that it was given first", "[host]") {
  Kept kept("trap '' TERM; while :; do sleep 1; done", {});
  CHECK(kept.comes_to([&] { return kept.starts() == 1; }));
  const pid_t first = kept.program().pid();
  kept.program().replace(std::chrono::milliseconds(50));
  kept.program().replace(std::chrono::hours(1));
  CHECK(kept.comes_to([&] { return kept.program().pid() != first && kept.starts() == 2; }));
}

TEST_CASE("a host's new keeper ends the processes of the older one first", "[host]") {
  const TemporaryFolder folder;
  const fs::path run = folder / "run";
  const auto keeper = [&](bool is_deaf, const std::string& mark) {
    return start_role("older", {}, [&, is_deaf] {
      if (is_deaf) ::signal(SIGTERM, SIG_IGN);
      const HostRunDir dir(run, std::chrono::milliseconds(50));
      std::ofstream(folder / mark) << ::getpid();
      for (;;) ::pause();
      return 0;
    });
  };
  const auto has = [&](const std::string& mark) {
    return eventually([&] { return fs::exists(folder / mark); });
  };
  const pid_t first = keeper(false, "first");
  REQUIRE(has("first"));
  CHECK(fs::is_directory(run / "pids"));
  const pid_t second = keeper(true, "second");
  REQUIRE(has("second"));
  CHECK(wait_for(first, std::chrono::seconds(10)).signal == SIGTERM);
  const pid_t third = keeper(false, "third");
  REQUIRE(has("third"));
  CHECK(wait_for(second, std::chrono::seconds(10)).signal == SIGKILL);
  end_child(third, std::chrono::seconds(10));
}

TEST_CASE("the run directory that a host's keeper made goes with the last keeper", "[host]") {
  const TemporaryFolder folder;
  const fs::path run = folder / "run";
  const auto leave = [&](bool dies) {
    const pid_t pid = start_role("keeper", {}, [&, dies] {
      const HostRunDir dir(run, std::chrono::milliseconds(50));
      if (dies) ::kill(::getpid(), SIGKILL);
      return 0;
    });
    static_cast<void>(wait_for(pid, std::chrono::seconds(10)));
  };
  leave(true);
  CHECK(fs::exists(run));
  leave(false);
  CHECK_FALSE(fs::exists(run));
  fs::create_directory(run);  // the supervisor's own
  fs::permissions(run, fs::perms::owner_all);
  leave(false);
  CHECK(fs::exists(run));
}
