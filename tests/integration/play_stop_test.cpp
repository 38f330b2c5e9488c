// However a show ends, nothing of it is left.

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>

#include "tests/support/eventually.hpp"
#include "tests/support/places.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds end_limit{30};  // then it hangs

std::string mini_wall() { return source_path("wallconfigs/mini-5x3.toml"); }

/// An endless show of a pattern, once its second frame is on the wall.
class EndlessShow {
 public:
  EndlessShow(const TemporaryFolder& folder, const std::string& wall, const Words& more,
              const ProgramOptions& options = {})
      : report_file_(folder / "report.json") {
    const fs::path begun = folder / "begun.png";
    Words words = {
        tilewall_program, "play",     "pattern:count",       "--wall",     wall,
        "--headless",     "--report", report_file_.string(), "--snapshot", "1:" + begun.string()};
    words.insert(words.end(), more.begin(), more.end());
    program_.emplace(words, options);
    REQUIRE(eventually([&] { return fs::exists(begun); }, std::chrono::seconds(20)));
  }

  [[nodiscard]] RunningProgram& program() { return *program_; }
  [[nodiscard]] nlohmann::json report() const { return read_report(report_file_); }

 private:
  const fs::path report_file_;
  std::optional<RunningProgram> program_;
};

/// The process numbers in a run directory, all of processes that run.
std::vector<pid_t> pids_in(const fs::path& run_dir) {
  std::vector<pid_t> pids;
  for (const auto& entry : fs::directory_iterator(run_dir / "pids"))
    pids.push_back(pid_in(entry.path()));
  return pids;
}

bool none_alive(const std::vector<pid_t>& pids) {
  return std::none_of(pids.begin(), pids.end(), is_alive);
}

int shared_memory_left() {
  int count = 0;
  for (const auto& entry : fs::directory_iterator("/dev/shm")) {
    const std::string name = entry.path().filename().string();
    count += name.starts_with("tilewall") || name.starts_with("vader_segment");
  }
  return count;
}

fs::path only_entry(const fs::path& folder) {
  fs::path found;
  for (const auto& entry : fs::directory_iterator(folder)) found = entry.path();
  return found;
}

void check_report_keys(const nlohmann::json& report) {
  REQUIRE(report.is_object());
  for (const char* key : {"wall", "duration_s", "frames_scheduled", "frames_shown", "frames_late",
                          "fps", "start_s", "skew_us", "clock_error_us", "restarts", "per_panel"}) {
    CAPTURE(key);
    CHECK(report.contains(key));
  }
  for (const char* key :
       {"panel", "host", "pid", "frames_shown", "frames_late", "decode_mpixel_s", "read_bytes",
        "received_bytes", "lost_packets", "repaired_packets", "peak_rss_bytes"}) {
    CAPTURE(key);
    CHECK(report.at("per_panel").at(0).contains(key));
  }
  for (const char* key : {"p50", "p99", "max"}) {
    CHECK(report.at("skew_us").contains(key));
    CHECK(report.at("clock_error_us").contains(key));
  }
}

void check_clean_stop(int signal, const std::string& wall, std::size_t panels) {
  const TemporaryFolder folder;
  const fs::path run_dir = folder / "run";
  EndlessShow show(folder, wall, {"--run-dir", run_dir.string()});
  const std::vector<pid_t> pids = pids_in(run_dir);
  CHECK(pids.size() == panels + 5);  // supervisor, clockd, director, mpirun, host
  CHECK(std::all_of(pids.begin(), pids.end(), is_alive));

  show.program().send_signal(signal);
  const ProgramResult result = show.program().wait(end_limit);
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
  CHECK(none_alive(pids));
  CHECK(processes_with(run_dir.string()).empty());
  CHECK_FALSE(fs::exists(run_dir));
  CHECK(shared_memory_left() == 0);
  check_report_keys(show.report());
  CHECK(show.report().at("frames_shown") > 0);
  CHECK(show.report().at("per_panel").size() == panels);
}

}  // namespace

TEST_CASE("SIGTERM ends fifteen panels and leaves nothing", "[play]") {
  check_clean_stop(SIGTERM, mini_wall(), 15);
}

TEST_CASE("Ctrl-C ends a wall and leaves nothing", "[play]") {
  check_clean_stop(SIGINT, test_wall("two-by-two.toml"), 4);
}

TEST_CASE("a stop at any moment of the start leaves nothing", "[play]") {
  for (const int delay_ms : {10, 40, 80, 120, 160, 200, 250, 300, 400}) {
    CAPTURE(delay_ms);
    const TemporaryFolder folder;
    const fs::path run_dir = folder / "run";
    const fs::path report = folder / "report.json";
    RunningProgram program({tilewall_program, "play", "pattern:count", "--wall", mini_wall(),
                            "--headless", "--run-dir", run_dir.string(), "--report",
                            report.string()});
    std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
    program.send_signal(SIGTERM);
    const ProgramResult result = program.wait(end_limit);
    CAPTURE(result.err);
    // Before the program could take signals; before the show began; in the show.
    const bool at_once = result.exit_code == 128 + SIGTERM;
    const bool before = result.err == "tilewall: interrupted before the show began\n";
    CHECK((at_once || before || result.exit_code == 0));
    CHECK((before || result.err.empty()));
    CHECK(processes_with(run_dir.string()).empty());
    CHECK_FALSE(fs::exists(run_dir));
    if (result.exit_code == 0) check_report_keys(read_report(report));
  }
}

TEST_CASE("a killed supervisor takes all with it, and the next show clears up", "[play]") {
  const TemporaryFolder folder;
  const fs::path runtime = folder / "runtime";
  fs::create_directory(runtime);
  fs::permissions(runtime, fs::perms::owner_all);
  const ProgramOptions options{{{"XDG_RUNTIME_DIR", runtime.string()}}, {}};
  std::vector<pid_t> pids;
  {
    EndlessShow show(folder, test_wall("two-by-one.toml"), {}, options);
    pids = pids_in(only_entry(runtime));
    CHECK(pids.size() == 7);
    show.program().send_signal(SIGKILL);
    CHECK(show.program().wait(end_limit).exit_code == 128 + SIGKILL);
  }
  CHECK(eventually([&] { return none_alive(pids); }));
  CHECK(fs::exists(only_entry(runtime) / "pids"));
  const auto next = run_program({tilewall_program, "play", "pattern:count", "--wall",
                                 test_wall("two-by-one.toml"), "--headless", "--frames", "2"},
                                std::chrono::seconds(30), options);
  CHECK(next.exit_code == 0);
  CHECK(fs::is_empty(runtime));
}

TEST_CASE("a slow show is not taken for a stalled one", "[play]") {
  const TemporaryFolder folder;
  // Nine pictures are decoded ahead at once; then there is nothing to do for 4 s.
  EndlessShow show(folder, test_wall("two-by-one.toml"),
                   {"--late", "slow", "--fps", "1/4", "--start", "1"});
  std::this_thread::sleep_for(std::chrono::milliseconds(3500));
  show.program().send_signal(SIGTERM);
  const ProgramResult result = show.program().wait(end_limit);
  CHECK(result.exit_code == 0);
  CHECK(result.err.empty());
}
