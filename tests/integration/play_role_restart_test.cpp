// A wall whose director, clock daemon, services or folders go: the show goes on.

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "sync/base/process.hpp"
#include "tests/integration/looping_show.hpp"
#include "tests/support/eventually.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

/// Lets a process start no others, by a control group, where this user may make one.
class NoNewProcesses {
 public:
  explicit NoNewProcesses(pid_t of) : of_(std::to_string(of)) {
    const bool is_version_1 = fs::exists("/sys/fs/cgroup/pids");
    parent_ = is_version_1 ? "/sys/fs/cgroup/pids" : "/sys/fs/cgroup";
    group_ = parent_ / ("tilewall-test-" + of_);
    std::error_code error;
    fs::create_directory(group_, error);
    works_ = write(group_ / "cgroup.procs", of_) && write(group_ / "pids.max", "1");
  }
  ~NoNewProcesses() {
    write(parent_ / "cgroup.procs", of_);
    std::error_code error;
    fs::remove(group_, error);
  }
  NoNewProcesses(const NoNewProcesses&) = delete;
  NoNewProcesses& operator=(const NoNewProcesses&) = delete;

  [[nodiscard]] bool works() const noexcept { return works_; }

  /// How many starts of processes have failed.
  [[nodiscard]] int failed() const {
    std::string name;
    int count = 0;
    std::ifstream(group_ / "pids.events") >> name >> count;
    return count;
  }

 private:
  static bool write(const fs::path& file, const std::string& text) {
    std::ofstream to(file);
    to << text << std::flush;
    return to.good();
  }

  const std::string of_;
  fs::path parent_;
  fs::path group_;
  bool works_ = false;
};

/// The children of a process whose name is `name`, as /proc has it.
std::vector<pid_t> children_named(pid_t parent, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) +
                     "/children");
  std::vector<pid_t> found;
  for (pid_t child = 0; file >> child;) {
    std::string found_name;
    std::ifstream("/proc/" + std::to_string(child) + "/comm") >> found_name;
    if (found_name == name) found.push_back(child);
  }
  return found;
}

}  // namespace

TEST_CASE("a director that dies beside a stop loses no frame that was shown", "[play]") {
  const TemporaryFolder folder;
  LoopingShow running(folder, endless_frames, "two-by-two.toml", {"--late", "drop"});
  REQUIRE(running.all_show());
  const pid_t director = running.pid_of("director");
  // Its panels show at least a dozen ticks of which it does not hear.
  ::kill(director, SIGSTOP);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ::kill(director, SIGKILL);
  const Show show = running.stop();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(restarts_of(show, "director").size() == 1);
  const auto scheduled = show.report.at("frames_scheduled").get<std::int64_t>();
  constexpr std::int64_t tick_ns = 1'000'000'000 / 60;
  for (const char* panel : {"c0r0", "c1r0", "c0r1", "c1r1"}) {
    CAPTURE(panel);
    const nlohmann::json frames = panel_report(show.report, panel).at("frames");
    REQUIRE_FALSE(frames.empty());
    const auto due_ns = [](const nlohmann::json& frame) {
      return frame.at("due_ns").get<std::int64_t>();
    };
    const std::int64_t shown = (due_ns(frames.back()) - due_ns(frames.front())) / tick_ns;
    CHECK(shown > scheduled - 9);
  }
}

TEST_CASE("a show goes on without its run directory, also when the director dies", "[play]") {
  const TemporaryFolder folder;
  LoopingShow running(folder, endless_frames);
  const pid_t supervisor = running.pid_of("supervisor");
  const pid_t director = running.pid_of("director");
  fs::remove_all(running.run_dir());
  ::kill(director, SIGKILL);
  const auto new_director = [&] {
    for (const pid_t child : children_named(supervisor, "tw-director"))
      if (child != director) return child;
    return pid_t{0};
  };
  REQUIRE(eventually([&] { return new_director() != 0; }));
  const Show show = running.stop();
  CAPTURE(show.program.err);
  CHECK(show.program.exit_code == 0);
  CHECK(show.report.at("frames_shown") > 0);
}

TEST_CASE("a killed clock daemon and a killed host service come back", "[play]") {
  const TemporaryFolder folder;
  constexpr int frames = 150;
  LoopingShow running(folder, frames);
  CHECK(running.kill_role("clockd") > 0);
  CHECK(running.kill_role("host") > 0);
  const Show show = running.finish();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(restarts_of(show, "clockd").size() == 1);
  const auto hosts = restarts_of(show, "host");
  REQUIRE(hosts.size() == 1);
  CHECK(hosts[0].at("host") == host_name());
  CHECK(hosts[0].at("back_s") >= hosts[0].at("at_s"));
  CHECK(restarts_of(show, "panel").empty());
  CHECK(show.report.at("frames_shown") == frames);
}

TEST_CASE("a show goes on while no process can be started", "[play]") {
  const TemporaryFolder folder;
  constexpr int frames = 400;
  LoopingShow running(folder, frames);
  {
    const NoNewProcesses none(running.pid_of("supervisor"));
    if (!none.works()) {
      WARN("skipped: this user may not limit processes by a control group");
      return;
    }
    ::kill(running.pid_of("director"), SIGKILL);
    ::kill(running.pid_of("clockd"), SIGKILL);
    CHECK(eventually([&] { return none.failed() >= 2; }));
  }
  const Show show = running.finish();
  CAPTURE(show.program.err);
  CHECK(show.program.exit_code == 0);
  CHECK_THAT(show.program.err, Catch::Contains("tilewall: the director: fork: ") &&
                                   Catch::Contains("tilewall: the clock daemon: fork: "));
  CHECK(show.report.at("frames_shown") == frames);
  CHECK(restarts_of(show, "clockd").size() == 1);
  CHECK(restarts_of(show, "director").size() == 1);
}

TEST_CASE("two walls side by side do not disturb each other", "[play]") {
  const TemporaryFolder left_folder;
  const TemporaryFolder right_folder;
  LoopingShow left(left_folder, 60);
  LoopingShow right(right_folder, 40);
  const Show right_show = right.finish();
  const Show left_show = left.finish();
  CHECK(right_show.program.exit_code == 0);
  CHECK(left_show.program.exit_code == 0);
  CHECK(right_show.report.at("frames_shown") == 40);
  CHECK(left_show.report.at("frames_shown") == 60);
}

TEST_CASE("a host service that fails to start is tried again until it does", "[play]") {
  const TemporaryFolder folder;
  LoopingShow running(folder, endless_frames);
  CHECK(running.break_host_service());
  CHECK(running.all_show());
  CHECK(running.stop().program.exit_code == 0);
}
