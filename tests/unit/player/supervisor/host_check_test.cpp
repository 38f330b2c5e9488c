// What is found out of the wall's hosts before a show, and what mpirun's messages are made into.

#include "player/supervisor/host_check.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <fstream>
#include <thread>

#include "player/supervisor/launch.hpp"
#include "tests/support/scoped_environment.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::supervisor;
using namespace tilewall::test;
using namespace tilewall::wall;
namespace fs = std::filesystem;

namespace {

HostQuestion question() {
  return {"left", "198.51.100.1", "ssh", "/opt/tilewall", "tilewall 0.1.0", 2, 5, 20};
}

std::string line_of(const HostAnswer& answer) {
  const auto fault = fault_of(question(), answer);
  return fault ? to_string(*fault) : "fit";
}

HostAnswer ended(int exit_code, const std::string& output) {
  return {HostStep::shell_ended, exit_code, output};
}

/// A program that takes the place of ssh: SHELL HOST COMMAND.
std::string write_shell(const TemporaryFolder& folder, const std::string& body) {
  const fs::path file = folder / "remote-shell";
  std::ofstream(file) << "#!/bin/sh\n" << body;
  fs::permissions(file, fs::perms::owner_all);
  return "mpirun --mca plm_rsh_agent " + file.string();
}

/// One panel per address, each on a host of its own.
Wall wall_of(const std::vector<std::string>& addresses) {
  Wall wall;
  for (const std::string& address : addresses) {
    const std::string name = "h" + std::to_string(wall.hosts.size());
    wall.hosts.push_back({name, address});
    Panel panel;
    panel.host = name;
    wall.panels.push_back(panel);
  }
  return wall;
}

std::vector<std::string> lines_of(const HostCheck& check) {
  std::vector<std::string> lines;
  for (const HostFault& fault : check.faults) lines.push_back(to_string(fault));
  return lines;
}

HostCheckOptions check_options(const TemporaryFolder& folder, const std::string& launcher) {
  HostCheckOptions options;
  options.launcher = launcher;
  options.log_folder = folder.path();
  options.limit = std::chrono::seconds(60);
  options.wait = [](std::chrono::milliseconds time) {
    std::this_thread::sleep_for(time);
    return true;
  };
  return options;
}

/// Of the remote shell that the launcher uses, or "none".
std::string shell_name(const std::string& launcher) {
  const auto shell = remote_shell_of(launcher);
  return shell ? shell->name() : "none";
}

}  // namespace

TEST_CASE("a host's fault names host, cause and remedy", "[supervisor]") {
  const std::string host = "host left (198.51.100.1): ";
  CHECK(line_of(ended(0, "tilewall 0.1.0\ntilewall 0.1.0\n")) == "fit");
  CHECK(line_of(ended(0, "Welcome to left!\r\ntilewall 0.1.0\r\ntilewall 0.1.0\r\n")) == "fit");
  CHECK(line_of(ended(0, "tilewall 0.1.0\n")) ==
        host +
            "its programs do not print their version: tilewall 0.1.0; install tilewall 0.1.0 "
            "in /opt/tilewall there");
  CHECK(line_of(ended(0, "tilewall 0.1.0\ntilewall 0.0.9\n")) ==
        host +
            "its programs are tilewall 0.0.9, those of this machine tilewall 0.1.0; install "
            "tilewall 0.1.0 in /opt/tilewall there");
  CHECK(line_of(ended(1, "tilewall-keeper: --version: expected pairs of --name and value\n")) ==
        host +
            "its programs are of an older tilewall; install tilewall 0.1.0 in /opt/tilewall "
            "there");
  CHECK(line_of(ended(127, "sh: 1: /opt/tilewall/tilewall-keeper: not found\n")) ==
        host + "no tilewall in /opt/tilewall; install tilewall 0.1.0 in /opt/tilewall there");
  CHECK(line_of(ended(127,
                      "tilewall-panel: error while loading shared libraries: libSDL2-2.0.so.0: "
                      "cannot open shared object file: No such file or directory\n")) ==
        host +
            "the library libSDL2-2.0.so.0 is missing there; install the packages that the "
            "README names");
  CHECK(line_of(ended(255, "me@198.51.100.1: Permission denied (publickey,password).\r\n")) ==
        host +
            "ssh does not let this user in without a password; give it a key: ssh-copy-id "
            "198.51.100.1");
  CHECK(line_of(ended(255, "ssh: connect to host 198.51.100.1 port 22: Connection refused\r\n")) ==
        host +
            "no ssh server listens there; install and start one there (Debian: "
            "openssh-server)");
  CHECK(line_of(ended(255, "strange\n")) ==
        host + "ssh ended with code 255: strange; try it by hand: ssh 198.51.100.1 true");
  CHECK(line_of({HostStep::slow_shell, 0, ""}) ==
        host +
            "ssh gave no answer within 5 s; check its address, power and firewall: ssh "
            "198.51.100.1 true");
  CHECK(line_of({HostStep::unfinished, 0, "Welcome to left!\n"}) ==
        host +
            "ssh began to answer, but did not finish within 20 s; check that host's load, and what "
            "its start files run: ssh 198.51.100.1 true");
  CHECK(line_of({HostStep::name, 0, "Name or service not known"}) ==
        host +
            "its name cannot be resolved (Name or service not known); correct its address in "
            "the wall file, or add it to /etc/hosts");
}

TEST_CASE("the remote shell is the one that mpirun is given", "[supervisor]") {
  const TemporaryFolder home;  // without a file of parameters
  const ScopedEnvironment moved("HOME", home.path().string());
  const ScopedEnvironment none("OMPI_MCA_plm_rsh_agent", "");
  const auto name = shell_name;
  CHECK(name("mpirun") == "ssh");
  CHECK(name("/usr/bin/mpiexec --mca btl tcp,self") == "ssh");
  CHECK(name("mpirun --mca plm_rsh_agent /bin/sh --mca plm_rsh_no_tree_spawn 1") == "sh");
  CHECK(name("mpirun --mca plm slurm") == "none");
  CHECK(name("false") == "none");
  {
    const ScopedEnvironment missing("OMPI_MCA_plm_rsh_agent", "nosuch -x : : missing -y");
    CHECK(remote_shell_of("mpirun")->words == std::vector<std::string>{"nosuch", "-x"});
  }
  const ScopedEnvironment given("OMPI_MCA_plm_rsh_agent", "nosuch -x : sh -e");
  const auto shell = remote_shell_of("mpirun");
  REQUIRE(shell);
  CHECK(shell->words == std::vector<std::string>{"sh", "-e"});
  CHECK_FALSE(shell->is_ssh());
}

TEST_CASE("the remote shell's synonyms, files and batch systems are mpirun's", "[supervisor]") {
  const TemporaryFolder home;
  const ScopedEnvironment moved("HOME", home.path().string());
  const ScopedEnvironment none("OMPI_MCA_plm_rsh_agent", "");
  CHECK(shell_name("mpirun --mca pls_rsh_agent sh") == "sh");
  CHECK(shell_name("mpirun --mca orte_rsh_agent sh") == "sh");
  {
    const ScopedEnvironment engine("PE_HOSTFILE", "/spool/hosts");
    CHECK(shell_name("mpirun") == "none");
    CHECK(shell_name("mpirun --mca plm rsh") == "none");
    CHECK(shell_name("mpirun --mca plm_rsh_agent sh") == "sh");
  }
  {
    const ScopedEnvironment leveler("LOADL_STEP_ID", "7");
    CHECK(shell_name("mpirun") == "none");
  }
  for (const char* const variable : {"SLURM_JOBID", "PBS_JOBID", "LSB_JOBID"}) {
    CAPTURE(variable);
    const ScopedEnvironment job(variable, "7");
    CHECK(shell_name("mpirun --mca plm_rsh_agent sh") == "none");
  }
  {
    const ScopedEnvironment slurm("SLURM_JOB_ID", "7");
    CHECK(shell_name("mpirun --mca plm_rsh_agent sh") == "none");
    CHECK(shell_name("mpirun --mca plm rsh") == "ssh");
  }
  fs::create_directory(home / ".openmpi");
  std::ofstream(home / ".openmpi" / "mca-params.conf")
      << "# orte_rsh_agent = env\nbtl = self,tcp\n\torte_rsh_agent = sh -e \nplm_rsh_args = -u\n";
  const auto shell = remote_shell_of("mpirun");
  REQUIRE(shell);
  CHECK(shell->words == std::vector<std::string>{"sh", "-e", "-u"});
  CHECK(shell_name("mpirun --mca plm_rsh_agent env") == "env");
  {
    const ScopedEnvironment given("OMPI_MCA_pls_rsh_agent", "env");
    CHECK(shell_name("mpirun") == "env");
  }
  const std::string tune = (home / "tune.conf").string();
  const std::string second = (home / "second.conf").string();
  std::ofstream(tune) << "# -mca plm_rsh_agent cat\n-x A=b -mca btl self --mca plm_rsh_agent \"sh "
                         "-p 22\" # its port\n";
  std::ofstream(second) << "plm_rsh_agent = cat\n";
  const auto tuned = remote_shell_of("mpirun --tune " + tune);
  REQUIRE(tuned);
  CHECK(tuned->words == std::vector<std::string>{"sh", "-p", "22", "-u"});
  CHECK(shell_name("mpirun -tune " + second) == "cat");
  CHECK(shell_name("mpirun --tune " + tune + "," + second) == "sh");
  CHECK(shell_name("mpirun --tune " + tune + " --tune " + second) == "cat");
  const std::string twice = (home / "twice.conf").string();
  std::ofstream(twice) << "-mca plm_rsh_agent cat\n-mca btl self\n-mca plm_rsh_agent sh\n";
  CHECK(shell_name("mpirun --tune " + twice) == "sh");  // the last line
  CHECK(shell_name("mpirun --am " + second) == "sh");   // the user's: mpirun itself ignores --am
  CHECK(shell_name("mpirun --tune " + second + " --mca plm_rsh_agent env") == "env");
  {
    const ScopedEnvironment given("OMPI_MCA_plm_rsh_agent", "env");
    CHECK(shell_name("mpirun --tune " + second) == "env");
  }
  std::ofstream(home / ".openmpi" / "mca-params.conf") << "plm = slurm\n";
  CHECK(shell_name("mpirun") == "none");
}

TEST_CASE("a word for the remote shell is quoted but where all letters are plain", "[supervisor]") {
  CHECK(shell_word("/opt/tilewall-0.1.0+a_b/tilewall-keeper") ==
        "/opt/tilewall-0.1.0+a_b/tilewall-keeper");
  CHECK(shell_word("/opt/a b") == "'/opt/a b'");
  for (const char* const text : {"/a!b", "/a{b,c}", "/a%b", "/a=b", "/a^b", "/a\nb", "/\xc3\xa4"})
    CHECK(shell_word(text) == "'" + std::string(text) + "'");
  CHECK(shell_word("it's") == "'it'\\''s'");
  CHECK(shell_word("") == "''");
}

TEST_CASE("all hosts are looked at by the launcher's remote shell, but for this machine",
          "[supervisor]") {
  const TemporaryFolder folder;
  const std::string launcher =
      write_shell(folder,
                  "case $1 in\n"
                  "198.51.100.1) echo 'No route to host' >&2; exit 255 ;;\n"
                  "198.51.100.2) echo tilewall 0.0.1 ;;\n"
                  "*) exit 127 ;;\n"
                  "esac\n");
  const std::vector<std::string> lines = lines_of(check_hosts(
      wall_of({"127.0.0.1", "198.51.100.1", "nosuch.invalid", "198.51.100.2", "198.51.100.3"}),
      check_options(folder, launcher)));
  REQUIRE(lines.size() == 4);
  CHECK_THAT(lines[0], Catch::StartsWith("host h1 (198.51.100.1): it is not reachable: no route"));
  CHECK_THAT(lines[1],
             Catch::StartsWith("host h2 (nosuch.invalid): its name cannot be resolved ("));
  CHECK_THAT(lines[2], Catch::StartsWith(
                           "host h3 (198.51.100.2): its programs are tilewall 0.0.1, those of"));
  CHECK_THAT(lines[3], Catch::StartsWith("host h4 (198.51.100.3): no tilewall in "));
}

TEST_CASE("a host's programs are asked for their versions up to the first that fails",
          "[supervisor]") {
  const TemporaryFolder folder;
  const fs::path asked = folder / "asked";
  const std::string launcher =
      write_shell(folder, "echo \"$2\" > " + asked.string() + "\nexit 127\n");
  static_cast<void>(check_hosts(wall_of({"198.51.100.1"}), check_options(folder, launcher)));
  std::string command;
  std::getline(std::ifstream(asked), command);
  std::string expected;
  for (const char* const program : {"tilewall-keeper", "tilewall-panel", "tilewall-host"})
    expected += (expected.empty() ? "" : " && ") + own_program(program).string() + " --version";
  CHECK(command == expected);
}

TEST_CASE("a remote shell that gives no answer is ended, and is told from one that is missing",
          "[supervisor]") {
  const TemporaryFolder folder;
  HostCheckOptions options = check_options(folder, write_shell(folder, "exec sleep 1000\n"));
  options.limit = std::chrono::seconds(2);
  const std::vector<std::string> slow = lines_of(check_hosts(wall_of({"198.51.100.1"}), options));
  REQUIRE(slow.size() == 1);
  CHECK_THAT(slow[0], Catch::Contains("remote-shell gave no answer within 2 s"));
  const std::vector<std::string> missing = lines_of(check_hosts(
      wall_of({"198.51.100.1"}), check_options(folder, "mpirun --mca plm_rsh_agent /no/shell")));
  REQUIRE(missing.size() == 1);
  CHECK_THAT(missing[0], Catch::Contains("shell is not installed on this machine"));
}

TEST_CASE("a host that begins to answer and does not finish is told so", "[supervisor]") {
  const TemporaryFolder folder;
  HostCheckOptions options =
      check_options(folder, write_shell(folder, "echo Welcome\nexec sleep 1000\n"));
  options.limit = std::chrono::seconds(3);
  options.more = std::chrono::milliseconds(0);
  const std::vector<std::string> lines = lines_of(check_hosts(wall_of({"198.51.100.1"}), options));
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0],
             Catch::Contains("remote-shell began to answer, but did not finish within 3 s"));
}

TEST_CASE("the check of hosts ends when the user wants to stop", "[supervisor]") {
  const TemporaryFolder folder;
  HostCheckOptions options = check_options(folder, write_shell(folder, "exec sleep 1000\n"));
  options.wait = [](std::chrono::milliseconds) { return false; };
  CHECK_THROWS_WITH(check_hosts(wall_of({"198.51.100.1"}), options),
                    "interrupted before the show began");
}

TEST_CASE("programs of this version but of another build get a line with both", "[supervisor]") {
  HostQuestion asked = question();
  asked.builds = {{"tilewall-keeper", "0a1b2c"}, {"tilewall-panel", "3d4e5f"}};
  const auto note = [&](const std::string& keeper, const std::string& panel) {
    return build_note(
        asked, ended(0, "Welcome!\r\ntilewall 0.1.0\r\n" + keeper + "tilewall 0.1.0\n" + panel));
  };
  CHECK(note("build 0a1b2c\r\n", "build 3d4e5f\n").empty());
  CHECK(note("", "").empty());  // programs that have no build id
  CHECK(note("build 99aa00\n", "").empty());
  CHECK(note("build 99aa00\n", "build 3d4e5f\nbuild 0a1b2c\n").empty());
  CHECK(note("build 0a1b2c\n", "build 99aa00\n") ==
        "host left: its tilewall-panel is build 99aa00 of tilewall 0.1.0, this machine's is build "
        "3d4e5f; install the same build on all hosts");
  asked.builds[1].build = "";
  CHECK(note("build 0a1b2c\n", "build 99aa00\n").empty());
}

TEST_CASE("a fit host of another build is noted, and no fault", "[supervisor]") {
  const TemporaryFolder folder;
  const std::string launcher = write_shell(folder,
                                           "sh -c \"$2\" | if [ $1 = 198.51.100.1 ]\n"
                                           "then cat\n"
                                           "else sed 's/^build .*/build 0123456789ab/'\n"
                                           "fi\n");
  const HostCheck check =
      check_hosts(wall_of({"198.51.100.1", "198.51.100.2"}), check_options(folder, launcher));
  CHECK(lines_of(check).empty());
  REQUIRE(check.notes.size() == 1);
  CHECK_THAT(check.notes.front(),
             Catch::StartsWith("host h1: its tilewall-keeper is build 0123456789ab of tilewall"));
}

TEST_CASE("mpirun's messages are told by what happened, not by their last line", "[supervisor]") {
  const std::string rule(74, '-');
  const std::string guesses =
      "\nThis usually is caused by:\n\n* an inability to create a connection "
      "back to mpirun due to a\n  lack of common network interfaces. Please "
      "check network connectivity (including firewalls\n  and network "
      "routing requirements).\n" +
      rule + "\n";
  const std::string unable =
      rule + "\nORTE was unable to reliably start one or more daemons." + guesses;
  CHECK(launch_summary("") == "");
  CHECK(launch_summary("root@a: Permission denied (publickey).\n" + unable) ==
        "root@a: Permission denied (publickey).");
  CHECK_THAT(launch_summary("bash: line 1: orted: command not found\n" + unable),
             Catch::StartsWith("a host has no orted, which is a part of Open MPI: install"));
  CHECK_THAT(launch_summary(unable), Catch::StartsWith("mpirun could not start its daemon on a "));
  CHECK_THAT(launch_summary(rule +
                            "\nThere are not enough slots available in the system to "
                            "satisfy the 99\nslots that were requested\n\n  x\n" +
                            rule + "\n"),
             Catch::Contains("add --oversubscribe"));
  CHECK(launch_summary(rule +
                       "\nmpirun was unable to launch the specified application as it could not "
                       "access\nor execute an executable:\n\nExecutable: /no/such\nNode: vm\n\n"
                       "while attempting to start process rank 0.\n" +
                       rule + "\n") ==
        "mpirun was unable to launch the specified application as it could not access or execute "
        "an executable: Executable: /no/such Node: vm");
  CHECK(launch_summary(
            "mpirun: Error: unknown option \"--foo\"\nType 'mpirun --help' for usage.\n") ==
        "mpirun: Error: unknown option \"--foo\"");
  CHECK(
      launch_summary(rule +
                     "\nPrimary job  terminated normally, but 1 process returned\na "
                     "non-zero exit code.\n" +
                     rule + "\n" + rule +
                     "\nmpirun noticed that process rank 0 with PID 0 on node vm exited on signal "
                     "9 (Killed).\n" +
                     rule + "\n") ==
      "mpirun noticed that process rank 0 with PID 0 on node vm exited on signal 9 (Killed).");
  CHECK(launch_summary(std::string(5000, 'x')).size() == 300);
  const std::string pipes =
      "[vm:1] ORTE_ERROR_LOG: The system limit on number of pipes a process "
      "can open was reached in file x.c at line 642\n";
  CHECK_THAT(known_launch_trouble(pipes + pipes),
             Catch::StartsWith("mpirun on a host may open too"));
  CHECK(known_launch_trouble("nothing known\n").empty());
}

TEST_CASE("of logs, lines of our programs are quoted that the error lacks", "[supervisor]") {
  const std::string log =
      "libEGL warning: nothing\ntilewall-panel: eventfd: Too many open files\n"
      "libEGL warning: nothing\n";
  CHECK(line_to_quote(log, "no picture from panel c0r0 within 10 s") ==
        "tilewall-panel: eventfd: Too many open files");
  CHECK(line_to_quote(log, "panel c0r0: eventfd: Too many open files").empty());
  CHECK(line_to_quote("tilewall-keeper: panel 0 on h1 ended with code 1: " + log.substr(24),
                      "panel c0r0: eventfd: Too many open files")
            .empty());
  CHECK(line_to_quote("libEGL warning: nothing\n", "").empty());
  CHECK(line_to_quote("tilewall: no room for a picture\n", "") ==
        "tilewall: no room for a picture");
}
