// A live source on two hosts, one of which is slow, over a path that loses and reorders packets,
// while the source is killed and started again: no picture mixes timesteps.

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/emulation/emulated_wall.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/unused_port.hpp"

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
  write_wall_of(folder / "wall.toml", *network, 2);
  const std::string key = (folder / "wall.key").string();
  REQUIRE(run_program({tilewall_program, "key", "new", key}).exit_code == 0);
  // Every third timestep, with colours that do not depend on what was received before.
  const auto wall = [&](Words before, const std::string& name, const Words& more) {
    before.insert(before.end(), {tilewall_program,
                                 "view",
                                 "live:gs",
                                 "--key-file",
                                 key,
                                 "--wall",
                                 (folder / "wall.toml").string(),
                                 "--headless",
                                 "--hashes",
                                 "--frames",
                                 "15",
                                 "--caster",
                                 "cpu",
                                 "--memory",
                                 "64",
                                 "--range",
                                 "0,0.5",
                                 "--live-policy",
                                 "nth:3",
                                 "--report",
                                 (folder / (name + ".json")).string(),
                                 "--run-dir",
                                 (folder / name).string()});
    before.insert(before.end(), more.begin(), more.end());
    return before;
  };
  const auto simulation = [&](Words before, const std::string& walls) {
    before.insert(before.end(), {program_path("gray_scott"), "--grid", "24", "--steps", "1000000",
                                 "--every", "2", "--key-file", key, "--wall", walls});
    return before;
  };
  using Pictures = std::map<std::int64_t, std::string>;  // hashes by timestep
  const auto pictures_of = [](const nlohmann::json& panel) {
    Pictures pictures;
    for (const auto& frame : panel.at("frames"))
      pictures.emplace(frame.at("timestep").get<std::int64_t>(), frame.at("hash"));
    return pictures;
  };

  // What each panel shows of each timestep, on one host and a path without faults.
  std::map<std::string, Pictures> expected;
  {
    const std::string port = std::to_string(unused_port());
    RunningProgram alone(wall({}, "alone", {"--local", "--live-listen", "127.0.0.1:" + port}));
    const RunningProgram source(simulation({}, "127.0.0.1:" + port));
    const Show ended = end_of(alone, folder / "alone.json");
    CAPTURE(ended.program.err);
    REQUIRE(ended.program.exit_code == 0);
    for (const auto& panel : ended.report.at("live_shown"))
      expected[panel.at("panel")] = pictures_of(panel);
  }

  RunningProgram show(wall(network->at_head(), "hosts",
                           {"--live-listen", "0.0.0.0:7643", "--launcher", network->launcher()}));
  std::string walls;
  for (const EmulatedHost& host : network->hosts())
    walls += (walls.empty() ? "" : ",") + host.address;
  auto source = std::make_unique<RunningProgram>(simulation(network->at_head(), walls));
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
                           (folder / "hosts").string()});
    const auto status = nlohmann::json::parse(run_program(ask).out, nullptr, false);
    const bool has_live = status.is_object() && !status.at("live").empty();
    return has_live ? status.at("live")[0].at("shown").get<int>() : 0;
  };
  CHECK(eventually([&] { return shown() >= 5; }, std::chrono::seconds(60)));
  source.reset();  // it is killed in the middle of a timestep
  source = std::make_unique<RunningProgram>(simulation(network->at_head(), walls));
  const Show ended = end_of(show, folder / "hosts.json");
  CAPTURE(ended.program.err);
  REQUIRE(ended.program.exit_code == 0);
  CHECK(ended.report.at("live").at(0).at("runs") == 2);

  std::vector<std::vector<std::int64_t>> orders;
  std::size_t compared = 0;
  for (const auto& panel : ended.report.at("live_shown")) {
    orders.emplace_back();
    for (const auto& frame : panel.at("frames")) {
      const auto timestep = frame.at("timestep").get<std::int64_t>();
      if (orders.back().empty() || orders.back().back() != timestep)
        orders.back().push_back(timestep);
      const Pictures& alone = expected.at(panel.at("panel"));
      const auto whole = alone.find(timestep);
      if (whole == alone.end()) continue;
      CAPTURE(panel.at("panel").get<std::string>(), timestep);
      CHECK(frame.at("hash") == whole->second);
      ++compared;
    }
  }
  REQUIRE(orders.size() == 4);
  CHECK(compared >= 20);
  const std::size_t all =
      std::ranges::min_element(orders, {}, [](const auto& order) { return order.size(); })->size();
  REQUIRE(all >= 10);  // a panel may have come after the first, or not have told its last ones
  for (auto& order : orders) order.resize(all);
  for (const auto& order : orders) CHECK(order == orders.front());
}
