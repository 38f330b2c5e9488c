#include "tests/integration/looping_show.hpp"

#include <sys/resource.h>

#include <catch2/catch.hpp>
#include <iterator>
#include <map>
#include <set>

#include "sync/base/process.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/numbered_movie.hpp"

namespace tilewall::test {
namespace {

namespace fs = std::filesystem;

constexpr rlim_t starved_bytes = 30'000'000;   // a panel takes 170 MB of addresses
constexpr std::int64_t away_ns = 250'000'000;  // fifteen ticks

}  // namespace

LoopingShow::LoopingShow(const TemporaryFolder& folder, int frames, const std::string& wall,
                         const Words& more)
    : run_dir_(folder / "run"), report_(folder / "report.json") {
  write_numbered_movie(folder / "movie", restart_wall_px, restart_frames);
  Words words = looping_options(folder.path(), 60, frames);
  words.insert(words.end(), more.begin(), more.end());
  program_.emplace(play_words(folder / "movie", wall, words));
  REQUIRE(eventually([&] { return fs::exists(folder / "begun.png"); }));
}

pid_t LoopingShow::kill_role(const std::string& role, int signal) {
  const fs::path file = run_dir_ / "pids" / role;
  const pid_t old = pid_in(file);
  if (old <= 0) return 0;
  ::kill(old, signal);
  const bool back = eventually([&] {
    const pid_t now = pid_in(file);
    return now > 0 && now != old && is_alive(now);
  });
  return back ? pid_in(file) : 0;
}

bool LoopingShow::break_host_service() {
  const fs::path socket = run_dir_ / ("movies-" + host_name());
  const fs::path log = run_dir_ / "logs/host.log";
  const auto said_bytes = fs::file_size(log);
  fs::remove(socket);
  fs::create_directory(socket);
  ::kill(pid_in(run_dir_ / "pids/host"), SIGKILL);
  const bool failed = eventually([&] { return fs::file_size(log) > said_bytes; });
  fs::remove(socket);
  return failed && eventually([&] {
           return fs::is_socket(socket) && is_alive(pid_in(run_dir_ / "pids/host"));
         });
}

bool LoopingShow::kill_keeper_of(const std::string& role) {
  return kill_above(role, parent_of(pid_in(run_dir_ / "pids" / role)));
}

bool LoopingShow::kill_host_keeper(const std::string& role) {
  return kill_above(role, parent_of(parent_of(pid_in(run_dir_ / "pids" / role))));
}

void LoopingShow::lose(const std::string& role) {
  const pid_t panel = pid_in(run_dir_ / "pids" / role);
  const rlimit little = {starved_bytes, RLIM_INFINITY};
  REQUIRE(::prlimit(parent_of(panel), RLIMIT_AS, &little, nullptr) == 0);
  ::kill(panel, SIGKILL);
}

bool LoopingShow::starve(const std::string& role) {
  const fs::path file = run_dir_ / "pids" / role;
  const pid_t keeper = parent_of(pid_in(file));
  const rlimit little = {starved_bytes, RLIM_INFINITY};
  rlimit before = {};
  if (::prlimit(keeper, RLIMIT_AS, &little, &before) != 0) return false;
  std::set<pid_t> seen = {pid_in(file)};
  ::kill(*seen.begin(), SIGKILL);
  const bool failed = eventually([&] {
    if (const pid_t now = pid_in(file); now > 0) seen.insert(now);
    return seen.size() >= 4;
  });
  return ::prlimit(keeper, RLIMIT_AS, &before, nullptr) == 0 && failed;
}

pid_t LoopingShow::pid_of(const std::string& role) const {
  return pid_in(run_dir_ / "pids" / role);
}

bool LoopingShow::kill_above(const std::string& role, pid_t above) {
  const fs::path file = run_dir_ / "pids" / role;
  const pid_t old = pid_in(file);
  ::kill(above, SIGKILL);
  return eventually([&] {
    const pid_t now = pid_in(file);
    return now > 0 && now != old && is_alive(now) && !is_alive(old);
  });
}

bool LoopingShow::all_show() const {
  const std::optional<std::vector<std::int64_t>> before = eventually_shown();
  return before && eventually([&] {
           const auto now = shown_by_processes();
           if (!now) return false;
           for (std::size_t i = 0; i < now->size(); ++i)
             if ((*now)[i] <= (*before)[i]) return false;
           return true;
         });
}

Show LoopingShow::stop() {
  program_->send_signal(SIGINT);
  return finish();
}

std::optional<std::vector<std::int64_t>> LoopingShow::shown_by_processes() const {
  const auto status = nlohmann::json::parse(
      run_program({tilewall_program, "ctl", "status", "--json", "--run-dir", run_dir_.string()})
          .out,
      nullptr, false);
  if (!status.is_object()) return std::nullopt;
  std::vector<std::int64_t> shown;
  for (const auto& panel : status.at("per_panel")) {
    const pid_t pid = pid_of("panel-" + std::to_string(shown.size()));
    if (panel.at("connected") != true || panel.at("pid") != pid) return std::nullopt;
    shown.push_back(panel.at("frames_shown").get<std::int64_t>());
  }
  return shown;
}

std::optional<std::vector<std::int64_t>> LoopingShow::eventually_shown() const {
  std::optional<std::vector<std::int64_t>> shown;
  static_cast<void>(eventually([&] { return (shown = shown_by_processes()).has_value(); },
                               std::chrono::seconds(20)));
  return shown;
}

std::vector<nlohmann::json> restarts_of(const Show& show, const std::string& role) {
  std::vector<nlohmann::json> found;
  for (const auto& restart : show.report.at("restarts"))
    if (restart.at("role") == role) found.push_back(restart);
  return found;
}

bool is_in_step(const Show& show, const std::string& panel, const std::string& other) {
  const nlohmann::json of_panel = panel_report(show.report, panel);
  const nlohmann::json of_other = panel_report(show.report, other);
  std::map<std::int64_t, std::int64_t> frame_at;
  for (const auto& frame : of_other.at("frames"))
    frame_at[frame.at("due_ns").get<std::int64_t>()] = frame.at("frame").get<std::int64_t>();
  int compared = 0;
  int alone = 0;  // while the other panel runs, or comes back soon
  for (const auto& frame : of_panel.at("frames")) {
    const auto due_ns = frame.at("due_ns").get<std::int64_t>();
    const auto next = frame_at.lower_bound(due_ns);
    if (next == frame_at.end()) continue;
    if (next->first == due_ns) {
      if (next->second != frame.at("frame")) return false;
      ++compared;
    } else if (next != frame_at.begin() && next->first - std::prev(next)->first < away_ns) {
      ++alone;
    }
  }
  return compared > alone;
}

int left_out(const std::vector<ShownHash>& shown) {
  int missing = 0;
  for (std::size_t i = 1; i < shown.size(); ++i)
    missing += static_cast<int>((shown[i].frame - shown[i - 1].frame + 2 * restart_frames - 1) %
                                restart_frames);
  return missing;
}

}  // namespace tilewall::test
