// Launchers of hosts, played by shell scripts.

#include "player/supervisor/host_launchers.hpp"

#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "sync/base/error.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::supervisor;
using namespace tilewall::test;
using namespace tilewall::wall;
namespace fs = std::filesystem;

namespace {

/// A wall with a panel for each of these hosts; "" is this machine.
Wall wall_with(const std::vector<std::string>& hosts) {
  Wall wall;
  for (const std::string& name : hosts) {
    Panel panel;
    panel.host = name;
    wall.panels.push_back(panel);
    if (!name.empty() && wall.find_host(name) == nullptr)
      wall.hosts.push_back({name, "198.51.100." + name.substr(1)});
  }
  return wall;
}

constexpr const char* up = "echo '[tilewall-keeper keeps panels 0]'; ";
constexpr const char* stays = "exec sleep 1000";

/// Launchers whose program is a script with the arguments HOST PANELS KEEPER...
class Launchers {
 public:
  Launchers(const std::vector<std::string>& hosts, const std::string& script) {
    write_script("launcher", script);
    settings_.launch.launcher = "sh " + (folder_ / "launcher").string() + " {host} {panels}";
    settings_.several_hosts = true;
    settings_.logs = settings_.pids = folder_.path();
    settings_.first_pause = settings_.longest_pause = std::chrono::milliseconds(50);
    settings_.since_start_s = [] { return 1.0; };
    hosts_ = launch_hosts(wall_with(hosts), false);
  }
  ~Launchers() {
    if (!launchers_) return;
    launchers_->stop_restarting();
    for (const auto& entry : fs::directory_iterator(folder_.path()))
      if (entry.path().filename().string().starts_with("mpirun"))
        ::kill(pid_in(entry.path()), SIGKILL);
    while (launchers_->any_runs()) take_ends();
  }

  void write_script(const std::string& name, const std::string& body) const {
    std::ofstream(folder_ / name) << "#!/bin/sh\n" << body << '\n';
    fs::permissions(folder_ / name, fs::perms::owner_all);
  }

  void start(const std::vector<HostFault>& unfit = {}) {
    launchers_.emplace(hosts_, settings_);
    launchers_->start(unfit);
  }

  bool comes_to(const std::function<bool()>& condition) {
    return eventually([&] {
      take_ends();
      for (std::string& line : launchers_->look()) lines.push_back(std::move(line));
      return condition();
    });
  }

  /// The same until all have failed: nothing is started again meanwhile.
  bool all_fail() {
    return eventually([&] {
      take_ends();
      return launchers_->all_have_failed();
    });
  }

  [[nodiscard]] HostLaunchers& launchers() { return *launchers_; }
  [[nodiscard]] HostLauncher::Settings& settings() { return settings_; }
  [[nodiscard]] pid_t pid(const std::string& file) const { return pid_in(folder_ / file); }
  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }

  std::vector<std::string> lines;

 private:
  static pid_t pid_in(const fs::path& file) {
    pid_t pid = 0;
    std::ifstream(file) >> pid;
    return pid;
  }

  void take_ends() {
    while (const auto end = reap_any()) launchers_->take_end(*end);
  }

  TemporaryFolder folder_;
  HostLauncher::Settings settings_;
  std::vector<LaunchHost> hosts_;
  std::optional<HostLaunchers> launchers_;
};

}  // namespace

TEST_CASE("hosts of a wall are machines with their panels", "[supervisor]") {
  Wall wall = wall_with({"", "h1", "h2", "h1", ""});
  const auto hosts = launch_hosts(wall, false);
  REQUIRE(hosts.size() == 3);
  CHECK(hosts[0].panels == std::vector<int>{0, 4});
  CHECK(hosts[0].is_this_machine());
  CHECK(hosts[0].file_name("mpirun") == "mpirun");
  CHECK(hosts[1].panels == std::vector<int>{1, 3});
  CHECK(hosts[1].file_name("mpirun") == "mpirun-h1");
  CHECK(launch_hosts(wall, true).size() == 1);
  CHECK(launch_hosts(wall, true)[0].panels.size() == 5);
  wall.hosts[1].address = wall.hosts[0].address;
  const auto merged = launch_hosts(wall, false);
  REQUIRE(merged.size() == 2);
  CHECK(merged[1].names == std::vector<std::string>{"h1", "h2"});
  CHECK(merged[1].panels == std::vector<int>{1, 2, 3});
}

TEST_CASE("a launcher is mpirun with options, or a template", "[supervisor]") {
  const LaunchHost host{"198.51.100.1", {"h1"}, {3, 4, 5}};
  LaunchOptions options;
  options.launcher = "srun --nodelist={host} --ntasks=1 --cpus-per-task={panels}";
  const auto filled = launch_arguments(host, options, true);
  REQUIRE(filled.size() > 6);
  CHECK(std::vector(filled.begin(), filled.begin() + 4) ==
        std::vector<std::string>{"srun", "--nodelist=198.51.100.1", "--ntasks=1",
                                 "--cpus-per-task=3"});
  CHECK(filled[5] == "--panels");
  CHECK(filled[6] == "3,4,5");
  options.launcher = "mpirun --mca plm_rsh_agent ssh";
  const auto by_mpirun = launch_arguments(host, options, true);
  CHECK(by_mpirun[0] == "mpirun");
  CHECK(std::ranges::find(by_mpirun, "198.51.100.1") != by_mpirun.end());
  const auto at_home = launch_arguments({"localhost", {""}, {0}}, options, false);
  CHECK(std::ranges::find(at_home, "--host") == at_home.end());

  CHECK_NOTHROW(check_launch_template("mpirun --mca a b", true));
  CHECK_NOTHROW(check_launch_template("srun -w {host}", true));
  CHECK_NOTHROW(check_launch_template("srun -n {panels}", false));
  CHECK_THROWS_WITH(check_launch_template("srun -n {panels}", true),
                    "--launcher: expected {host} for a wall of several hosts, found srun -n "
                    "{panels}");
  CHECK_THROWS_WITH(check_launch_template("srun -w {node}", true),
                    "--launcher: expected no braces but {host} and {panels}, found {node}");
  CHECK_THROWS_WITH(check_launch_template(" ", false),
                    "--launcher: expected a program, found nothing");
}

TEST_CASE("launchers that fail on all hosts are not tried again", "[supervisor]") {
  Launchers launchers({"h1", "h2"}, "echo no keeper here >&2; exit 3");
  launchers.start();
  REQUIRE(launchers.all_fail());
  const auto faults = launchers.launchers().faults();
  REQUIRE(faults.size() == 2);
  CHECK(faults[1].host == "h2");
  CHECK(faults[1].cause == "sh ended with code 3: no keeper here");
  REQUIRE(launchers.launchers().first_failed() != nullptr);
  CHECK(launchers.launchers().first_failed()->failure()->exit_code == 3);
}

TEST_CASE("of hosts that all fail, the first whose launcher ran says how", "[supervisor]") {
  Launchers launchers({"h1", "h2"}, "exit 3");
  launchers.start({{"h1", "198.51.100.1", "it is off", "switch it on"}});
  REQUIRE(launchers.all_fail());
  const HostLauncher* const failed = launchers.launchers().first_failed();
  REQUIRE(failed != nullptr);
  REQUIRE(failed->failure());
  CHECK(failed->failure()->exit_code == 3);
  CHECK(failed->fault()->host == "h2");
}

TEST_CASE("a killed launcher is started again, and the others are left alone", "[supervisor]") {
  Launchers launchers({"", "h1"}, std::string(up) + stays);
  launchers.start();
  const auto all_up = [&] { return launchers.launchers().faults().empty(); };
  REQUIRE(launchers.comes_to([&] {
    return fs::exists(launchers.folder() / "launcher.log") &&
           fs::file_size(launchers.folder() / "launcher.log") > 0;
  }));
  const pid_t here = launchers.pid("mpirun");
  const pid_t there = launchers.pid("mpirun-h1");
  ::kill(here, SIGKILL);
  REQUIRE(launchers.comes_to([&] { return launchers.pid("mpirun") != here; }));
  CHECK(launchers.comes_to([&] {
    const auto restarts = launchers.launchers().restarts();
    return restarts.size() == 1 && restarts[0].at("back_s").is_number();
  }));
  CHECK(launchers.pid("mpirun-h1") == there);
  CHECK(::kill(there, 0) == 0);
  CHECK(all_up());
  CHECK(launchers.lines.empty());
}

TEST_CASE("a launcher that is killed while it starts is no fault of its host", "[supervisor]") {
  Launchers launchers({"h1"}, "if [ -e \"$0.once\" ]; then " + std::string(up) + "fi\n" +
                                  "touch \"$0.once\"; " + stays);
  launchers.start();
  REQUIRE(launchers.comes_to([&] { return fs::exists(launchers.folder() / "launcher.once"); }));
  const pid_t first = launchers.pid("mpirun-h1");
  ::kill(first, SIGKILL);
  REQUIRE(launchers.comes_to([&] {
    return launchers.pid("mpirun-h1") != first &&
           fs::file_size(launchers.folder() / "launcher-h1.log") > 0;
  }));
  CHECK(launchers.lines.empty());
  CHECK(launchers.launchers().faults().empty());
  CHECK(launchers.launchers().restarts().empty());
}

TEST_CASE("a launcher that ends with code 0 has lost its host, and is tried again",
          "[supervisor]") {
  Launchers launchers(
      {"h1"}, std::string(up) + "[ -e \"$0.once\" ] && " + stays + "\ntouch \"$0.once\"; exit 0");
  launchers.start();
  REQUIRE(launchers.comes_to([&] {
    const auto restarts = launchers.launchers().restarts();
    return restarts.size() == 1 && restarts[0].at("back_s").is_number();
  }));
  CHECK(launchers.launchers().faults().empty());
}

TEST_CASE("a host that was lost is checked and tried again at once", "[supervisor]") {
  Launchers launchers(
      {"h1"}, std::string(up) + "[ -e \"$0.once\" ] && " + stays + "\ntouch \"$0.once\"; exit 0");
  launchers.write_script("shell", "exec sh -c \"$2\"");
  launchers.settings().shell = RemoteShell{{(launchers.folder() / "shell").string()}};
  launchers.settings().first_pause = launchers.settings().longest_pause = std::chrono::hours(1);
  launchers.start();
  REQUIRE(launchers.comes_to([&] { return launchers.lines.size() >= 2; }));
  CHECK_THAT(launchers.lines[0], Catch::Contains("sh ended with code 0"));
  CHECK(launchers.lines[1] == "host h1: its panels are started now");
  CHECK(launchers.launchers().restarts().size() == 1);
}

TEST_CASE("what an earlier launcher has printed is no sign of the next one", "[supervisor]") {
  Launchers launchers({"h1"}, "if [ ! -e \"$0.once\" ]; then " + std::string(up) +
                                  "touch \"$0.once\"; exit 0; fi\n" + stays);
  launchers.settings().start_limit = std::chrono::milliseconds(300);
  launchers.start();
  REQUIRE(launchers.comes_to([&] { return !launchers.lines.empty(); }));
  CHECK_THAT(launchers.lines[0], Catch::Contains("did not start tilewall-keeper"));
  CHECK_FALSE(launchers.launchers().all_have_failed());  // the host was there once
}

TEST_CASE("a launcher's end is told with its signal, or its code and what it has printed",
          "[supervisor]") {
  const auto cause_of = [](const std::string& script) {
    Launchers launchers({"h1"}, script);
    launchers.start();
    REQUIRE(launchers.all_fail());
    return launchers.launchers().faults().at(0).cause;
  };
  CHECK(cause_of("kill -SEGV $$") == "sh died (signal 11)");
  CHECK(cause_of("exit 3") == "sh ended with code 3 and printed nothing");
}

TEST_CASE("a launcher that does not come up is ended, and is tried again", "[supervisor]") {
  Launchers launchers(
      {"h1", "h2"}, "[ $1 = 198.51.100.1 ] || [ -e \"$0.once\" ] && {\n" + std::string(up) + stays +
                        "\n}\ntouch \"$0.once\"\ntrap '' TERM\nwhile :; do sleep 1; done");
  launchers.settings().start_limit = std::chrono::milliseconds(300);
  launchers.settings().end_limit = std::chrono::milliseconds(50);
  launchers.start();
  REQUIRE(launchers.comes_to([&] { return launchers.lines.size() >= 2; }));
  CHECK(launchers.lines[0] ==
        "host h2 (198.51.100.2): sh did not start tilewall-keeper within 1 s; read "
        "logs/launcher-h2.log (the show goes on without its panels, and tries again)");
  CHECK(launchers.lines[1] == "host h2: its panels are started now");
}

TEST_CASE("a launcher that is replaced is no fault of its host, however it ends", "[supervisor]") {
  // As mpirun, it answers SIGTERM with an end of its own.
  Launchers launchers({"", "h1"},
                      std::string(up) + "trap 'exit 1' TERM\nwhile :; do sleep 0.01; done");
  launchers.settings().shell = RemoteShell{{"false"}};  // a check would find a fault
  launchers.start();
  REQUIRE(launchers.comes_to([&] {
    const fs::path log = launchers.folder() / "launcher-h1.log";
    return fs::exists(log) && fs::file_size(log) > 0 && launchers.pid("mpirun") != 0;
  }));
  const pid_t here = launchers.pid("mpirun");
  const pid_t there = launchers.pid("mpirun-h1");
  launchers.launchers().replace(1);
  CHECK(launchers.comes_to([&] {
    const auto restarts = launchers.launchers().restarts();
    return restarts.size() == 1 && restarts[0].at("back_s").is_number();
  }));
  CHECK(launchers.launchers().restarts().at(0).at("host") == "h1");
  CHECK(launchers.pid("mpirun-h1") != there);
  CHECK(launchers.pid("mpirun") == here);
  CHECK(launchers.lines.empty());
  CHECK(launchers.launchers().faults().empty());
}

TEST_CASE("no launcher is replaced once the show ends", "[supervisor]") {
  Launchers launchers({""}, std::string(up) + stays);
  launchers.start();
  REQUIRE(launchers.comes_to([&] { return launchers.pid("mpirun") != 0; }));
  launchers.launchers().stop_restarting();
  launchers.launchers().replace(0);
  static_cast<void>(launchers.launchers().look());
  CHECK(launchers.launchers().any_runs());
  CHECK(launchers.launchers().restarts().empty());
}

TEST_CASE("an unfit host is checked until it is fit, and joins then", "[supervisor]") {
  Launchers launchers({"h1", "h2"}, std::string(up) + stays);
  launchers.write_script("shell",
                         "if [ -e \"$0.fit\" ]; then exec sh -c \"$2\"; fi\n"
                         "echo 'connect to host port 22: Connection refused' >&2; exit 255");
  launchers.settings().shell = RemoteShell{{(launchers.folder() / "shell").string()}};
  launchers.start({{"h2", "198.51.100.2", "it is off", "switch it on"}});
  REQUIRE(launchers.comes_to([&] { return launchers.lines.size() >= 2; }));
  CHECK_THAT(launchers.lines[0], Catch::StartsWith("host h2 (198.51.100.2): it is off; switch"));
  CHECK_THAT(launchers.lines[1], Catch::Contains("no ssh server listens there"));
  CHECK(launchers.pid("mpirun-h2") == 0);
  std::ofstream(launchers.folder() / "shell.fit") << "yes";
  REQUIRE(launchers.comes_to([&] { return launchers.lines.size() >= 3; }));
  CHECK(launchers.lines[2] == "host h2: its panels are started now");
  CHECK(launchers.launchers().faults().empty());
  CHECK(launchers.pid("mpirun-h2") != 0);
}

TEST_CASE("launchers that start at once have folders of their own", "[supervisor]") {
  LaunchOptions options;
  options.run_dir = "/run";
  std::set<std::string> folders;
  for (const int panel : {0, 3}) {
    const LaunchHost host{"10.0.0.1", {"h"}, {panel, panel + 1}};
    for (const auto& [name, value] : launch_environment(host, options))
      if (name == "OMPI_MCA_orte_tmpdir_base") folders.insert(value);
  }
  CHECK(folders == std::set<std::string>{"/run/mpi0", "/run/mpi3"});
}
