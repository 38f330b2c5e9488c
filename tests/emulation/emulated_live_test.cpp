// A live source on two hosts, one of which is slow, over a path that loses and reorders packets,
// while the source ends and begins anew: no picture mixes timesteps.

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "tests/emulation/emulated_wall.hpp"
#include "tests/emulation/network_or_skip.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/live_simulation.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;

namespace {

/// A wall of a panel on each of two hosts, that shows the simulation "sim".
class LiveHosts {
 public:
  LiveHosts(const EmulatedNetwork& network, const TemporaryFolder& folder)
      : network_(network), folder_(folder), key_(network.key_file()) {
    write_wall_of(folder / "wall.toml", network, 1);
    write_live_camera(folder / "camera.toml");
    program_.emplace(at_head({"view",          "live:sim",
                              "--live-listen", "0.0.0.0:7643",
                              "--key-file",    key_,
                              "--wall",        (folder / "wall.toml").string(),
                              "--camera",      (folder / "camera.toml").string(),
                              "--caster",      "cpu",
                              "--headless",    "--hashes",
                              "--run-dir",     run_dir(),
                              "--report",      (folder / "report.json").string(),
                              "--launcher",    network.launcher()}));
  }

  /// A simulation on the first host.
  [[nodiscard]] std::unique_ptr<LiveSimulation> begin(int ranks) const {
    std::string walls;
    for (const EmulatedHost& host : network_.hosts())
      walls += (walls.empty() ? "" : ",") + host.address + ":7643";
    return std::make_unique<LiveSimulation>(walls, ranks, key_, network_.hosts()[0].network.path());
  }

  [[nodiscard]] nlohmann::json status() const {
    return nlohmann::json::parse(
        run_program(at_head({"ctl", "status", "--json", "--run-dir", run_dir()})).out, nullptr,
        false);
  }
  [[nodiscard]] int shown() const {
    const nlohmann::json now = status();
    const bool has_live = now.is_object() && !now.at("live").empty();
    return has_live ? now.at("live")[0].at("shown").get<int>() : 0;
  }
  /// Whether `more` timesteps are shown beyond those so far.
  [[nodiscard]] bool goes_on(int more) const {
    const int wanted = shown() + more;
    return eventually([&] { return shown() >= wanted; }, std::chrono::seconds(60));
  }
  Show finish() {
    CHECK(run_program(at_head({"ctl", "quit", "--run-dir", run_dir()})).exit_code == 0);
    return end_of(*program_, folder_ / "report.json");
  }

 private:
  [[nodiscard]] std::string run_dir() const { return (folder_ / "run").string(); }
  [[nodiscard]] Words at_head(const Words& words) const {
    Words all = network_.at_head();
    all.push_back(tilewall_program);
    all.insert(all.end(), words.begin(), words.end());
    return all;
  }

  const EmulatedNetwork& network_;
  const TemporaryFolder& folder_;
  const std::string key_;
  std::optional<RunningProgram> program_;
};

}  // namespace

TEST_CASE(
    "two hosts show whole timesteps alike over a bad path, one slow, while the source restarts",
    "[emulation][live]") {
  const TemporaryFolder folder;
  PathOptions path;
  path.loss = 0.05;
  path.reorder = 0.1;
  const auto network = network_or_skip({{}, {}}, folder.path(), path);
  if (!network) return;
  LiveHosts show(*network, folder);
  auto simulation = show.begin(2);
  // One host's caster works for a fifth of the time only.
  const std::jthread slow([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      signal_processes("tilewall-caster", network->hosts()[1], SIGSTOP);
      std::this_thread::sleep_for(std::chrono::milliseconds(40));
      signal_processes("tilewall-caster", network->hosts()[1], SIGCONT);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  CHECK(show.goes_on(10));
  CHECK(!simulation->failed());
  simulation.reset();
  simulation = show.begin(3);
  CHECK(show.goes_on(30));
  const Show ended = show.finish();
  CAPTURE(ended.program.err);
  REQUIRE(ended.program.exit_code == 0);
  const nlohmann::json live = ended.report.at("live").at(0);
  CAPTURE(live.dump());
  CHECK(live.at("runs") == 2);
  CHECK(live.at("lost_packets") > 0);
  std::vector<std::vector<std::int64_t>> orders;
  for (const std::string& panel : pair_panels)
    orders.push_back(checked_timesteps(ended.report, panel));
  const std::size_t both = std::min(orders[0].size(), orders[1].size());
  REQUIRE(both >= 30);  // a panel may have come after the first, or not have told its last ones
  for (auto& order : orders) order.resize(both);
  CHECK(orders[0] == orders[1]);
}

TEST_CASE("a live wall goes on without a host that is switched off, and with it afterwards",
          "[emulation][live]") {
  const TemporaryFolder folder;
  const auto network = network_or_skip({{}, {}}, folder.path());
  if (!network) return;
  LiveHosts show(*network, folder);
  const auto simulation = show.begin(2);
  REQUIRE(show.goes_on(5));
  // Nothing comes from it any more, and its connections stay open, as where the power is cut.
  network->cut(network->hosts()[1]);
  const auto is_silent = [&] { return show.status().at("per_panel")[1].at("silent_s") > 3; };
  CHECK(eventually(is_silent, std::chrono::seconds(30)));
  const std::int64_t steps = simulation->steps();
  CHECK(show.goes_on(8));
  // The wall went on before it knew that the connection is of no use.
  CHECK(is_silent());
  CHECK(show.status().at("per_panel")[1].at("connected") == true);
  CHECK(simulation->steps() > steps + 8);
  network->join();
  CHECK(eventually([&] { return !is_silent(); }, std::chrono::seconds(60)));
  CHECK(show.goes_on(5));
  CHECK(!simulation->failed());
  const Show ended = show.finish();
  CAPTURE(ended.program.err);
  CHECK(ended.program.exit_code == 0);
  const std::vector<std::int64_t> lone = checked_timesteps(ended.report, "c0r0");
  const std::vector<std::int64_t> other = checked_timesteps(ended.report, "c1r0");
  REQUIRE(!other.empty());
  // The other host has missed some, and has shown the last ones again.
  CHECK(lone.size() >= other.size() + 5);
  CHECK(other.back() + 200 > lone.back());
}
