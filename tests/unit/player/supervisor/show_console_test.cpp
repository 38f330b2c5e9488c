// The director's lines at the supervisor: orders among them, and what is printed.

#include "player/supervisor/show_console.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <cstdio>
#include <iostream>

#include "player/director/director.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/file.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::supervisor;

namespace {
namespace show_console_test {

/// A console without a terminal. The test writes the director's lines.
struct Console {
  explicit Console(TerminalUse use = TerminalUse::none)
      : console(use, "control it with: tilewall ctl") {}

  void news(const std::string& text) {
    REQUIRE(::write(console.writing_end(), text.data(), text.size()) ==
            static_cast<ssize_t>(text.size()));
    console.take_news();
  }
  /// What is printed at one of this process's outputs.
  std::string printed_at(int fd) {
    std::cout.flush();  // what Catch2 has printed
    std::fflush(stdout);
    const test::TemporaryFolder folder;
    const std::filesystem::path file = folder / "printed";
    const int before = ::dup(fd);
    const int kept = ::open(file.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ::dup2(kept, fd);
    console.print_news();
    ::dup2(before, fd);
    ::close(kept);
    ::close(before);
    return read_text_file(file, 100'000);
  }

  ShowConsole console;
};

}  // namespace show_console_test

using show_console_test::Console;

}  // namespace

TEST_CASE("a line of the director ends the wait for children", "[supervisor]") {
  const ChildWatch watch;
  Console show;
  const std::string line = "a note\n";
  REQUIRE(::write(show.console.writing_end(), line.data(), line.size()) ==
          static_cast<ssize_t>(line.size()));
  CHECK(show.console.wait(watch, std::chrono::hours(1)) == WatchEvent::nothing);
}

TEST_CASE("orders of the director hold at once, and reach no operator", "[supervisor]") {
  using director::KeyframeOrder;
  Console show;
  show.news("a note\n(restart launcher of panel 12)\n(add key frame)\n(stop preview)\n");
  show.news("(remove key frame)\n(preview path)\n(restart launcher of panel 0)\nanother note\n");
  CHECK(show.console.take_launcher_orders() == std::vector<int>{12, 0});
  CHECK(show.console.take_launcher_orders().empty());
  CHECK(show.console.take_keyframe_orders() ==
        std::vector<KeyframeOrder>{KeyframeOrder::add, KeyframeOrder::stop_preview,
                                   KeyframeOrder::remove_nearest, KeyframeOrder::preview});
  CHECK(show.console.take_keyframe_orders().empty());
  CHECK_FALSE(show.console.show_ends());
  show.news("(ending)\n");
  CHECK(show.console.show_ends());
  CHECK(show.printed_at(STDERR_FILENO) == "tilewall: a note\ntilewall: another note\n");
  CHECK(show.printed_at(STDERR_FILENO).empty());
}

TEST_CASE("a line that is nearly an order is one for the operator", "[supervisor]") {
  Console show;
  show.news("(restart launcher of panel c0r0)\n(add key frame\n(ending");
  CHECK(show.console.take_launcher_orders().empty());
  CHECK(show.console.take_keyframe_orders().empty());
  CHECK_FALSE(show.console.show_ends());
  CHECK(show.printed_at(STDERR_FILENO) ==
        "tilewall: (restart launcher of panel c0r0)\ntilewall: (add key frame\n");
  show.news(")\n");
  CHECK(show.console.show_ends());
}

TEST_CASE("the first thousand lines that wait are kept", "[supervisor]") {
  Console show;
  for (int i = 0; i < 1001; ++i) show.console.tell(std::to_string(i));
  const std::string printed = show.printed_at(STDERR_FILENO);
  CHECK(printed.ends_with("tilewall: 999\n"));
}

TEST_CASE("how a show is controlled is printed once, after its begin", "[supervisor]") {
  Console show(TerminalUse::controlled);
  CHECK(show.printed_at(STDOUT_FILENO).empty());
  show.news("(begun)\n");
  CHECK(show.printed_at(STDOUT_FILENO) == "control it with: tilewall ctl\n");
  show.news("(begun)\n");  // by the next director
  CHECK(show.printed_at(STDOUT_FILENO).empty());
  for (const TerminalUse use : {TerminalUse::none, TerminalUse::quiet_controlled}) {
    Console quiet(use);
    quiet.news("(begun)\n");
    CHECK(quiet.printed_at(STDOUT_FILENO).empty());
  }
}
