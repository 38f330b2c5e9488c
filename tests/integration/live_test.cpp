// A simulation that feeds a wall while it runs: every picture is of one whole timestep, on all
// panels, whoever dies.

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <fstream>
#include <iterator>

#include "net/socket.hpp"
#include "net/source/tilewall_source.h"
#include "sync/base/process.hpp"
#include "tests/emulation/path_relay.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/live_simulation.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/unused_port.hpp"
#include "tests/support/wall_client.hpp"

using namespace tilewall;
using namespace tilewall::test;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

std::string to(int port) { return "127.0.0.1:" + std::to_string(port); }

/// Memory in use by a process; 0 where it is gone.
std::int64_t resident_bytes(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/statm");
  std::int64_t all_pages = 0;
  std::int64_t pages = 0;
  file >> all_pages >> pages;
  return pages * ::sysconf(_SC_PAGESIZE);
}

/// A wall of two panels that waits for the simulation.
class LiveShow {
 public:
  explicit LiveShow(const Words& more = {}) : LiveShow("live:sim", more) {}
  /// `input`: "live:sim", for which the wall listens at port(), or the address of a rank.
  LiveShow(const std::string& input, const Words& more) {
    write_live_camera(folder_ / "camera.toml");
    Words words = {tilewall_program,
                   "view",
                   input,
                   "--camera",
                   (folder_ / "camera.toml").string(),
                   "--caster",
                   "cpu",
                   "--wall",
                   test_wall("two-by-one.toml"),
                   "--headless",
                   "--hashes",
                   "--report",
                   (folder_ / "report.json").string(),
                   "--run-dir",
                   run_dir().string()};
    if (input == "live:sim") words.insert(words.end(), {"--live-listen", to(port_)});
    words.insert(words.end(), more.begin(), more.end());
    program_.emplace(words);
  }

  [[nodiscard]] int port() const noexcept { return port_; }
  [[nodiscard]] fs::path run_dir() const { return folder_ / "run"; }
  [[nodiscard]] Json status() const {
    const ProgramResult status = ctl({"status", "--json"});
    return status.exit_code == 0 ? Json::parse(status.out) : Json();
  }
  [[nodiscard]] ProgramResult ctl(Words words) const {
    words.insert(words.begin(), {tilewall_program, "ctl"});
    words.insert(words.end(), {"--run-dir", run_dir().string()});
    return run_program(words);
  }
  /// The number of timesteps that were shown of the first live source.
  [[nodiscard]] std::int64_t shown() const {
    const Json now = status();
    const bool has_live = now.is_object() && !now.at("live").empty();
    return has_live ? now.at("live")[0].at("shown").get<std::int64_t>() : 0;
  }
  /// Whether further timesteps are shown.
  [[nodiscard]] bool goes_on() const {
    const auto timestep = [&] {
      const Json now = status();
      const bool shows = now.is_object() && !now.at("live").empty() &&
                         now.at("live")[0].at("timestep").is_number();
      return shows ? now.at("live")[0].at("timestep").get<std::int64_t>() : -1;
    };
    std::int64_t before = -1;
    return eventually([&] { return (before = timestep()) >= 0; }, std::chrono::seconds(30)) &&
           eventually([&] { return timestep() != before; }, std::chrono::seconds(30));
  }
  /// Kills the process of `role`, and waits until it is back, with the one that dies with it.
  void kill(const std::string& role, const std::string& dies_too) const {
    const auto pid_of = [&](const std::string& of) { return pid_in(run_dir() / "pids" / of); };
    const pid_t pid = pid_of(role);
    const pid_t other = pid_of(dies_too);
    REQUIRE(pid > 0);
    const auto is_back = [&](const std::string& of, pid_t killed) {
      return pid_of(of) > 0 && pid_of(of) != killed && is_alive(pid_of(of));
    };
    ::kill(pid, SIGKILL);
    REQUIRE(eventually([&] { return is_back(role, pid) && is_back(dies_too, other); },
                       std::chrono::seconds(30)));
  }
  Show finish() {
    CHECK(ctl({"quit"}).exit_code == 0);
    return wait();
  }
  Show wait() { return end_of(*program_, folder_ / "report.json"); }

 private:
  TemporaryFolder folder_;
  const int port_ = unused_port();
  std::optional<RunningProgram> program_;
};

/// A source "sim" whose ranks are all of this process, each with a part of the grid's layers. The
/// caller decides which of them put their part.
class LayeredSource {
 public:
  LayeredSource(const std::string& where, int ranks,
                const std::array<std::int64_t, 3>& grid = {8, 8, 8})
      : voxels_(static_cast<std::size_t>(grid[0] * grid[1] * grid[2])) {
    for (std::size_t i = 0; i < voxels_.size(); ++i) voxels_[i] = static_cast<std::uint8_t>(i);
    for (int rank = 0; rank < ranks; ++rank) {
      REQUIRE(tilewall_open(where.c_str(), "sim", rank, ranks, grid.data(), nullptr,
                            &ranks_.emplace_back().source) == TILEWALL_OK);
      ranks_.back().box = {{0, 0, grid[2] * rank / ranks},
                           {grid[0], grid[1], grid[2] * (rank + 1) / ranks}};
    }
  }
  ~LayeredSource() {
    for (const Rank& rank : ranks_) tilewall_close(rank.source);
  }
  LayeredSource(const LayeredSource&) = delete;
  LayeredSource& operator=(const LayeredSource&) = delete;

  [[nodiscard]] tilewall_source* rank(std::size_t number) const { return ranks_[number].source; }
  /// Ends a timestep in which the first ranks put their part, and the others nothing.
  void end_step(std::size_t ranks_that_put) {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const Rank& rank = ranks_[i];
      if (i < ranks_that_put)
        REQUIRE(tilewall_put(rank.source, "u", &rank.box, nullptr, nullptr, TILEWALL_U8,
                             voxels_.data()) == TILEWALL_OK);
      REQUIRE(tilewall_end_step(rank.source, static_cast<double>(steps_)) == TILEWALL_OK);
    }
    ++steps_;
  }

 private:
  struct Rank {
    tilewall_source* source = nullptr;
    tilewall_box box{};
  };
  std::vector<Rank> ranks_;
  std::vector<std::uint8_t> voxels_;
  std::int64_t steps_ = 0;
};

/// How many timesteps a panel left out of those that the other one showed between its own first
/// and last. It may have come later, and have ended before it told of its newest timesteps.
std::int64_t left_out(const std::vector<std::int64_t>& shown,
                      const std::vector<std::int64_t>& shown_by_other) {
  return std::ranges::count_if(shown_by_other, [&](std::int64_t timestep) {
    return timestep > shown.front() && timestep < shown.back() &&
           !std::ranges::binary_search(shown, timestep);
  });
}

/// How many timesteps were late on a panel, by the show's report.
std::int64_t late_on(const Json& report, const std::string& panel) {
  return report.at("live").at(0).at("late_by_panel").value(panel, std::int64_t{0});
}

}  // namespace

TEST_CASE("every picture of a live source is one whole timestep, the same on all panels",
          "[live]") {
  LiveShow show;
  LiveSimulation simulation(to(show.port()), 3);
  CHECK(eventually([&] { return show.shown() >= 12; }, std::chrono::seconds(60)));
  const Show ended = show.finish();
  CAPTURE(ended.program.err);
  REQUIRE(ended.program.exit_code == 0);
  CHECK(!simulation.failed());
  const Json live = ended.report.at("live").at(0);
  CAPTURE(live);
  CHECK(live.at("shown") >= 12);
  CHECK(live.at("ranks") == 3);
  const std::vector<std::int64_t> first = checked_timesteps(ended.report, "c0r0");
  const std::vector<std::int64_t> second = checked_timesteps(ended.report, "c1r0");
  CAPTURE(first, second);
  CHECK(std::ranges::is_sorted(first));
  CHECK(std::ranges::is_sorted(second));
  REQUIRE(std::min(first.size(), second.size()) >= 6);
  // What a panel leaves out counts as late on it.
  CHECK(left_out(first, second) <= late_on(ended.report, "c0r0"));
  CHECK(left_out(second, first) <= late_on(ended.report, "c1r0"));
}

TEST_CASE("with policy every a wall shows each timestep, and the simulation waits", "[live]") {
  LiveShow show({"--live-policy", "every", "--live-wait", "30"});
  LiveSimulation simulation(to(show.port()), 2);
  CHECK(eventually([&] { return show.shown() >= 12; }, std::chrono::seconds(60)));
  const Show ended = show.finish();
  CAPTURE(ended.program.err);
  REQUIRE(ended.program.exit_code == 0);
  for (const std::string& panel : pair_panels) {
    const std::vector<std::int64_t> shown = checked_timesteps(ended.report, panel);
    CAPTURE(panel, shown);
    REQUIRE(shown.size() >= 6);
    const auto left_out = shown.back() - shown.front() + 1 - std::ssize(shown);
    CHECK(left_out <= late_on(ended.report, panel));
  }
}

TEST_CASE("a live show of N frames ends once N timesteps have gone by", "[live]") {
  // The wall shows fewer of them, since the simulation does not wait for it.
  LiveShow show({"--frames", "40"});
  LiveSimulation simulation(to(show.port()), 2);
  const Show ended = show.wait();
  CAPTURE(ended.program.err);
  REQUIRE(ended.program.exit_code == 0);
  const std::vector<std::int64_t> shown = checked_timesteps(ended.report, "c0r0");
  REQUIRE(!shown.empty());
  CHECK(shown.size() <= 40);
  CHECK(simulation.steps() >= 40);
  // They count from the first one on the wall, which this panel may have missed.
  CHECK(ended.report.at("live").at(0).at("timestep").get<std::int64_t>() >= 39);
}

TEST_CASE("a simulation that listens may be started after its wall", "[live]") {
  const TemporaryFolder folder;
  const std::string place = to(unused_port());
  const std::string report = (folder / "report.json").string();
  // The shell tells when the wall has found nobody.
  RunningProgram show({"sh", "-c", "exec \"$0\" \"$@\" 2>" + (folder / "err").string(),
                       tilewall_program, "view", "tilewall://" + place + "/sim", "--wall",
                       test_wall("two-by-one.toml"), "--headless", "--caster", "cpu", "--frames",
                       "3", "--run-dir", (folder / "run").string(), "--report", report});
  const auto has_told = [&] {
    std::ifstream file(folder / "err");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    return text.find("nobody answers yet; waits 5 s") != std::string::npos;
  };
  REQUIRE(eventually(has_told, std::chrono::seconds(20)));
  const LiveSimulation simulation("listen:" + place, 1);
  const Show ended = end_of(show, report);
  CHECK(ended.program.exit_code == 0);
  CHECK(ended.report.at("live").at(0).at("name") == "sim");
}

TEST_CASE("a rank that does not fit hears why, and so does the wall's operator", "[live]") {
  const LiveShow show;
  const LiveSimulation simulation(to(show.port()), 2);
  REQUIRE(show.goes_on());
  const std::array<std::int64_t, 3> other_grid = {4, 4, 5};
  tilewall_source* source = nullptr;
  REQUIRE(tilewall_open(to(show.port()).c_str(), "sim", 1, 2, other_grid.data(), nullptr,
                        &source) == TILEWALL_OK);
  const std::string why = "live source sim: rank 1: ";
  const std::string expected = "a wall refused this rank: " + why;
  CHECK(eventually([&] { return std::string(tilewall_news(source)).starts_with(expected); },
                   std::chrono::seconds(20)));
  CHECK(eventually(
      [&] {
        const std::string refused = show.status().at("live").at(0).at("last_refused");
        return refused.find(why) != std::string::npos;
      },
      std::chrono::seconds(20)));
  CHECK(tilewall_close(source) == TILEWALL_OK);
  CHECK(show.goes_on());
  CHECK(!simulation.failed());
}

TEST_CASE("a simulation hears which voxels its ranks left out, and so does the wall",
          "[live][bad-input]") {
  const LiveShow show;
  LayeredSource source(to(show.port()), 2);
  REQUIRE(eventually(
      [&] {
        source.end_step(2);
        return show.shown() >= 1;
      },
      std::chrono::seconds(30)));
  for (const std::size_t ranks_that_put : {1U, 0U}) {
    CAPTURE(ranks_that_put);
    const std::string cause =
        ranks_that_put == 1 ? "the ranks' blocks leave out 256 of 512 voxels; rank 1 put none"
                            : "the ranks' blocks leave out 512 of 512 voxels; no rank put any";
    const auto has_line = [&](tilewall_source* rank) {
      const std::string news = tilewall_news(rank);
      return news.starts_with("a wall cannot show live source sim: timestep ") &&
             news.ends_with(" of field u: " + cause);
    };
    CHECK(eventually(
        [&] {
          source.end_step(ranks_that_put);
          return has_line(source.rank(0)) && has_line(source.rank(1));
        },
        std::chrono::seconds(20)));
    CHECK(eventually(
        [&] {
          source.end_step(ranks_that_put);
          const std::string skip = show.status().at("live").at(0).at("last_skip");
          return skip.ends_with(cause);
        },
        std::chrono::seconds(20)));
  }
  const std::int64_t shown = show.shown();
  CHECK(eventually(
      [&] {
        source.end_step(2);
        return show.shown() > shown;
      },
      std::chrono::seconds(20)));
}

TEST_CASE("a wall shows a source of many ranks", "[live]") {
  allow_open_files();
  LiveShow show;
  LayeredSource source(to(show.port()), 128, {16, 16, 128});
  CHECK(eventually(
      [&] {
        source.end_step(128);
        return show.shown() >= 2;
      },
      std::chrono::seconds(60)));
  CHECK(show.status().at("live").at(0).at("ranks") == 128);
  static_cast<void>(show.finish());
}

TEST_CASE("a wall shows a source of 1024 ranks", "[live][.][long]") {
  allow_open_files();
  LiveShow show;
  LayeredSource source(to(show.port()), 1024, {16, 16, 1024});
  CHECK(eventually(
      [&] {
        source.end_step(1024);
        return show.shown() >= 2;
      },
      std::chrono::seconds(60)));
  CHECK(show.status().at("live").at(0).at("ranks") == 1024);
  static_cast<void>(show.finish());
}

TEST_CASE("what a rank and a wall said is sent again, and no picture changes", "[live][replay]") {
  for (const bool is_keyed : {false, true}) {
    CAPTURE(is_keyed);
    const TemporaryFolder folder;
    std::string key_file;
    Words more;
    if (is_keyed) {
      key_file = (folder / "wall.key").string();
      REQUIRE(run_program({tilewall_program, "key", "new", key_file}).exit_code == 0);
      more = {"--key-file", key_file};
    }
    const int port = unused_port();
    PathRelay relay(static_cast<std::uint16_t>(port), {}, {});
    relay.record();
    // The simulation first, so that no program of another test listens at its port meanwhile.
    LiveSimulation simulation("listen:" + to(port), 1, key_file);
    LiveShow show("tilewall://" + to(relay.port()) + "/sim", more);
    REQUIRE(eventually([&] { return show.shown() >= 5; }, std::chrono::seconds(60)));
    const pid_t caster = pid_in(show.run_dir() / "pids" / "caster");
    const std::int64_t before_bytes = resident_bytes(caster);
    const PathRelay::Recorded recorded = relay.recorded();
    CHECK(recorded.datagrams.size() > 5);
    CHECK(!recorded.streams.empty());
    const net::SocketAddress rank = net::resolve(to(port), "rank");
    const UniqueFd other = net::connect_udp(rank);  // from a port of its own
    for (int i = 0; i < 20; ++i) {
      relay.replay_datagrams();
      for (const auto& datagram : recorded.datagrams)
        ::send(other.get(), datagram.data(), datagram.size(), MSG_DONTWAIT);
      for (const auto& stream : recorded.streams) {
        const UniqueFd connection = net::try_connect_tcp(rank, std::chrono::seconds(5));
        REQUIRE(!connection.empty());
        ::send(connection.get(), stream.data(), stream.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    }
    CHECK(show.goes_on());
    CHECK(!simulation.failed());
    CHECK(pid_in(show.run_dir() / "pids" / "caster") == caster);
    CHECK(resident_bytes(caster) < before_bytes + (std::int64_t{32} << 20));
    const Show ended = show.finish();
    CAPTURE(ended.program.err);
    REQUIRE(ended.program.exit_code == 0);
    CHECK(ended.report.at("live").at(0).at("runs") == 1);
    CHECK(ended.report.at("live").at(0).at("last_refused") == "");
    for (const std::string& panel : pair_panels)
      CHECK(checked_timesteps(ended.report, panel).size() >= 5);
  }
}

TEST_CASE("two live sources on one wall listen at addresses of their own", "[live]") {
  LiveShow show;
  const LiveSimulation first(to(show.port()), 2);
  REQUIRE(show.goes_on());
  int other = unused_port();
  while (other == show.port()) other = unused_port();
  const ProgramResult added = show.ctl({"region", "add", "second", "live:sim", "--live-listen",
                                        to(other), "--live-policy", "nth:2", "--at", "0,0,80,60"});
  CAPTURE(added.err);
  REQUIRE(added.exit_code == 0);
  const LiveSimulation second(to(other), 3);
  Json live;
  const bool both = eventually(
      [&] {
        live = show.status().at("live");
        return live.size() == 2 && live[0].at("shown") >= 3 && live[1].at("shown") >= 3;
      },
      std::chrono::seconds(30));
  CAPTURE(live);
  REQUIRE(both);
  CHECK(live[0].at("ranks") == 2);
  CHECK(live[1].at("ranks") == 3);
  // A source in place of the first one takes the options as well, and other inputs do not.
  const ProgramResult refused = show.ctl({"open", "pattern:card", "--live-listen", to(other)});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("live options: expected an input live:NAME") != std::string::npos);
  CHECK(show.ctl({"region", "remove", "second"}).exit_code == 0);
  CHECK(
      show.ctl({"open", "live:sim", "--live-listen", to(show.port()), "--field", "u"}).exit_code ==
      0);
  static_cast<void>(show.finish());
}

TEST_CASE("a live wall goes on when a caster, its director, a panel or the simulation dies",
          "[live]") {
  LiveShow show;
  auto simulation = std::make_unique<LiveSimulation>(to(show.port()), 2);
  REQUIRE(show.goes_on());
  const std::int64_t steps = simulation->steps();
  for (const char* role : {"caster", "panel-1", "director", "host"}) {
    CAPTURE(role);
    show.kill(role, std::string(role) == "host" ? "caster" : role);
    CHECK(show.goes_on());
  }
  CHECK(simulation->steps() > steps);
  CHECK(!simulation->failed());
  const pid_t caster = pid_in(show.run_dir() / "pids" / "caster");
  simulation.reset();
  simulation = std::make_unique<LiveSimulation>(to(show.port()), 3);  // a new run, with other ranks
  CHECK(eventually([&] { return show.status().at("live").at(0).at("ranks") == 3; },
                   std::chrono::seconds(30)));
  CHECK(show.goes_on());
  // A rank that ends, or is killed, ends its session and nothing else.
  CHECK(pid_in(show.run_dir() / "pids" / "caster") == caster);
  CHECK(eventually([&] { return show.status().at("live").at(0).at("kept") >= 3; },
                   std::chrono::seconds(30)));
  const ProgramResult held = show.ctl({"live", "hold", "--json"});
  CAPTURE(held.err);
  CHECK(held.exit_code == 0);
  const ProgramResult back = show.ctl({"live", "back", "1"});
  CAPTURE(back.err);
  CHECK(back.exit_code == 0);
  CHECK(show.ctl({"live", "back", "100000"}).exit_code == 2);
  const Show ended = show.finish();
  CAPTURE(ended.program.err);
  for (const std::string& panel : pair_panels)
    CHECK(!checked_timesteps(ended.report, panel).empty());
}
