// `tilewall play` at a terminal of its own: the line, the keys, and the terminal given back however
// the show ends or stops.

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "sync/base/handle.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

/// bash with job control, as users have it, on a terminal of 100 columns that the test types at.
class TerminalShell {
 public:
  explicit TerminalShell(const std::string& script) {
    winsize size = {};
    size.ws_row = 24;
    size.ws_col = 100;
    int master = -1;
    pid_ = ::forkpty(&master, nullptr, nullptr, &size);
    if (pid_ == 0) {
      ::setenv("TERM", "xterm", 1);
      ::execlp("bash", "bash", "-c", ("set -m\n" + script).c_str(), nullptr);
      ::_exit(127);
    }
    master_ = UniqueFd(master);
  }
  ~TerminalShell() {
    master_.reset();  // hangs up
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  TerminalShell(const TerminalShell&) = delete;
  TerminalShell& operator=(const TerminalShell&) = delete;

  /// Closes the terminal, as a window that is closed or a lost connection does.
  void hang_up() { master_.reset(); }

  void type(const std::string& keys) {
    REQUIRE(::write(master_.get(), keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }

  /// Whether the terminal comes to show the text after what was seen before.
  bool comes(const std::string& text) {
    return eventually([&] {
      read_more();
      const std::size_t at = shown_.find(text, seen_);
      if (at == std::string::npos) return false;
      seen_ = at + text.size();
      return true;
    });
  }

  /// Whether keys come one by one and unseen, as a show takes them.
  [[nodiscard]] bool is_taken() const {
    termios mode = {};
    return ::tcgetattr(master_.get(), &mode) == 0 && (mode.c_lflag & (ICANON | ECHO)) == 0;
  }

 private:
  void read_more() {
    std::array<char, 4096> bytes = {};
    pollfd waiting = {master_.get(), POLLIN, 0};
    while (::poll(&waiting, 1, 0) > 0 && (waiting.revents & POLLIN) != 0) {
      const ssize_t got = ::read(master_.get(), bytes.data(), bytes.size());
      if (got <= 0) return;
      shown_.append(bytes.data(), static_cast<std::size_t>(got));
    }
  }

  pid_t pid_ = 0;
  UniqueFd master_;
  std::string shown_;
  std::size_t seen_ = 0;
};

std::string play_command(const fs::path& run_dir) {
  return tilewall_program + " play pattern:count --headless --fps 10 --wall " +
         test_wall("two-by-one.toml") + " --run-dir " + run_dir.string();
}

nlohmann::json status_of(const fs::path& run_dir) {
  const ProgramResult status =
      run_program({tilewall_program, "ctl", "status", "--json", "--run-dir", run_dir.string()});
  return nlohmann::json::parse(status.out, nullptr, false);
}

bool is_paused(const fs::path& run_dir) {
  const auto status = status_of(run_dir);
  return status.is_object() && status.at("phase") == "paused";
}

/// The frame that the show is at; -1 where it is not known.
std::int64_t frame_of(const fs::path& run_dir) {
  const auto status = status_of(run_dir);
  const bool known = status.is_object() && status.at("frame").is_number_integer();
  return known ? status.at("frame").get<std::int64_t>() : -1;
}

}  // namespace

TEST_CASE("a terminal shows a line, takes keys, and is given back for Ctrl-Z and at the end",
          "[play][terminal]") {
  const TemporaryFolder folder;
  const fs::path run = folder / "run";
  TerminalShell shell(play_command(run) + "\necho stopped; stty -a; read -r line\nfg\n" +
                      "echo rc=$?; stty -a; read -r line");
  REQUIRE(shell.comes("frame "));
  CHECK(shell.comes(" late  127.0.0.1:"));
  CHECK(shell.comes("q quits"));
  CHECK(shell.is_taken());
  shell.type(" ");
  CHECK(eventually([&] { return is_paused(run); }));
  CHECK(shell.comes("paused  frame "));
  shell.type("\x1a");  // Ctrl-Z
  REQUIRE(shell.comes("stopped"));
  CHECK(shell.comes(" icanon"));
  CHECK_FALSE(shell.is_taken());
  shell.type("\n");
  CHECK(shell.comes("paused  frame "));
  CHECK(eventually([&] { return shell.is_taken(); }));
  shell.type("\033[C");
  shell.type("q");
  REQUIRE(shell.comes("rc=0"));
  CHECK(shell.comes(" icanon"));
  CHECK_FALSE(shell.is_taken());
}

TEST_CASE("a show goes on at a terminal that takes no output", "[play][terminal]") {
  const TemporaryFolder folder;
  const fs::path run = folder / "run";
  TerminalShell shell(play_command(run) + "\necho rc=$?; read -r line");
  REQUIRE(shell.comes("q quits"));
  REQUIRE(eventually([&] { return frame_of(run) >= 0; }));  // its panels have gathered
  shell.type("\x13");                                       // Ctrl-S
  const std::int64_t first = frame_of(run);
  CHECK(eventually([&] { return frame_of(run) >= first + 8; }));  // a few lines are due meanwhile
  shell.type(" ");
  CHECK(eventually([&] { return is_paused(run); }));
  shell.type("\x11");  // Ctrl-Q
  CHECK(shell.comes("paused  frame "));
  shell.type("q");
  CHECK(shell.comes("rc=0"));
}

TEST_CASE("keys and the status line go on after the director's death", "[play][terminal]") {
  const TemporaryFolder folder;
  const fs::path run = folder / "run";
  TerminalShell shell(play_command(run) + "\necho rc=$?; read -r line");
  REQUIRE(shell.comes("q quits"));
  REQUIRE(eventually([&] { return frame_of(run) >= 0; }));
  const pid_t director = pid_in(run / "pids" / "director");
  ::kill(director, SIGKILL);
  REQUIRE(eventually([&] { return pid_in(run / "pids" / "director") != director; }));
  shell.type(" ");
  CHECK(eventually([&] { return is_paused(run); }));
  CHECK(shell.comes("1 process was restarted"));
  shell.type("q");
  CHECK(shell.comes("rc=0"));
}

TEST_CASE("the terminal is given back on SIGTERM and on Ctrl-C", "[play][terminal]") {
  for (const bool by_signal : {true, false}) {
    CAPTURE(by_signal);
    const TemporaryFolder folder;
    const fs::path run = folder / "run";
    TerminalShell shell(play_command(run) + "\necho rc=$?; stty -a; read -r line");
    REQUIRE(shell.comes("q quits"));
    CHECK(shell.is_taken());
    if (by_signal)
      ::kill(pid_in(run / "pids" / "supervisor"), SIGTERM);
    else
      shell.type("\x03");
    REQUIRE(shell.comes("rc="));
    CHECK(shell.comes(" icanon"));
    CHECK_FALSE(shell.is_taken());
  }
}

TEST_CASE("without a terminal one line says how to control the show", "[play][terminal]") {
  const TemporaryFolder folder;
  const fs::path run = folder / "run";
  const auto play = [&](const Words& more) {
    Words words = {tilewall_program, "play",      "pattern:count", "--headless",
                   "--frames",       "2",         "--wall",        test_wall("two-by-one.toml"),
                   "--run-dir",      run.string()};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(words);
  };
  const ProgramResult plain = play({});
  CHECK(plain.exit_code == 0);
  CHECK_THAT(plain.out,
             Catch::StartsWith("control it by 'tilewall ctl VERB --run-dir " + run.string() + "'"));
  CHECK(plain.out.find('\033') == std::string::npos);
  CHECK(plain.err.find('\033') == std::string::npos);
  CHECK(nlohmann::json::parse(play({"--json"}).out, nullptr, false).is_object());
}

TEST_CASE("a show whose output nobody reads ends by itself, with its whole report", "[play]") {
  const TemporaryFolder folder;
  const fs::path report = folder / "report.json";
  const fs::path code = folder / "code";
  const std::string play =
      play_command(folder / "run") + " --frames 10 --report " + report.string();
  const std::string script = "{ " + play + "; echo $? > " + code.string() + "; } 2>&1 | true";
  const ProgramResult shell = run_program({"bash", "-c", script}, std::chrono::seconds(60));
  CHECK(shell.exit_code == 0);
  int exit_code = -1;
  std::ifstream(code) >> exit_code;
  CHECK(exit_code == 0);
  const nlohmann::json written = read_report(report);
  REQUIRE(written.is_object());
  CHECK(written.at("frames_scheduled") == 10);
  CHECK_FALSE(fs::exists(folder / "run"));
}

TEST_CASE("a presentation lists its cues at a terminal, and goes on without it",
          "[present][terminal]") {
  const TemporaryFolder folder;
  const fs::path run = folder / "run";
  std::ofstream(folder / "show.toml") << R"([[cue]]
name = "Welcome"
number = 1
note = "Wait for silence."
input = "pattern:grid"

[[cue]]
name = "Thanks"
number = 2
input = "pattern:card"
follow = "after 60"

[[cue]]
name = "Encore"
input = "pattern:count"
)";
  TerminalShell shell(tilewall_program + " present " + (folder / "show.toml").string() +
                      " --headless --wall " + test_wall("two-by-one.toml") + " --run-dir " +
                      run.string());
  CHECK(shell.comes("> 1      Welcome"));
  CHECK(shell.comes("Wait for silence."));
  CHECK(shell.comes("Thanks                   next: armed"));
  CHECK(shell.comes("n goes on"));
  shell.type("n");
  CHECK(shell.comes("> 2      Thanks"));
  CHECK(shell.comes("goes on in 0:5"));
  shell.hang_up();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto presentation = [&] { return status_of(run).at("presentation"); };
  REQUIRE(presentation().at("name") == "Thanks");
  CHECK(presentation().at("follows_in_s") > 0.0);
  const auto ctl = [&](const char* verb) {
    return run_program({tilewall_program, "ctl", verb, "--run-dir", run.string()}).exit_code;
  };
  CHECK(ctl("next") == 0);
  CHECK(presentation().at("name") == "Encore");
  CHECK(ctl("quit") == 0);
}
