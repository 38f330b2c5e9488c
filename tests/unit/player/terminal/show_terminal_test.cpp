// A show at a pseudo terminal: what it asks the director, which the test plays, what it draws, and
// how the terminal is given back.

#include "player/terminal/show_terminal.hpp"

#include <poll.h>
#include <pty.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>

#include "net/show_keys.hpp"
#include "sync/base/handle.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/listening_director.hpp"
#include "tests/support/show_secret.hpp"

using namespace tilewall;
using namespace tilewall::terminal;
using namespace tilewall::test;
using Json = nlohmann::json;

namespace {

/// A child process with a show at a terminal of 80 columns, which the test types at. It ends in
/// order when it is told to.
class ShowAtTerminal {
 public:
  ShowAtTerminal() {
    std::array<int, 2> end = {-1, -1};
    REQUIRE(::pipe(end.data()) == 0);
    const UniqueFd end_reader(end[0]);
    end_ = UniqueFd(end[1]);
    winsize size = {};
    size.ws_row = 24;
    size.ws_col = 80;
    int master = -1;
    const std::string address = director.address();
    pid_ = ::forkpty(&master, nullptr, nullptr, &size);
    if (pid_ == 0) {
      end_.reset();  // the other one is the test's
      run(address, end[0]);
    }
    master_ = UniqueFd(master);
  }
  ~ShowAtTerminal() {
    if (pid_ == 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  ShowAtTerminal(const ShowAtTerminal&) = delete;
  ShowAtTerminal& operator=(const ShowAtTerminal&) = delete;

  void type(const std::string& keys) {
    REQUIRE(::write(master_.get(), keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
  }

  /// Whether the text comes to the terminal behind what was seen before.
  bool comes(const std::string& text) {
    const bool has_come = eventually([&] {
      read_more();
      const std::size_t at = shown_.find(text, seen_);
      if (at != std::string::npos) seen_ = at + text.size();
      return at != std::string::npos;
    });
    if (!has_come) UNSCOPED_INFO("shown: " << shown_.substr(seen_));
    return has_come;
  }
  /// What has come behind what was seen before.
  [[nodiscard]] std::string rest() {
    read_more();
    return shown_.substr(seen_);
  }

  /// Whether keys come one by one and unseen.
  [[nodiscard]] bool is_taken() const {
    termios mode = {};
    return ::tcgetattr(master_.get(), &mode) == 0 && (mode.c_lflag & (ICANON | ECHO)) == 0;
  }

  /// Lets the show end in order; returns its exit code, or -1 where it has none.
  int end() {
    end_.reset();
    const int status = wait_for_end();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  /// The status of waitpid() once the show has ended; -1 where it does not.
  int wait_for_end() {
    int status = 0;
    if (!eventually([&] { return ::waitpid(pid_, &status, WNOHANG) == pid_; })) return -1;
    pid_ = 0;
    return status;
  }

 private:
  const OwnSecret secret_;

 public:
  ListeningDirector director{net::key_of(net::Protocol::control)};

 private:
  [[noreturn]] static void run(const std::string& address, int end) {
    const rlimit no_core = {0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    ::setenv("TERM", "xterm", 1);
    const bool is_there = ShowTerminal::is_there();
    ::setenv("TERM", "dumb", 1);
    const bool is_dumb = !ShowTerminal::is_there();
    if (!is_there || !is_dumb || !ShowTerminal::takes_output()) ::_exit(1);
    {
      ShowTerminal show(address);
      pollfd ended = {end, POLLIN, 0};
      while (::poll(&ended, 1, 0) == 0)
        show.wait(std::span(&ended, 1), std::chrono::milliseconds(5));
    }
    ::_exit(0);
  }

  void read_more() {
    std::array<char, 4096> bytes = {};
    pollfd waiting = {master_.get(), POLLIN, 0};
    while (::poll(&waiting, 1, 0) > 0 && (waiting.revents & POLLIN) != 0) {
      const ssize_t got = ::read(master_.get(), bytes.data(), bytes.size());
      if (got <= 0) return;
      shown_.append(bytes.data(), static_cast<std::size_t>(got));
    }
  }

  UniqueFd end_;  // while it is open the show goes on
  pid_t pid_ = 0;
  UniqueFd master_;
  std::string shown_;
  std::size_t seen_ = 0;
};

Json shown_status(int frame) {
  return {{"type", "status"},   {"id", "status"},
          {"light", "green"},   {"reasons", Json::array()},
          {"phase", "playing"}, {"frame", frame},
          {"frames_late", 0},   {"scene", {{"regions", {{{"frames", 480}, {"base_fps", 24.0}}}}}}};
}

}  // namespace

TEST_CASE("a show at a terminal asks for the status and draws it, again and again", "[terminal]") {
  ShowAtTerminal show;
  REQUIRE(show.director.accept());
  const Json asked = show.director.next("status");
  CHECK(asked ==
        Json{{"type", "status"}, {"id", "status"}, {"per_panel", false}, {"lists", false}});
  show.director.send(shown_status(24));
  CHECK(show.comes("\r\033[Jframe 24 of 480  0:01.0 of 0:20.0  0 late  " + show.director.address() +
                   "  q quits"));
  CHECK(show.is_taken());
  REQUIRE(show.director.next("status").is_object());
  show.director.send(shown_status(48));
  CHECK(show.comes("\r\033[Jframe 48 of 480  0:02.0 of 0:20.0"));
  CHECK(show.comes("q quits"));
  CHECK(show.end() == 0);
  CHECK_FALSE(show.is_taken());
  CHECK(show.rest() == "\r\033[J");
}

TEST_CASE("keys at a terminal go to the director, and its refusals come back", "[terminal]") {
  ShowAtTerminal show;
  REQUIRE(show.director.accept());
  REQUIRE(show.director.next("status").is_object());
  REQUIRE(eventually([&] { return show.is_taken(); }));
  show.type("q");
  CHECK(show.director.next("key") == Json{{"type", "key"}, {"id", "key"}, {"key", "quit"}});
  show.type("\033");  // Escape alone
  CHECK(show.director.next("key").at("key") == "quit");
  show.director.send({{"type", "refused"}, {"id", "key"}, {"error", "not\033[2J now"}});
  show.director.send(shown_status(24));
  CHECK(show.comes("\r\033[Jnot?[2J now"));
}

TEST_CASE("a presentation at a terminal lists the cues around its own", "[terminal]") {
  ShowAtTerminal show;
  REQUIRE(show.director.accept());
  REQUIRE(show.director.next("status").is_object());
  Json status = shown_status(24);
  status["presentation"] = {{"index", 3},
                            {"for_s", 2.0},
                            {"follows_in_s", nullptr},
                            {"next", nullptr},
                            {"armed", nullptr}};
  show.director.send(status);
  CHECK(show.director.next("cues") ==
        Json{{"type", "cues"}, {"id", "cues"}, {"first", 2}, {"most", 8}});
  Json cues = Json::array();
  for (int index = 2; index < 20; ++index)
    cues.push_back(
        {{"index", index}, {"number", std::to_string(index)}, {"name", "cue"}, {"note", nullptr}});
  show.director.send({{"type", "cues"}, {"id", "cues"}, {"cues", cues}});
  show.director.send(status);
  CHECK(show.comes("\r\033[J  2      cue\r\n\033[1m> 3      cue"));
  CHECK(show.comes("the last one\033[0m\r\n  4      cue"));
  CHECK(show.comes("  9      cue\r\nframe 24 of 480"));  // eight of them, then the line
  CHECK(show.comes("q quits"));
  CHECK(show.end() == 0);
  CHECK(show.rest() == "\033[8A\r\033[J");
}

TEST_CASE("a terminal goes on with the next director, also with what is typed while it connects",
          "[terminal]") {
  ShowAtTerminal show;
  REQUIRE(show.director.accept());
  REQUIRE(show.director.next("status").is_object());  // no answer comes
  REQUIRE(eventually([&] { return show.is_taken(); }));
  show.director.close();
  REQUIRE(show.director.accept());
  show.type(" ");  // before the director has proven its key, unless the machine is slow
  const auto messages = show.director.messages_until("key");
  CHECK(Json::parse(messages.back().text).at("key") == "toggle_pause");
  const bool has_asked = std::ranges::any_of(messages, [](const net::Message& message) {
    return Json::parse(message.text).at("type") == "status";
  });
  if (!has_asked) REQUIRE(show.director.next("status").is_object());
  show.director.send(shown_status(72));
  CHECK(show.comes("frame 72 of 480"));
}

TEST_CASE("the terminal is given back before a signal ends the show", "[terminal]") {
  ShowAtTerminal show;
  REQUIRE(show.director.accept());
  REQUIRE(show.director.next("status").is_object());
  show.director.send(shown_status(24));
  REQUIRE(show.comes("q quits"));
  REQUIRE(show.is_taken());
  show.type("\x1c");  // Ctrl-\, which the terminal turns into SIGQUIT
  const int status = show.wait_for_end();
  CHECK(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGQUIT);
  CHECK_FALSE(show.is_taken());
  CHECK(show.comes("\r\033[K"));
}

TEST_CASE("a show that goes on after Ctrl-Z takes the terminal and draws again", "[terminal]") {
  ShowAtTerminal show;
  REQUIRE(show.director.accept());
  REQUIRE(show.director.next("status").is_object());
  show.director.send(shown_status(24));
  REQUIRE(show.comes("q quits"));
  // No shell is there that could let it go on, so the system does not stop it.
  show.type("\x1a");
  CHECK(show.comes("\r\033[K"));
  CHECK(show.comes("\r\033[Jframe 24 of 480"));
  CHECK(eventually([&] { return show.is_taken(); }));
  show.type("\x1a");  // the second time as the first
  CHECK(show.comes("\r\033[K"));
  CHECK(show.comes("\r\033[Jframe 24 of 480"));
  CHECK(show.comes("q quits"));
  CHECK(show.end() == 0);
  CHECK_FALSE(show.is_taken());
}
