// A live source on two hosts, one of which is slow, over a path that loses and reorders packets,
// while the source ends and begins anew: no picture mixes timesteps.

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/emulation/emulated_wall.hpp"
#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/live_simulation.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;

TEST_CASE(
    "two hosts show whole timesteps alike over a bad path, one slow, while the source restarts",
    "[emulation][live]") {
  const TemporaryFolder folder;
  PathOptions path;
  path.loss = 0.05;
  path.reorder = 0.1;
  std::string reason;
  const auto network = EmulatedNetwork::try_make({{}, {}}, path, folder.path(), reason);
  if (!network) {
    WARN("skipped: " << reason);
    return;
  }
  write_wall_of(folder / "wall.toml", *network, 1);
  write_live_camera(folder / "camera.toml");
  const std::string key = (folder / "wall.key").string();
  REQUIRE(run_program({tilewall_program, "key", "new", key}).exit_code == 0);
  Words view = network->at_head();
  view.insert(view.end(), {tilewall_program,
                           "view",
                           "live:sim",
                           "--live-listen",
                           "0.0.0.0:7643",
                           "--key-file",
                           key,
                           "--wall",
                           (folder / "wall.toml").string(),
                           "--camera",
                           (folder / "camera.toml").string(),
                           "--caster",
                           "cpu",
                           "--headless",
                           "--hashes",
                           "--run-dir",
                           (folder / "run").string(),
                           "--report",
                           (folder / "report.json").string(),
                           "--launcher",
                           network->launcher()});
  RunningProgram show(view);
  std::string walls;
  for (const EmulatedHost& host : network->hosts())
    walls += (walls.empty() ? "" : ",") + host.address + ":7643";
  const auto begin = [&](int ranks) {
    return std::make_unique<LiveSimulation>(walls, ranks, key, network->hosts()[0].network.path());
  };
  auto simulation = begin(2);
  // One host's caster works for a fifth of the time only.
  const std::jthread slow([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      signal_processes("tilewall-caster", network->hosts()[1], SIGSTOP);
      std::this_thread::sleep_for(std::chrono::milliseconds(40));
      signal_processes("tilewall-caster", network->hosts()[1], SIGCONT);
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
  });
  const auto shown = [&] {
    Words ask = network->at_head();
    ask.insert(ask.end(), {tilewall_program, "ctl", "status", "--json", "--run-dir",
                           (folder / "run").string()});
    const auto status = nlohmann::json::parse(run_program(ask).out, nullptr, false);
    const bool has_live = status.is_object() && !status.at("live").empty();
    return has_live ? status.at("live")[0].at("shown").get<int>() : 0;
  };
  CHECK(eventually([&] { return shown() >= 10; }, std::chrono::seconds(60)));
  CHECK(!simulation->failed());
  simulation.reset();
  simulation = begin(3);
  CHECK(eventually([&] { return shown() >= 40; }, std::chrono::seconds(60)));
  Words quit = network->at_head();
  quit.insert(quit.end(),
              {tilewall_program, "ctl", "quit", "--run-dir", (folder / "run").string()});
  CHECK(run_program(quit).exit_code == 0);
  const Show ended = end_of(show, folder / "report.json");
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
