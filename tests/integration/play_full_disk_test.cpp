// The disk of the run directory fills up while a show runs, and its director dies: another one goes
// on, and the report is written all the same.

#include <catch2/catch.hpp>
#include <filesystem>

#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

/// Words before a command that run it where $0 is a small disk of its own, which is filled as soon
/// as the file $1 is there. Then the director is killed. The kernel may forbid it.
Words on_small_disk(const fs::path& disk, const fs::path& fill_after) {
  return {"unshare",
          "--mount",
          "--map-root-user",
          "sh",
          "-c",
          "begun=$1; shift\n"
          "mount -t tmpfs -o size=4m tmpfs \"$0\" || exit 77\n"
          "[ -n \"$begun\" ] || exit 0\n"
          "\"$@\" & show=$!\n"
          "while kill -0 $show 2>/dev/null && ! [ -e \"$begun\" ]; do sleep 0.05; done\n"
          "cat /dev/zero >\"$0/filler\" 2>/dev/null\n"
          "full=yes; echo x 2>/dev/null >\"$0/more\" && full=no\n"
          "alive=no; kill -0 $show 2>/dev/null && alive=yes\n"
          "kill -9 $(cat \"$0/run/pids/director\")\n"
          // Files of the show that end make room, which is filled again.
          "while kill -0 $show 2>/dev/null; do\n"
          "  cat /dev/zero >>\"$0/filler\" 2>/dev/null; sleep 0.05\n"
          "done\n"
          "wait $show; code=$?\n"
          "echo \"full: $full, while the show ran: $alive\"\n"
          "exit $code",
          disk.string(),
          fill_after.string()};
}

}  // namespace

TEST_CASE("a run directory on a full disk costs neither the report nor a new director", "[play]") {
  const TemporaryFolder folder;
  const fs::path disk = folder / "disk";
  fs::create_directory(disk);
  if (run_program(on_small_disk(disk, "")).exit_code != 0) {
    WARN("skipped: this user may not mount a small disk (user namespaces)");
    return;
  }
  const fs::path begun = folder / "begun.png";
  const fs::path report_file = folder / "r.json";
  Words words = on_small_disk(disk, begun);
  const Words play =
      play_words("pattern:count", "two-by-one.toml",
                 {"--headless", "--frames", "36", "--snapshot", "1:" + begun.string(), "--report",
                  report_file.string(), "--run-dir", (disk / "run").string()});
  words.insert(words.end(), play.begin(), play.end());
  const ProgramResult result = run_program(words, std::chrono::seconds(60));
  CAPTURE(result.err, result.out);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("full: yes, while the show ran: yes"));
  CHECK_THAT(result.err, Catch::Contains("cannot be written to: No space left on device"));
  const nlohmann::json report = read_report(report_file);
  REQUIRE(report.is_object());
  CHECK(report.at("frames_shown") == 36);
  CHECK_FALSE(report.contains("error"));
  REQUIRE(report.at("restarts").size() == 1);
  CHECK(report.at("restarts").at(0).at("role") == "director");
}
