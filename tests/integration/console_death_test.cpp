// A console that hangs and dies while many look through it: the wall's pictures do not care, and
// the browsers find it again.

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <list>
#include <thread>

#include "tests/support/controlled_show.hpp"
#include "tests/support/web_client.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {
namespace console_death_test {

constexpr std::size_t people = 5;
constexpr std::size_t pages_of_each = 10;
constexpr std::chrono::milliseconds phase_time{2000};
constexpr int most_rounds = 3;

/// The small wall of 15 panels with a movie and its console.
class SmallWallShow {
 public:
  SmallWallShow() : program_(words()) {}

  [[nodiscard]] fs::path run_dir() const { return folder_ / "run"; }
  [[nodiscard]] pid_t console_pid() const { return pid_in(run_dir() / "pids" / "console"); }
  /// What all panels have shown, and how many of these frames were late.
  struct Frames {
    std::int64_t shown = 0;
    std::int64_t late = 0;
  };
  [[nodiscard]] Frames frames() const {
    const Json status = WallClient(run_dir()).ask({{"type", "status"}});
    return {status.at("frames_shown"), status.at("frames_late")};
  }

 private:
  Words words() {
    write_numbered_movie(folder_ / "movie", {1280, 480}, 20);
    return {tilewall_program,
            "play",
            (folder_ / "movie").string(),
            "--wall",
            source_path("wallconfigs/mini-5x3.toml"),
            "--headless",
            "--loop",
            "--fps",
            "10",
            "--console",
            "--run-dir",
            run_dir().string()};
  }

  TemporaryFolder folder_;
  RunningProgram program_;
};

/// Pages of a few people, each of whom has logged in once.
class OpenPages {
 public:
  explicit OpenPages(const ConsoleClient& console) : console_(console) {
    for (std::size_t i = 0; i < people; ++i)
      cookies_.push_back(console.log_in("person " + std::to_string(i)));
  }
  void open() {
    pages_.clear();
    for (const std::string& cookie : cookies_)
      for (std::size_t i = 0; i < pages_of_each; ++i) {
        pages_.emplace_back(console_, console_.page_headers(cookie));
        pages_.back().send({{"type", "pictures"}, {"on", true}});
      }
  }
  void read_for(std::chrono::milliseconds time) {
    const auto until = std::chrono::steady_clock::now() + time;
    while (std::chrono::steady_clock::now() < until)
      for (PageSocket& page : pages_) static_cast<void>(page.receive(std::chrono::milliseconds(1)));
  }
  /// Whether each has the whole state of a wall whose director is there, under its person's name.
  [[nodiscard]] bool have_state() {
    std::size_t place = 0;
    return std::ranges::all_of(pages_, [&](PageSocket& page) {
      const std::string person = "person " + std::to_string(place++ / pages_of_each);
      return page.until([&] {
        return page.state().value("director", "") == "connected" && page.state().contains("wall") &&
               page.hello().at("name") == person;
      });
    });
  }
  [[nodiscard]] bool are_closed() {
    return std::ranges::all_of(pages_, [](PageSocket& page) { return page.is_closed(); });
  }

 private:
  const ConsoleClient& console_;
  std::vector<std::string> cookies_;
  std::list<PageSocket> pages_;
};

}  // namespace console_death_test

using namespace console_death_test;

}  // namespace

TEST_CASE("a console that hangs and is killed makes no frame late, and its pages come back",
          "[console]") {
  const SmallWallShow show;
  const ConsoleClient console(show.run_dir());
  OpenPages pages(console);
  pages.open();
  REQUIRE(pages.have_state());
  // The machine may make frames late at any time. So a hanging console is compared with a good one
  // in the same show, until it has done no more harm than that in one of a few rounds.
  std::vector<std::int64_t> late_beyond;
  do {
    const auto before = show.frames();
    pages.read_for(phase_time);
    const auto good = show.frames();
    const pid_t console_pid = show.console_pid();
    REQUIRE(console_pid > 0);
    ::kill(console_pid, SIGSTOP);
    std::this_thread::sleep_for(phase_time);
    const auto stopped = show.frames();
    ::kill(console_pid, SIGKILL);
    CHECK(stopped.shown > good.shown);
    late_beyond.push_back((stopped.late - good.late) - (good.late - before.late));
    CHECK(pages.are_closed());
    pages.open();
    CHECK(pages.have_state());
    CHECK(show.console_pid() != console_pid);
  } while (late_beyond.back() > 0 && late_beyond.size() < most_rounds);
  CAPTURE(late_beyond);
  CHECK(late_beyond.back() <= 0);
  WallClient(show.run_dir()).ask({{"type", "quit"}});
}
