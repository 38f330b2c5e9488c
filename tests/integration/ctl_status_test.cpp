// `tilewall ctl status` on running walls.

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "sync/base/file.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

/// An endless show of a pattern on two panels.
class PatternShow {
 public:
  explicit PatternShow(const fs::path& run_dir, const Words& more = {},
                       const ProgramOptions& options = {}) {
    Words words = {tilewall_program,
                   "play",
                   "pattern:count",
                   "--wall",
                   test_wall("two-by-one.toml"),
                   "--headless",
                   "--fps",
                   "50"};
    if (!run_dir.empty()) words.insert(words.end(), {"--run-dir", run_dir.string()});
    words.insert(words.end(), more.begin(), more.end());
    program_.emplace(words, options);
  }
  ~PatternShow() {
    program_->send_signal(SIGTERM);
    static_cast<void>(program_->wait(std::chrono::seconds(10)));
  }
  PatternShow(const PatternShow&) = delete;
  PatternShow& operator=(const PatternShow&) = delete;

 private:
  std::optional<RunningProgram> program_;
};

ProgramResult ctl_status(const Words& more, const ProgramOptions& options = {}) {
  Words words = {tilewall_program, "ctl", "status"};
  words.insert(words.end(), more.begin(), more.end());
  return run_program(words, std::chrono::seconds(20), options);
}

/// The status once the wall has shown some frames.
nlohmann::json status_of_playing(const Words& more, const ProgramOptions& options = {}) {
  nlohmann::json status;
  REQUIRE(eventually([&] {
    Words words = more;
    words.emplace_back("--json");
    status = nlohmann::json::parse(ctl_status(words, options).out, nullptr, false);
    return status.is_object() && status.at("frames_shown") > 5;
  }));
  return status;
}

}  // namespace

TEST_CASE("ctl status finds the running wall and says what every panel shows", "[ctl]") {
  const TemporaryFolder folder;
  const ProgramOptions here{{{"XDG_RUNTIME_DIR", (folder / "").string()}}, {}};
  const ProgramResult none = ctl_status({}, here);
  CHECK(none.exit_code == 1);
  CHECK(none.err == "tilewall: ctl: no wall of yours runs on this machine\n");

  const PatternShow show("", {}, here);
  const auto status = status_of_playing({}, here);
  CHECK(status.at("phase") == "playing");
  CHECK(status.at("rate_fps") == 50.0);
  CHECK(status.at("frame").is_number());
  REQUIRE(status.at("per_panel").size() == 2);
  for (const auto& panel : status.at("per_panel")) {
    CAPTURE(panel.dump());
    CHECK(panel.at("connected") == true);
    CHECK(panel.at("frame").is_number());
    CHECK(panel.at("buffers").get<int>() >= 3);
    CHECK(panel.at("clock_state") == "locked");
    CHECK(panel.at("swap_offset_us").at("p99").get<double>() > 0);
  }
  CHECK(status.at("due_fps") == 50.0);
  const ProgramResult plain = ctl_status({}, here);
  CHECK(plain.exit_code == 0);
  CHECK_THAT(plain.out, Catch::Contains(": all 2 panels show every frame in time\n") ||
                            Catch::Contains(" frames late in 10 s on panel"));
  CHECK(plain.out.find("\033") == std::string::npos);
  CHECK(plain.out.find("\nskew ") == std::string::npos);
  const ProgramResult text = ctl_status({"--verbose"}, here);
  CHECK(text.exit_code == 0);
  CHECK(text.out.find("playing, frame ") != std::string::npos);
  CHECK(text.out.find("\nskew ") != std::string::npos);
  CHECK(text.out.find("\nc0r0 ") != std::string::npos);
  CHECK(text.out.find("\nc1r0 ") != std::string::npos);

  const PatternShow second("", {}, here);
  REQUIRE(eventually([&] { return ctl_status({}, here).exit_code == 2; }));
  const ProgramResult two = ctl_status({}, here);
  CHECK(two.err.find("tilewall: --run-dir: expected one of two-by-one in /") == 0);
  CHECK(two.err.find(", two-by-one in /") != std::string::npos);
}

TEST_CASE("the shows of tests are found by tests alone", "[ctl]") {
  const fs::path runtime = std::getenv("XDG_RUNTIME_DIR");
  CHECK(runtime.parent_path().filename().string().starts_with("tilewall-test-"));
  CHECK(fs::status(runtime).permissions() == fs::perms::owner_all);
  const PatternShow show("", {}, {});
  CHECK(status_of_playing({}, {}).at("phase") == "playing");
  const TemporaryFolder users;
  const ProgramResult user = ctl_status({}, {{{"XDG_RUNTIME_DIR", users.path().string()}}, {}});
  CHECK(user.exit_code == 1);
}

TEST_CASE("ctl names the run directory of a wall that was given one", "[ctl]") {
  const TemporaryFolder folder;
  fs::create_directory(folder / "runtime");
  fs::permissions(folder / "runtime", fs::perms::owner_all);
  const ProgramOptions here{{{"XDG_RUNTIME_DIR", (folder / "runtime").string()}}, {}};
  const std::string run = (folder / "run").string();
  {
    const PatternShow show(run, {}, here);
    static_cast<void>(status_of_playing({"--run-dir", run}, here));
    const ProgramResult unnamed = ctl_status({}, here);
    CHECK(unnamed.exit_code == 2);
    CHECK(unnamed.err ==
          "tilewall: --run-dir: expected " + run + ", where a wall runs, found nothing\n");
    for (const Words& words : {Words{"--run-dir", run, "status", "--json"},
                               Words{"--json", "--run-dir=" + run, "status"}}) {
      Words typed = {tilewall_program, "ctl"};
      typed.insert(typed.end(), words.begin(), words.end());
      const ProgramResult before_verb = run_program(typed, std::chrono::seconds(20), here);
      CAPTURE(before_verb.err);
      CHECK(before_verb.exit_code == 0);
      CHECK(nlohmann::json::parse(before_verb.out).at("phase") == "playing");
    }
  }
  CHECK(fs::is_empty(folder / "runtime"));
  CHECK(ctl_status({}, here).err == "tilewall: ctl: no wall of yours runs on this machine\n");
}

TEST_CASE("ctl status of a wall with a key needs that key", "[ctl]") {
  const TemporaryFolder folder;
  write_private_file(folder / "key", "sixteen bytes or more");
  write_private_file(folder / "other", "another one of sixteen");
  const fs::path run = folder / "run";
  const PatternShow show(run, {"--key-file", (folder / "key").string()});
  const auto status = status_of_playing({"--run-dir", run.string()});  // by the run directory's own
  CHECK(status.at("per_panel").size() == 2);
  CHECK((fs::status(run / "control.secret").permissions() & fs::perms::others_all) ==
        fs::perms::none);
  const auto key = [&](const char* name) {
    return ctl_status({"--run-dir", run.string(), "--key-file", (folder / name).string()});
  };
  CHECK(key("key").exit_code == 0);
  const ProgramResult wrong = key("other");
  CHECK(wrong.exit_code == 2);
  CHECK(wrong.err ==
        "tilewall: message: tag: expected the show's key, found another (the key file, --key-file, "
        "has to be the same on every host)\n");
}

TEST_CASE("ctl status refuses a folder that is no run directory", "[ctl]") {
  const TemporaryFolder folder;
  const ProgramResult result = ctl_status({"--run-dir", (folder / "").string()});
  CHECK(result.exit_code == 2);
  CHECK(result.err.find("tilewall: --run-dir: expected the run directory of a running wall") == 0);
}
