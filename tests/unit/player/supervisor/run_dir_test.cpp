// What a show's run directory and the memory of its report do when something is wrong.

#include "player/supervisor/run_dir.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>

#include "player/supervisor/director_output.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/run_folder.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::supervisor;
using namespace tilewall::test;
namespace fs = std::filesystem;

TEST_CASE("a run directory is gone with its show, but for a failed show's logs", "[supervisor]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "run";
  {
    RunDir run_dir(path);
    run_dir.write("control.addr", "127.0.0.1:1");
    std::ofstream(run_dir.log("empty"));
    CHECK(run_dir.keep_logs().empty());  // none says anything
  }
  CHECK_FALSE(fs::exists(path));
  {
    RunDir run_dir(path);
    run_dir.write("control.addr", "127.0.0.1:1");
    std::ofstream(run_dir.log("empty"));
    std::ofstream(run_dir.log("panel-0")) << "a line\n";
    CHECK(run_dir.keep_logs() == path / "logs");
  }
  CHECK(fs::exists(path / "logs" / "panel-0.log"));
  CHECK_FALSE(fs::exists(path / "logs" / "empty.log"));
  CHECK_FALSE(fs::exists(path / "control.addr"));
  {
    const RunDir again(path);  // what a failed show left is no obstacle
    CHECK_FALSE(fs::exists(path / "logs" / "panel-0.log"));
  }
  CHECK_FALSE(fs::exists(path));
  fs::create_directories(path / "logs");
  CHECK_THROWS_WITH(RunDir(path), Catch::Contains("a folder that is new or empty"));
  CHECK(fs::exists(path / "logs"));  // nobody's, but not ours
}

TEST_CASE("a run directory says why nothing can be written to it", "[supervisor]") {
  const TemporaryFolder folder;
  const RunDir run_dir(folder / "run");
  CHECK(run_dir.write_trouble().empty());
  std::string trouble;
  {
    const FileSizeLimit limit(0);
    trouble = run_dir.write_trouble();
  }
  CHECK(trouble == "File too large");
}

TEST_CASE("a report in memory is read as it was written, and its error replaces it",
          "[supervisor]") {
  const ReportMemory memory;
  CHECK(memory.read() == nlohmann::json::object());
  const nlohmann::json report = {{"frames_shown", 3}, {"text", std::string(100'000, 'x')}};
  write_all(memory.fd(), report.dump(), "report");
  CHECK(memory.read() == report);
  memory.write_error("the disk is full");
  CHECK(memory.read() == nlohmann::json{{"error", "the disk is full"}});
}

TEST_CASE("a file is overwritten in place, longer or shorter", "[supervisor]") {
  const TemporaryFolder folder;
  const fs::path file = folder / "r.json";
  CHECK_FALSE(overwrite_file(file, "x"));
  std::ofstream(file) << "{}\n";
  for (const std::string text : {"a longer text", "short"}) {
    CHECK(overwrite_file(file, text));
    CHECK(read_text_file(file, 100) == text);
  }
}

TEST_CASE("a folder is one show's as long as that lives, and says whose", "[run-dir]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "run";
  const auto refusal = [&](RunDirUse use) -> std::string {
    try {
      RunDir second(path, use);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  };
  {
    const RunDir first(path);
    first.write_pid("supervisor", 4711);
    std::ofstream(path / "journal.jsonl") << "{}\n";
    for (const RunDirUse use : {RunDirUse::fresh, RunDirUse::resumed})
      CHECK(refusal(use).find("of a show that runs (process 4711)") != std::string::npos);
  }
  CHECK_FALSE(fs::exists(path));
  CHECK(refusal(RunDirUse::resumed)
            .find("--resume: expected the run directory of a show that died") == 0);
}

TEST_CASE("the folder of a show that died is refused to a new one, and taken over to resume it",
          "[run-dir]") {
  const TemporaryFolder folder;
  const fs::path path = folder / "run";
  fs::create_directories(path / "logs");
  fs::permissions(path, fs::perms::owner_all);  // as a show makes it
  std::ofstream(path / "journal.jsonl") << "old\n";
  std::ofstream(path / "control.addr") << "127.0.0.1:1\n";
  std::ofstream(path / "logs/panel-0.log") << "old\n";
  try {
    RunDir fresh(path);
    FAIL("it was not refused");
  } catch (const InputError& error) {
    CHECK(std::string(error.what()).find("tilewall play --resume " + path.string()) !=
          std::string::npos);
  }
  {
    RunDir resumed(path, RunDirUse::resumed);
    CHECK_FALSE(fs::exists(path / "control.addr"));
    CHECK(fs::exists(path / "journal.jsonl"));
    CHECK(fs::exists(path / "logs/panel-0.log"));
  }
  CHECK(fs::exists(path / "journal.jsonl"));  // the show has not begun
  CHECK_FALSE(fs::exists(path / "pids"));
  {
    RunDir again(path, RunDirUse::resumed);
    std::ofstream(again.log("panel-0")) << "new\n";
    CHECK(again.keep_logs() == path / "logs");
  }
  CHECK(fs::exists(path / "journal.jsonl"));
  CHECK(fs::exists(path / "logs/panel-0.log"));
  RunDir(path, RunDirUse::resumed).show_has_begun();
  CHECK_FALSE(fs::exists(path));
}

TEST_CASE("the director's lines are taken one by one once they are whole", "[supervisor]") {
  NewsPipe pipe;
  const auto say = [&](const std::string& text) {
    REQUIRE(::write(pipe.writing_end(), text.data(), text.size()) ==
            static_cast<ssize_t>(text.size()));
  };
  using Lines = std::vector<std::string>;
  CHECK(pipe.take_new().empty());
  say("one\ntw");
  CHECK(pipe.take_new() == Lines{"one"});
  CHECK(pipe.take_new().empty());
  say("o\n\nthree\n");
  CHECK(pipe.take_new() == Lines{"two", "", "three"});
  const std::string longest(10'000, 'x');  // more than one read
  say(longest + "\nend");
  CHECK(pipe.take_new() == Lines{longest});
  say("\n");
  CHECK(pipe.take_new() == Lines{"end"});
}

TEST_CASE("walls that run are found in the user's folder, and those of dead processes are not",
          "[supervisor]") {
  const RunFolder base;
  RunDir own{{}};
  RunDir given(base.path() / "given");
  CHECK(running_walls().own.empty());  // without an address nobody can reach it
  own.write("control.addr", "127.0.0.1:1");
  const std::string name = own.path().filename().string();
  const std::string prefix = name.substr(0, name.rfind('-') + 1);
  // A process number above the greatest that the system gives, and names of no run directory.
  for (const std::string& other :
       {prefix + "2000000000", prefix, prefix + "x", name + "x", name + "-0123",
        name + "-" + std::string(32, 'g'), "other-" + name})
    fs::copy(own.path(), base.path() / other, fs::copy_options::recursive);
  const fs::path random = base.path() / (name + "-" + std::string(32, 'f'));
  fs::copy(own.path(), random, fs::copy_options::recursive);
  auto found = running_walls().own;
  std::ranges::sort(found);
  CHECK(found == std::vector<fs::path>{own.path(), random});

  CHECK(running_walls().given.empty());
  given.write("control.addr", "127.0.0.1:2");
  CHECK(running_walls().given == std::vector<fs::path>{given.path()});
}
