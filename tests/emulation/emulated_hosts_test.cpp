// Shows on several hosts with clocks of their own, where this user may emulate them.

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "sync/base/file.hpp"
#include "tests/emulation/clock_skew.hpp"
#include "tests/emulation/emulated_show.hpp"
#include "tests/emulation/emulated_wall.hpp"
#include "tests/emulation/network_or_skip.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/volume_pyramid.hpp"

using namespace tilewall;
using namespace tilewall::test;

namespace fs = std::filesystem;

TEST_CASE("a movie on 15 panels of three hosts with clocks of their own", "[emulation]") {
  EmulatedShowOptions options;
  options.seconds = 5;
  options.path.loss = 0.05;
  options.sound = true;
  options.date_step_at_s = 3;
  std::string reason;
  const auto result = play_on_emulated_hosts(options, reason);
  if (!result) {
    WARN("skipped: " << reason);
    return;
  }
  CAPTURE(result->err, result->report.value("error", ""));
  REQUIRE(result->exit_code == 0);
  CHECK(result->pictures > 0);
  CHECK(result->wrong_pictures == 0);
  CHECK(result->report.at("frames_scheduled") == 120);
  CHECK(result->report.at("clock").size() == 3);
  const nlohmann::json audio = result->report.at("audio");
  CAPTURE(audio);
  CHECK(audio.at("state") == "played");
  CHECK(audio.at("host") == result->report.at("per_panel").at(2).at("host"));
  CHECK(result->violations == 0);
  REQUIRE(!result->skews_ns.empty());
  // Two days apart and 200 ppm by themselves; nothing here depends on how busy the machine is.
  const std::int64_t bound_ns =
      *std::max_element(result->bounds_ns.begin(), result->bounds_ns.end());
  CHECK(*std::max_element(result->skews_ns.begin(), result->skews_ns.end()) <= 2 * bound_ns);
}

namespace {

/// A pattern in a loop on a column of two panels per host.
class HostsShow {
 public:
  HostsShow(const EmulatedNetwork& network, const TemporaryFolder& folder)
      : network_(network), folder_(folder) {
    write_wall_of(folder / "wall.toml", network, 2);
    Words words = network.at_head();
    words.insert(words.end(),
                 {tilewall_program, "play", "pattern:count", "--wall",
                  (folder / "wall.toml").string(), "--headless", "--hashes", "--loop", "--report",
                  (folder / "report.json").string(), "--run-dir", (folder / "run").string(),
                  "--launcher", network.launcher(), "--key-file", network.key_file()});
    program_.emplace(words);
  }

  /// `tilewall ctl VERB WORDS...` at this wall.
  [[nodiscard]] ProgramResult ctl(const Words& words) const {
    Words all = network_.at_head();
    all.insert(all.end(), {tilewall_program, "ctl"});
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--run-dir", (folder_ / "run").string()});
    return run_program(all);
  }

  [[nodiscard]] nlohmann::json status() const {
    return nlohmann::json::parse(ctl({"status", "--json"}).out, nullptr, false);
  }

  /// Waits until the panels of the hosts in `names`, and no others, show pictures.
  bool plays_on(const std::vector<std::string>& names,
                std::chrono::seconds limit = std::chrono::seconds(60)) const {
    return eventually(
        [&] {
          const nlohmann::json now = status();
          if (!now.is_object() || now.at("phase") != "playing") return false;
          std::size_t shows = 0;
          for (const auto& panel : now.at("per_panel"))
            if (panel.at("connected") == true && panel.at("frames_shown") > 0 &&
                panel.at("silent_s") < 1) {
              if (std::ranges::find(names, panel.at("host").get<std::string>()) == names.end())
                return false;
              ++shows;
            }
          return shows == 2 * names.size();
        },
        limit);
  }

  /// What the show says of itself: its status, and the logs of its processes.
  [[nodiscard]] std::string news() const {
    std::string news = status().dump(1);
    std::error_code none;
    for (const fs::directory_entry& log : fs::directory_iterator(folder_ / "run" / "logs", none)) {
      std::ifstream stream(log.path());
      news += "\n" + log.path().string() + ":\n";
      news.append(std::istreambuf_iterator<char>(stream), {});
    }
    return news;
  }

  /// The process numbers of all panels, by name.
  [[nodiscard]] std::map<std::string, pid_t> pids() const {
    std::map<std::string, pid_t> pids;
    const nlohmann::json now = status();
    for (const auto& panel : now.at("per_panel")) pids[panel.at("panel")] = panel.at("pid");
    return pids;
  }

  Show finish() {
    CHECK(ctl({"quit"}).exit_code == 0);
    return end_of(*program_, folder_ / "report.json");
  }

 private:
  const EmulatedNetwork& network_;
  const TemporaryFolder& folder_;
  std::optional<RunningProgram> program_;
};

/// Whether all panels of the second host are other processes than before.
bool has_new_second_host(const HostsShow& show, const std::map<std::string, pid_t>& before) {
  const std::map<std::string, pid_t> now = show.pids();
  return now.at("c1r0") != before.at("c1r0") && now.at("c1r1") != before.at("c1r1");
}

/// The launchers that were started again, by the report of a show of which every process is back.
std::vector<std::string> launchers_restarted(const nlohmann::json& report) {
  std::vector<std::string> hosts;
  for (const auto& restart : report.at("restarts")) {
    CHECK(restart.at("back_s").is_number());
    if (restart.at("role").get<std::string>().starts_with("launcher"))
      hosts.push_back(restart.value("host", ""));
  }
  return hosts;
}

/// Waits until both hosts show pictures. Returns the process numbers of all panels, by name.
std::map<std::string, pid_t> pids_once_it_plays(const HostsShow& show) {
  const bool plays = show.plays_on({"h1", "h2"});
  INFO(show.news());
  REQUIRE(plays);
  return show.pids();
}

}  // namespace

TEST_CASE("a wall plays without a host that is missing, and a late one joins", "[emulation]") {
  const TemporaryFolder folder;
  const auto network = network_or_skip({{}, {}, {}}, folder.path());
  if (!network) return;
  network->switch_host(network->hosts()[1], false);
  network->switch_host(network->hosts()[2], false);
  HostsShow show(*network, folder);
  REQUIRE(show.plays_on({"h1"}, std::chrono::seconds(90)));  // a busy machine waits longer for h2
  const std::map<std::string, pid_t> before = show.pids();
  const std::string reasons = show.status().at("reasons").dump();
  CHECK_THAT(reasons, Catch::Contains("host h2 gone") && Catch::Contains("host h3 gone") &&
                          !Catch::Contains("host h1"));
  network->switch_host(network->hosts()[1], true);
  CHECK(show.plays_on({"h1", "h2"}));
  CHECK(show.pids().at("c0r0") == before.at("c0r0"));
  CHECK(show.status().at("missing_hosts") == nlohmann::json::array({"h3"}));

  const Show ended = show.finish();
  CAPTURE(ended.program.err);
  CHECK(ended.program.exit_code == 1);
  const std::string off = ": it is not reachable: no route to the host; check its address, cable";
  CHECK_THAT(ended.program.err,
             Catch::Contains("tilewall: host h2 (10.77.0.2)" + off) &&
                 Catch::Contains("tilewall: host h3 (10.77.0.3)" + off) &&
                 Catch::Contains("tilewall: host h2: its panels are started now\n") &&
                 Catch::Contains("no picture from host h2 (c1r0, c1r1), host h3 (c2r0, c2r1)") &&
                 !Catch::Contains("host h1") && !Catch::Contains("c0r0"));
  REQUIRE(ended.report.at("hosts").size() == 1);
  CHECK(ended.report.at("hosts")[0].at("host") == "h3");
  for (const auto& missing : ended.report.at("missing_at_start"))
    CHECK(missing.at("joined_s").is_number() ==
          (missing.at("panel") == "c1r0" || missing.at("panel") == "c1r1"));
}

TEST_CASE("a host that loses all its processes comes back, the other one is left alone",
          "[emulation]") {
  const TemporaryFolder folder;
  const auto network = network_or_skip({{}, {}}, folder.path());
  if (!network) return;
  HostsShow show(*network, folder);
  const std::map<std::string, pid_t> before = pids_once_it_plays(show);
  for (const pid_t pid : EmulatedNetwork::processes_of(network->hosts()[1])) ::kill(pid, SIGKILL);
  CHECK(eventually([&] { return has_new_second_host(show, before); }, std::chrono::seconds(60)));
  CHECK(show.plays_on({"h1", "h2"}));
  CHECK(show.pids().at("c0r0") == before.at("c0r0"));
  ::kill(pid_in(folder / "run" / "pids" / "mpirun-h1"), SIGKILL);
  CHECK(eventually([&] { return show.pids().at("c0r1") != before.at("c0r1"); },
                   std::chrono::seconds(60)));
  CHECK(show.plays_on({"h1", "h2"}));
  const Show ended = show.finish();
  CAPTURE(ended.program.err);
  CHECK(ended.program.exit_code == 0);
  CHECK(launchers_restarted(ended.report).size() == 2);
}

TEST_CASE("the launcher of one host is restarted by its name, the other host is left alone",
          "[emulation]") {
  const TemporaryFolder folder;
  const auto network = network_or_skip({{}, {}}, folder.path());
  if (!network) return;
  HostsShow show(*network, folder);
  const std::map<std::string, pid_t> before = pids_once_it_plays(show);
  CHECK_THAT(show.ctl({"restart", "launcher"}).err,
             Catch::Contains("host: expected a host of this wall (h1, h2), found none"));
  CHECK(show.ctl({"restart", "launcher", "h2"}).out == "restart: done\n");
  CHECK(eventually([&] { return has_new_second_host(show, before); }, std::chrono::seconds(60)));
  CHECK(show.plays_on({"h1", "h2"}));
  CHECK(show.pids().at("c0r0") == before.at("c0r0"));
  CHECK(show.pids().at("c0r1") == before.at("c0r1"));
  const Show ended = show.finish();
  CAPTURE(ended.program.err);
  CHECK(ended.program.exit_code == 0);
  CHECK(launchers_restarted(ended.report) == std::vector<std::string>{"h2"});
}

TEST_CASE("a host whose link is cut for seconds plays on", "[emulation]") {
  const TemporaryFolder folder;
  const auto network = network_or_skip({{}, {}}, folder.path());
  if (!network) return;
  HostsShow show(*network, folder);
  const std::map<std::string, pid_t> before = pids_once_it_plays(show);
  network->cut(network->hosts()[1]);
  CHECK(eventually([&] { return show.status().at("per_panel")[1].at("silent_s") > 3; }));
  network->join();
  CHECK(show.plays_on({"h1", "h2"}));
  CHECK(show.pids() == before);
  const Show ended = show.finish();
  CAPTURE(ended.program.err);
  CHECK(ended.program.exit_code == 0);
  CHECK(ended.report.at("restarts").empty());
  // What it showed meanwhile is what was due: each frame once, in order.
  const std::vector<ShownHash> shown = shown_by(ended.report, "c1r0");
  REQUIRE(shown.size() > 1);
  for (std::size_t i = 1; i < shown.size(); ++i) CHECK(shown[i - 1].frame < shown[i].frame);
}

// By hand, as it takes 75 s: test_emulated_hosts "[long]"
TEST_CASE("a host whose link is cut for a minute is started again, and rejoins",
          "[.][long][emulation]") {
  const TemporaryFolder folder;
  const auto network = network_or_skip({{}, {}}, folder.path());
  if (!network) return;
  HostsShow show(*network, folder);
  const std::map<std::string, pid_t> before = pids_once_it_plays(show);
  network->cut(network->hosts()[1]);
  CHECK(eventually([&] { return !is_alive(before.at("c1r0")) && !is_alive(before.at("c1r1")); },
                   std::chrono::seconds(60)));
  std::this_thread::sleep_for(std::chrono::seconds(10));  // it is tried in vain meanwhile
  network->join();
  CHECK(show.plays_on({"h1", "h2"}));
  CHECK(show.pids().at("c0r0") == before.at("c0r0"));
  CHECK(show.pids().at("c1r0") != before.at("c1r0"));
  const Show ended = show.finish();
  CAPTURE(ended.program.err);
  CHECK(ended.program.exit_code == 0);
  CHECK_THAT(ended.program.err, Catch::Contains("tilewall: host h2: its panels are started now\n"));
  std::size_t panels = 0;  // their old connections were still open when the new ones came
  for (const auto& restart : ended.report.at("restarts")) {
    CHECK(restart.at("back_s").is_number());
    panels += restart.at("role") == "panel";
  }
  CHECK(panels == 2);
}

TEST_CASE("a skewed clock's instants are converted both ways to the nanosecond", "[emulation]") {
  ClockSkew skew;
  skew.offset_ns = 7'777'777'777'777;
  skew.anchor_monotonic_ns = 1'000'000'000'000;
  skew.anchor_realtime_ns = 1'700'000'000'000'000'000;
  skew.date_step_ns = -1'000'000'000;
  for (const double drift_ppm : {0.0, 100.0, -100.0, 37.5}) {
    skew.drift_ppm = drift_ppm;
    for (const std::int64_t at : {0L, 1L, 123'456'789L, 86'400'000'000'000L}) {
      const std::int64_t monotonic_ns = skew.anchor_monotonic_ns + at;
      const std::int64_t realtime_ns = skew.anchor_realtime_ns + at;
      CHECK(std::abs(skew.machine_monotonic_ns(skew.monotonic_ns(monotonic_ns)) - monotonic_ns) <=
            1);
      CHECK(std::abs(skew.machine_realtime_ns(skew.realtime_ns(realtime_ns)) - realtime_ns) <= 1);
    }
  }
}

TEST_CASE("a crash on another host leaves its report here, and its log is in the wall's order",
          "[emulation]") {
  const TemporaryFolder folder;
  // Their clocks are days apart.
  const auto network =
      network_or_skip({{90'000'000'000'000, 50}, {-3'000'000'000, -50}}, folder.path());
  if (!network) return;
  write_wall_of(folder / "wall.toml", *network, 1);
  fs::create_directory(folder / "runs");  // where each host has a folder of its own
  const fs::path run_dir = folder / "runs" / "run";
  const auto tilewall = [&](const Words& words) {
    Words all = network->at_head();
    all.push_back(tilewall_program);
    all.insert(all.end(), words.begin(), words.end());
    all.insert(all.end(), {"--run-dir", run_dir.string()});
    return all;
  };
  ProgramOptions options;
  options.environment = {{hidden_folder_variable, (folder / "runs").string()}};
  RunningProgram show(
      tilewall({"play", "pattern:count", "--wall", (folder / "wall.toml").string(), "--headless",
                "--launcher", network->launcher(), "--key-file", network->key_file(), "--report",
                (folder / "report.json").string()}),
      options);
  const auto is_playing = [&] {
    const ProgramResult asked = run_program(tilewall({"ctl", "status", "--json"}));
    const nlohmann::json status = nlohmann::json::parse(asked.out, nullptr, false);
    return status.is_object() && status.at("frames_shown") > 0;
  };
  REQUIRE(eventually(is_playing, std::chrono::seconds(30)));
  const EmulatedHost& host = network->hosts()[1];
  for (const pid_t pid : processes_with("tilewall-panel")) {
    std::error_code gone;
    if (fs::read_symlink(fs::path("/proc") / std::to_string(pid) / "ns" / "net", gone) ==
        fs::read_symlink(host.network.path()))
      ::kill(pid, SIGSEGV);
  }
  std::int64_t crashed_ns = 0;
  std::int64_t told_ns = 0;
  nlohmann::json logs;
  const auto both_lines = [&] {
    const ProgramResult asked = run_program(tilewall({"ctl", "logs", "--json"}));
    logs = nlohmann::json::parse(asked.out, nullptr, false);
    if (!logs.is_object()) return false;
    for (const auto& line : logs.at("lines")) {
      const auto text = line.at("text").get<std::string>();
      const auto at_ns = line.at("at_ns").get<std::int64_t>();
      if (line.at("host") == host.name && line.at("role") == "panel-1" &&
          text.starts_with("tilewall-panel: crashed by signal 11"))
        crashed_ns = at_ns;
      if (line.at("role").get<std::string>().starts_with("launcher") &&
          text.starts_with("tilewall-keeper: panel 1 on " + host.name + " died of signal 11"))
        told_ns = at_ns;
    }
    return crashed_ns != 0 && told_ns != 0;
  };
  CHECK(eventually(both_lines, std::chrono::seconds(30)));
  CAPTURE(logs);
  // A host's own clock would put the one days before or after the other. The mapping of the host,
  // which both use, is slewed by far less than a millisecond between them.
  CHECK(told_ns > crashed_ns - 1'000'000);
  CHECK(told_ns < logs.at("now_ns"));
  CHECK(logs.at("missing").empty());
  const fs::path report = run_dir / "logs" / (host.name + "-panel-1.crash");
  CHECK(eventually([&] { return fs::exists(report); }, std::chrono::seconds(30)));
  CHECK(run_program(tilewall({"ctl", "quit"})).exit_code == 0);
  const ProgramResult end = show.wait(std::chrono::seconds(30));
  CAPTURE(end.err);
  CHECK(end.exit_code == 0);
  const std::string text = read_text_file(report, 1 << 20);
  CHECK(text.find("\nsignal 11 (Segmentation fault)") != std::string::npos);
  CHECK(text.find("tilewall-panel+0x") != std::string::npos);
  CHECK(end.err.find("tilewall: " + host.name +
                     "-panel-1 crashed by signal 11 (Segmentation fault)" + ": see " +
                     report.string() + "\n") != std::string::npos);
}
