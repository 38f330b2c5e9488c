// A wall whose processes are killed one by one: each comes back, and the show goes on.

#include <sys/resource.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "sync/base/file.hpp"
#include "sync/base/process.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

constexpr SizePx restart_wall_px = {320, 192};
constexpr int restart_frames = 12;
constexpr rlim_t starved_bytes = 30'000'000;  // a panel takes 170 MB of addresses

constexpr int endless_frames = 60'000;  // a show that the test ends

/// A show that loops over a numbered movie on two by two panels until it has shown `frames`.
class LoopingShow {
 public:
  LoopingShow(const TemporaryFolder& folder, int frames,
              const std::string& wall = "two-by-two.toml", const Words& more = {})
      : run_dir_(folder / "run"), report_(folder / "report.json") {
    write_numbered_movie(folder / "movie", restart_wall_px, restart_frames);
    const fs::path begun = folder / "begun.png";
    Words words = {"--headless",
                   "--hashes",
                   "--loop",
                   "--fps",
                   "60",
                   "--frames",
                   std::to_string(frames),
                   "--run-dir",
                   run_dir_.string(),
                   "--report",
                   report_.string(),
                   "--snapshot",
                   "2:" + begun.string()};
    words.insert(words.end(), more.begin(), more.end());
    program_.emplace(play_words(folder / "movie", wall, words));
    REQUIRE(eventually([&] { return fs::exists(begun); }));
  }

  [[nodiscard]] const fs::path& run_dir() const { return run_dir_; }

  /// Kills the process of that role; its new process number, 0 when none came.
  pid_t kill_role(const std::string& role, int signal = SIGKILL) {
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

  /// Kills the host service while none can start, as its socket's name is taken, and frees that
  /// name again. Whether a service came back then.
  bool break_host_service() {
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

  /// Kills the keeper of a panel, and so the panel. Returns whether another panel came.
  bool kill_keeper_of(const std::string& role) {
    return kill_above(role, parent_of(pid_in(run_dir_ / "pids" / role)));
  }

  /// Kills the keeper of the whole host. Returns whether the panel of that role came back.
  bool kill_host_keeper(const std::string& role) {
    return kill_above(role, parent_of(parent_of(pid_in(run_dir_ / "pids" / role))));
  }

  /// Kills a panel while none can start, as its keeper has too little memory for one.
  void lose(const std::string& role) {
    const pid_t panel = pid_in(run_dir_ / "pids" / role);
    const rlimit little = {starved_bytes, RLIM_INFINITY};
    REQUIRE(::prlimit(parent_of(panel), RLIMIT_AS, &little, nullptr) == 0);
    ::kill(panel, SIGKILL);
  }

  /// Restarts a panel while it may have too little memory for its threads, until three processes
  /// have failed. Returns whether they have.
  bool starve(const std::string& role) {
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

  [[nodiscard]] pid_t pid_of(const std::string& role) const {
    return pid_in(run_dir_ / "pids" / role);
  }

  /// Kills a process above the panel of that role. Returns whether another panel came.
  bool kill_above(const std::string& role, pid_t above) {
    const fs::path file = run_dir_ / "pids" / role;
    const pid_t old = pid_in(file);
    ::kill(above, SIGKILL);
    return eventually([&] {
      const pid_t now = pid_in(file);
      return now > 0 && now != old && is_alive(now) && !is_alive(old);
    });
  }

  /// Waits until all panels show new frames by the processes that the pid files name now.
  [[nodiscard]] bool all_show() const {
    const std::optional<std::vector<std::int64_t>> before = eventually_shown();
    return before && eventually([&] {
             const auto now = shown_by_processes();
             if (!now) return false;
             for (std::size_t i = 0; i < now->size(); ++i)
               if ((*now)[i] <= (*before)[i]) return false;
             return true;
           });
  }

  Show finish() { return end_of(*program_, report_); }

  /// Ends the show before it has shown all frames.
  Show stop() {
    program_->send_signal(SIGINT);
    return finish();
  }

 private:
  /// Frames shown by each panel; empty while a panel is away.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> shown_by_processes() const {
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

  [[nodiscard]] std::optional<std::vector<std::int64_t>> eventually_shown() const {
    std::optional<std::vector<std::int64_t>> shown;
    static_cast<void>(eventually([&] { return (shown = shown_by_processes()).has_value(); },
                                 std::chrono::seconds(20)));
    return shown;
  }

  const fs::path run_dir_;
  const fs::path report_;
  std::optional<RunningProgram> program_;
};

/// Lets a process start no others, by a control group, where this user may make one.
class NoNewProcesses {
 public:
  explicit NoNewProcesses(pid_t of) : of_(std::to_string(of)) {
    const bool is_version_1 = fs::exists("/sys/fs/cgroup/pids");
    parent_ = is_version_1 ? "/sys/fs/cgroup/pids" : "/sys/fs/cgroup";
    group_ = parent_ / ("tilewall-test-" + of_);
    std::error_code error;
    fs::create_directory(group_, error);
    works_ = write(group_ / "cgroup.procs", of_) && write(group_ / "pids.max", "1");
  }
  ~NoNewProcesses() {
    write(parent_ / "cgroup.procs", of_);
    std::error_code error;
    fs::remove(group_, error);
  }
  NoNewProcesses(const NoNewProcesses&) = delete;
  NoNewProcesses& operator=(const NoNewProcesses&) = delete;

  [[nodiscard]] bool works() const noexcept { return works_; }

  /// How many starts of processes have failed.
  [[nodiscard]] int failed() const {
    std::string name;
    int count = 0;
    std::ifstream(group_ / "pids.events") >> name >> count;
    return count;
  }

 private:
  static bool write(const fs::path& file, const std::string& text) {
    std::ofstream to(file);
    to << text << std::flush;
    return to.good();
  }

  const std::string of_;
  fs::path parent_;
  fs::path group_;
  bool works_ = false;
};

/// The children of a process whose name is `name`, as /proc has it.
std::vector<pid_t> children_named(pid_t parent, const std::string& name) {
  std::ifstream file("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) +
                     "/children");
  std::vector<pid_t> found;
  for (pid_t child = 0; file >> child;) {
    std::string found_name;
    std::ifstream("/proc/" + std::to_string(child) + "/comm") >> found_name;
    if (found_name == name) found.push_back(child);
  }
  return found;
}

std::vector<nlohmann::json> restarts_of(const Show& show, const std::string& role) {
  std::vector<nlohmann::json> found;
  for (const auto& restart : show.report.at("restarts"))
    if (restart.at("role") == role) found.push_back(restart);
  return found;
}

constexpr std::int64_t away_ns = 250'000'000;  // fifteen ticks

/// Whether a panel showed pictures, and each time the frame that `other` showed at that instant.
/// Instants at which `other` showed nothing are not compared: it was away, left a frame out, or had
/// ended. A panel that is out of step has hardly an instant in common with it.
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

/// All of what a panel showed lies in the movie's order, without repeats; how many were left out.
int left_out(const std::vector<ShownHash>& shown) {
  int missing = 0;
  for (std::size_t i = 1; i < shown.size(); ++i)
    missing += static_cast<int>((shown[i].frame - shown[i - 1].frame + 2 * restart_frames - 1) %
                                restart_frames);
  return missing;
}

}  // namespace

TEST_CASE("a killed panel comes back into step, the others miss nothing", "[play]") {
  const TemporaryFolder folder;
  constexpr int frames = 180;
  LoopingShow running(folder, frames);
  CHECK(running.kill_role("panel-1") > 0);
  const Show show = running.finish();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  const auto restarts = restarts_of(show, "panel");
  REQUIRE(restarts.size() == 1);
  CHECK(restarts[0].at("panel") == "c1r0");
  REQUIRE(restarts[0].at("back_s").is_number());
  CHECK(restarts[0].at("back_s") > restarts[0].at("at_s"));
  for (const char* panel : {"c0r0", "c0r1", "c1r1"}) {
    CAPTURE(panel);
    CHECK(shown_by(show.report, panel).size() == frames);
    CHECK(left_out(shown_by(show.report, panel)) == 0);
  }
  const auto shown = shown_by(show.report, "c1r0");
  REQUIRE_FALSE(shown.empty());
  CHECK(shown.size() < frames);
  CHECK(shown.back().frame == (frames - 1) % restart_frames);
  for (const ShownHash& one : shown)
    REQUIRE(one.hash == hex(hash_of(cropped(numbered_picture(restart_wall_px, one.frame), {160, 0},
                                            {160, 96}))));
}

TEST_CASE("a panel that is lost for good is named, the others show all", "[play]") {
  const TemporaryFolder folder;
  constexpr int frames = 180;  // 3 s: longer than a panel may be away
  LoopingShow running(folder, frames);
  running.lose("panel-2");
  const Show show = running.finish();
  CHECK(show.program.exit_code == 1);
  CHECK(show.program.err.find("tilewall: panel c0r1 died and did not come back\n") !=
        std::string::npos);
  const auto restarts = restarts_of(show, "panel");
  REQUIRE(restarts.size() == 1);
  CHECK(restarts[0].at("back_s").is_null());
  CHECK(shown_by(show.report, "c1r1").size() == frames);
}

TEST_CASE("a show ends without its critical panel, and not without another one", "[play]") {
  const TemporaryFolder folder;
  constexpr int frames = 60'000;
  LoopingShow running(folder, frames, "critical.toml");
  running.lose("panel-1");
  running.lose("panel-2");
  const Show show = running.finish();
  CHECK(show.program.exit_code == 1);
  CHECK_THAT(show.program.err,
             Catch::StartsWith("tilewall: critical panel c0r1 did not come back within 10 s\n"));
  CHECK(show.report.at("frames_scheduled") < frames);
}

TEST_CASE("a show ends without a critical panel that dies at every start", "[play]") {
  const TemporaryFolder folder;
  LoopingShow running(folder, endless_frames, "critical.toml");
  const fs::path file = running.run_dir() / "pids/panel-2";
  // It is killed as soon as its keeper has started it, until the show has ended.
  std::set<pid_t> killed;
  CHECK(eventually(
      [&] {
        const pid_t now = pid_in(file);
        if (now > 0 && killed.insert(now).second) ::kill(now, SIGKILL);
        return !fs::exists(file);
      },
      std::chrono::seconds(50)));
  CHECK(killed.size() > 2);
  const Show show = running.finish();
  CHECK(show.program.exit_code == 1);
  CHECK_THAT(show.program.err,
             Catch::StartsWith("tilewall: critical panel c0r1 did not come back within 10 s\n"));
}

TEST_CASE("a director that dies beside a stop loses no frame that was shown", "[play]") {
  const TemporaryFolder folder;
  LoopingShow running(folder, endless_frames, "two-by-two.toml", {"--late", "drop"});
  REQUIRE(running.all_show());
  const pid_t director = running.pid_of("director");
  // Its panels show at least a dozen ticks of which it does not hear.
  ::kill(director, SIGSTOP);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  ::kill(director, SIGKILL);
  const Show show = running.stop();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(restarts_of(show, "director").size() == 1);
  const auto scheduled = show.report.at("frames_scheduled").get<std::int64_t>();
  constexpr std::int64_t tick_ns = 1'000'000'000 / 60;
  for (const char* panel : {"c0r0", "c1r0", "c0r1", "c1r1"}) {
    CAPTURE(panel);
    const nlohmann::json frames = panel_report(show.report, panel).at("frames");
    REQUIRE_FALSE(frames.empty());
    const auto due_ns = [](const nlohmann::json& frame) {
      return frame.at("due_ns").get<std::int64_t>();
    };
    const std::int64_t shown = (due_ns(frames.back()) - due_ns(frames.front())) / tick_ns;
    CHECK(shown > scheduled - 9);
  }
}

TEST_CASE("a show goes on without its run directory, also when the director dies", "[play]") {
  const TemporaryFolder folder;
  LoopingShow running(folder, endless_frames);
  const pid_t supervisor = running.pid_of("supervisor");
  const pid_t director = running.pid_of("director");
  fs::remove_all(running.run_dir());
  ::kill(director, SIGKILL);
  const auto new_director = [&] {
    for (const pid_t child : children_named(supervisor, "tw-director"))
      if (child != director) return child;
    return pid_t{0};
  };
  REQUIRE(eventually([&] { return new_director() != 0; }));
  const Show show = running.stop();
  CAPTURE(show.program.err);
  CHECK(show.program.exit_code == 0);
  CHECK(show.report.at("frames_shown") > 0);
}

TEST_CASE("a killed keeper's panel dies with it and comes back, the others miss nothing",
          "[play]") {
  const TemporaryFolder folder;
  constexpr int frames = 240;
  LoopingShow running(folder, frames);
  const pid_t other = running.pid_of("panel-1");
  CHECK(running.kill_keeper_of("panel-2"));
  CHECK(running.pid_of("panel-1") == other);
  const Show show = running.finish();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  const auto restarts = restarts_of(show, "panel");
  REQUIRE(restarts.size() == 1);
  CHECK(restarts[0].at("panel") == "c0r1");
  CHECK(restarts[0].at("back_s").is_number());
  for (const char* panel : {"c0r0", "c1r0", "c1r1"})
    CHECK(left_out(shown_by(show.report, panel)) == 0);
}

TEST_CASE("panels whose launcher or host keeper was killed come back into step", "[play]") {
  const TemporaryFolder folder;
  LoopingShow running(folder, endless_frames);
  const pid_t first = running.pid_of("panel-3");
  CHECK(running.kill_role("mpirun") > 0);
  CHECK(eventually([&] {
    const pid_t now = running.pid_of("panel-3");
    return now != first && is_alive(now) && !is_alive(first);
  }));
  CHECK(running.kill_host_keeper("panel-3"));
  CHECK(running.all_show());
  const Show show = running.stop();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  const auto launchers = restarts_of(show, "launcher");
  REQUIRE(launchers.size() == 2);
  for (const auto& restart : launchers) CHECK(restart.at("back_s").is_number());
  for (const ShownHash& one : shown_by(show.report, "c1r1"))
    REQUIRE(one.hash == hex(hash_of(cropped(numbered_picture(restart_wall_px, one.frame), {160, 96},
                                            {160, 96}))));
  CHECK(is_in_step(show, "c1r1", "c0r0"));
}

TEST_CASE("a panel that cannot get what it needs is tried again, and ends no show", "[play]") {
  const TemporaryFolder folder;
  LoopingShow running(folder, endless_frames);
  CHECK(running.starve("panel-1"));
  CHECK(running.all_show());
  const Show show = running.stop();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(is_in_step(show, "c1r0", "c0r0"));
  for (const char* panel : {"c0r0", "c0r1", "c1r1"})
    CHECK(left_out(shown_by(show.report, panel)) == 0);
}

TEST_CASE("a panel that dies again and again is tried again", "[play]") {
  const TemporaryFolder folder;
  LoopingShow running(folder, endless_frames);
  for (int i = 0; i < 8; ++i) CHECK(running.kill_role("panel-1") > 0);
  CHECK(running.all_show());
  const Show show = running.stop();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(is_in_step(show, "c1r0", "c0r0"));
}

TEST_CASE("a killed clock daemon and a killed host service come back", "[play]") {
  const TemporaryFolder folder;
  constexpr int frames = 150;
  LoopingShow running(folder, frames);
  CHECK(running.kill_role("clockd") > 0);
  CHECK(running.kill_role("host") > 0);
  const Show show = running.finish();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(restarts_of(show, "clockd").size() == 1);
  const auto hosts = restarts_of(show, "host");
  REQUIRE(hosts.size() == 1);
  CHECK(hosts[0].at("host") == host_name());
  CHECK(hosts[0].at("back_s") >= hosts[0].at("at_s"));
  CHECK(restarts_of(show, "panel").empty());
  CHECK(show.report.at("frames_shown") == frames);
}

TEST_CASE("a show goes on while no process can be started", "[play]") {
  const TemporaryFolder folder;
  constexpr int frames = 400;
  LoopingShow running(folder, frames);
  {
    const NoNewProcesses none(running.pid_of("supervisor"));
    if (!none.works()) {
      WARN("skipped: this user may not limit processes by a control group");
      return;
    }
    ::kill(running.pid_of("director"), SIGKILL);
    ::kill(running.pid_of("clockd"), SIGKILL);
    CHECK(eventually([&] { return none.failed() >= 2; }));
  }
  const Show show = running.finish();
  CAPTURE(show.program.err);
  CHECK(show.program.exit_code == 0);
  CHECK_THAT(show.program.err, Catch::Contains("tilewall: the director: fork: ") &&
                                   Catch::Contains("tilewall: the clock daemon: fork: "));
  CHECK(show.report.at("frames_shown") == frames);
  CHECK(restarts_of(show, "clockd").size() == 1);
  CHECK(restarts_of(show, "director").size() == 1);
}

TEST_CASE("two walls side by side do not disturb each other", "[play]") {
  const TemporaryFolder left_folder;
  const TemporaryFolder right_folder;
  LoopingShow left(left_folder, 60);
  LoopingShow right(right_folder, 40);
  const Show right_show = right.finish();
  const Show left_show = left.finish();
  CHECK(right_show.program.exit_code == 0);
  CHECK(left_show.program.exit_code == 0);
  CHECK(right_show.report.at("frames_shown") == 40);
  CHECK(left_show.report.at("frames_shown") == 60);
}

TEST_CASE("a host service that fails to start is tried again until it does", "[play]") {
  const TemporaryFolder folder;
  LoopingShow running(folder, endless_frames);
  CHECK(running.break_host_service());
  CHECK(running.all_show());
  CHECK(running.stop().program.exit_code == 0);
}

namespace {

std::vector<std::string> lines_with(const std::string& text, const std::string& part) {
  std::vector<std::string> found;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);)
    if (line.find(part) != std::string::npos) found.push_back(line);
  return found;
}

/// The answer of `tilewall ctl logs --json`; discarded where there was none.
nlohmann::json logs_of(const fs::path& run_dir, const Words& more = {}) {
  Words words = {tilewall_program, "ctl", "logs", "--json", "--run-dir", run_dir.string()};
  words.insert(words.end(), more.begin(), more.end());
  return nlohmann::json::parse(run_program(words).out, nullptr, false);
}

bool has_line(const nlohmann::json& logs, const std::string& role, const std::string& part) {
  return logs.is_object() && std::ranges::any_of(logs.at("lines"), [&](const auto& line) {
           return line.at("role") == role &&
                  line.at("text").template get<std::string>().find(part) != std::string::npos;
         });
}

}  // namespace

TEST_CASE("processes that crash leave a report each, come back, and are named in one line",
          "[play]") {
  const TemporaryFolder folder;
  constexpr int frames = 300;
  LoopingShow running(folder, frames);
  const std::vector<std::string> roles = {"panel-1", "host", "clockd"};
  for (const std::string& role : roles) CHECK(running.kill_role(role, SIGSEGV) > 0);
  const Show show = running.finish();
  CAPTURE(show.program.err);
  REQUIRE(show.program.exit_code == 0);
  CHECK(show.report.at("logs") == (running.run_dir() / "logs").string());
  for (const std::string& role : roles) {
    const fs::path file = running.run_dir() / "logs" / (role + ".crash");
    const std::string report = read_text_file(file, 1 << 20);
    CAPTURE(role, report);
    CHECK(lines_with(report, "signal 11 (Segmentation fault), sent by process").size() == 1);
    CHECK(lines_with(report, " main+0x").size() == 1);
    CHECK_FALSE(lines_with(report, "build id").empty());
    const std::string note =
        role + " crashed by signal 11 (Segmentation fault): see " + file.string();
    CHECK(lines_with(show.program.err, role + ".crash") ==
          std::vector<std::string>{"tilewall: " + note});
    const auto& notes = show.report.at("notes");
    CHECK(std::ranges::count(notes, nlohmann::json(note)) == 1);
  }
  // What the panel did last is there without --trace.
  const std::string panel = read_text_file(running.run_dir() / "logs/panel-1.crash", 1 << 20);
  CHECK_FALSE(lines_with(panel, " another thread: picture").empty());
  CHECK(restarts_of(show, "panel").size() == 1);
  CHECK(shown_by(show.report, "c0r0").size() == frames);
}

TEST_CASE("ctl logs prints the logs of all roles in one order of time", "[play][control]") {
  const TemporaryFolder folder;
  LoopingShow running(folder, endless_frames);
  CHECK(running.kill_role("panel-1", SIGSEGV) > 0);
  CHECK(running.kill_role("panel-2", SIGKILL) > 0);
  nlohmann::json logs;
  CHECK(eventually([&] {
    logs = logs_of(running.run_dir());
    return has_line(logs, "launcher", "tilewall-keeper: panel 2 on ");
  }));
  CAPTURE(logs);
  CHECK(has_line(logs, "panel-1", "tilewall-panel: crashed by signal 11"));
  CHECK(has_line(logs, "launcher",
                 "tilewall-keeper: panel 1 on " + host_name() +
                     " died of signal 11: tilewall-panel: crashed by signal 11"));
  const nlohmann::json& lines = logs.at("lines");
  CHECK(std::ranges::is_sorted(
      lines, {}, [](const auto& line) { return line.at("at_ns").template get<std::int64_t>(); }));
  const auto at_of = [&](const std::string& part) {
    for (const auto& line : lines)
      if (line.at("text").get<std::string>().starts_with(part))
        return line.at("at_ns").get<std::int64_t>();
    return std::int64_t{0};
  };
  // The keeper has global time and the handler of a crash has the host's; one follows the other.
  CHECK(at_of("tilewall-panel: crashed") < at_of("tilewall-keeper: panel 1 on "));
  CHECK(at_of("tilewall-keeper: panel 2 on ") < logs.at("now_ns"));
  CHECK(logs.at("missing").empty());
  CHECK_FALSE(has_line(logs_of(running.run_dir(), {"--role", "panel"}), "launcher", ""));
  CHECK(has_line(logs_of(running.run_dir(), {"--role", "panel"}), "panel-1", ""));
  CHECK_FALSE(has_line(logs_of(running.run_dir(), {"--role", "launcher"}), "panel-1", ""));
  const ProgramResult text = run_program({tilewall_program, "ctl", "logs", "--role", "panel-1",
                                          "--run-dir", running.run_dir().string()});
  CAPTURE(text.out, text.err);
  CHECK(text.exit_code == 0);
  CHECK(lines_with(text.out, "Z " + host_name() + " panel-1: tilewall-panel: crashed by ").size() ==
        1);
  const ProgramResult wrong = run_program(
      {tilewall_program, "ctl", "logs", "--role", "../x", "--run-dir", running.run_dir().string()});
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.err ==
        "tilewall: logs: role: expected a role's name, such as panel-3 or decoder, found "
        "\"../x\"\n");
  CHECK(running.stop().program.exit_code == 0);
}
