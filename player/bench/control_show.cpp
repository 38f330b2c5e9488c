#include "player/bench/control_show.hpp"

#include <algorithm>
#include <csignal>
#include <limits>
#include <thread>
#include <utility>

#include "player/bench/common.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/process.hpp"

namespace tilewall::bench {

namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds start_limit{120};  // 500 panels on a small machine
constexpr std::chrono::seconds show_end_limit{120};
constexpr std::chrono::milliseconds show_look_interval{50};

}  // namespace

ControlledShow::ControlledShow(const std::vector<std::string>& arguments, const fs::path& folder)
    : report_(folder / "report.json"), run_dir_(folder / "run") {
  std::vector<std::string> command = {own_program("tilewall").string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  for (const char* const option : {"--headless", "--presenter", "cpu", "--local", "--run-dir"})
    command.emplace_back(option);
  command.push_back(run_dir_.string());
  command.emplace_back("--report");
  command.push_back(report_.string());
  play_ = start_program(command, {{}, folder / "play.log", false});
  const auto until = SteadyClock::now() + start_limit;
  const fs::path page = run_dir_ / ("clock-page-" + host_name());
  std::error_code error;
  while (!fs::exists(page, error)) {
    if (SteadyClock::now() > until) throw JobError("the wall did not start");
    std::this_thread::sleep_for(show_look_interval);
  }
  clock_ = net::wait_for_clock_page(page, start_limit);
  connection_ = std::make_unique<command::WallConnection>(command::WallAddress{run_dir_, {}});
}

ControlledShow::~ControlledShow() {
  if (play_ != 0) end_child(play_, show_end_limit);
}

void ControlledShow::wait_until_it_plays() {
  const auto until = SteadyClock::now() + start_limit;
  while (ask({{"type", "status"}}).at("frames_shown") == 0) {
    if (SteadyClock::now() > until) throw JobError("the wall did not play");
    std::this_thread::sleep_for(show_look_interval);
  }
}

nlohmann::json ControlledShow::finish() {
  connection_.reset();
  ::kill(play_, SIGTERM);
  static_cast<void>(wait_for(std::exchange(play_, 0), show_end_limit));
  auto report = nlohmann::json::parse(read_text_file(report_, max_report_bytes), nullptr, false);
  if (!report.is_object()) throw JobError("the wall did not play");
  if (report.contains("error"))
    throw JobError("the wall did not play to its end: " + report["error"].get<std::string>());
  return report;
}

namespace {

constexpr std::chrono::milliseconds rest_time{1000};
constexpr std::int64_t scrub_step = 7;             // frames from one seek to the next
constexpr std::int64_t early_swap_ns = 2'000'000;  // a swap may be so much before its instant

/// The pictures that one panel showed of a scrub.
struct PanelScrub {
  int pictures = 0;
  int wrong = 0;
  std::int64_t last_ns = 0;
};

PanelScrub panel_scrub(const nlohmann::json& frames, const Scrub& scrub) {
  PanelScrub seen;
  for (const auto& shown : frames) {
    const std::int64_t stamp_ns = shown.at("stamp_ns").get<std::int64_t>() + early_swap_ns;
    const auto next = std::upper_bound(
        scrub.stops.begin(), scrub.stops.end(), stamp_ns,
        [](std::int64_t at_ns, const Scrub::Stop& stop) { return at_ns < stop.at_ns; });
    if (next == scrub.stops.begin() || stamp_ns > scrub.end_ns) continue;
    if (shown.at("frame") != std::prev(next)->frame) ++seen.wrong;
    if (stamp_ns <= scrub.stops.back().at_ns + early_swap_ns) ++seen.pictures;
    seen.last_ns = shown.at("stamp_ns");
  }
  return seen;
}

}  // namespace

Scrub scrub(ControlledShow& show, int times, std::int64_t movie_frames) {
  show.ask({{"type", "pause"}});
  std::this_thread::sleep_for(rest_time);
  Scrub scrub;
  for (int i = 0; i < times; ++i) {
    const nlohmann::json answer =
        show.ask({{"type", "seek"}, {"frame", i * scrub_step % movie_frames}});
    scrub.stops.push_back({answer.at("at_ns"), answer.at("frame")});
  }
  scrub.released_ns = show.now().since_epoch.count();
  std::this_thread::sleep_for(rest_time);
  scrub.end_ns = show.now().since_epoch.count();
  show.ask({{"type", "play"}});
  return scrub;
}

nlohmann::json scrub_figures(const nlohmann::json& report, const Scrub& scrub) {
  const double scrub_s =
      static_cast<double>(scrub.stops.back().at_ns - scrub.stops.front().at_ns) / 1e9;
  int fewest = std::numeric_limits<int>::max();
  int wrong = 0;
  std::int64_t full_ns = 0;
  for (const auto& panel : report.at("per_panel")) {
    const PanelScrub seen = panel_scrub(panel.at("frames"), scrub);
    fewest = std::min(fewest, seen.pictures);
    wrong += seen.wrong;
    full_ns = std::max(full_ns, seen.last_ns - scrub.released_ns);
  }
  return {{"seeks", scrub.stops.size()},
          {"pictures_per_s", std::max(0, fewest - 1) / scrub_s},
          {"wrong_frames", wrong},
          {"full_after_ms", static_cast<double>(full_ns) / 1e6}};
}

}  // namespace tilewall::bench
