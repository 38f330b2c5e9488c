#include "player/bench/control_show.hpp"

#include <csignal>
#include <thread>
#include <utility>

#include "player/bench/report.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/host_name.hpp"

namespace tilewall {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::seconds start_limit{20};
constexpr std::chrono::seconds show_end_limit{20};
constexpr std::chrono::milliseconds show_look_interval{50};

std::vector<std::string> play_command(const std::string& wall, const std::vector<fs::path>& movies,
                                      int fps, const std::string& launcher, const fs::path& run_dir,
                                      const fs::path& report) {
  std::vector<std::string> command = {own_program("tilewall").string(), "play"};
  for (const fs::path& movie : movies) command.push_back(movie.string());
  const std::vector<std::string> options = {
      "--wall",       wall,     "--headless", "--presenter",    "cpu",
      "--local",      "--loop", "--hashes",   "--fps",          std::to_string(fps),
      "--launcher",   launcher, "--run-dir",  run_dir.string(), "--report",
      report.string()};
  command.insert(command.end(), options.begin(), options.end());
  return command;
}

}  // namespace

ControlledShow::ControlledShow(const std::string& wall, const std::vector<fs::path>& movies,
                               int fps, const std::string& launcher, const fs::path& folder)
    : report_(folder / "report.json"), run_dir_(folder / "run") {
  play_ = start_program(play_command(wall, movies, fps, launcher, run_dir_, report_),
                        {{}, folder / "play.log", false});
  wait_until_it_plays();
}

ControlledShow::~ControlledShow() {
  if (play_ != 0) end_child(play_, show_end_limit);
}

void ControlledShow::wait_until_it_plays() {
  const auto until = SteadyClock::now() + start_limit;
  const fs::path page = run_dir_ / ("clock-page-" + host_name());
  std::error_code error;
  while (!fs::exists(page, error)) {
    if (SteadyClock::now() > until) throw JobError("the wall did not play");
    std::this_thread::sleep_for(show_look_interval);
  }
  clock_ = wait_for_clock_page(page, start_limit);
  connection_ = std::make_unique<WallConnection>(WallAddress{run_dir_, {}});
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
  return report;
}

}  // namespace tilewall
