// Lines of logs with their stamps, as they are written and read.

#include "sync/base/role_log.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "sync/base/child_process.hpp"
#include "sync/base/file.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using tilewall::test::TemporaryFolder;

TEST_CASE("a stamp is read as it was written", "[log]") {
  for (const bool is_global : {false, true}) {
    const LogStamp stamp{1'234'567'890'123, is_global};
    const std::string line = to_string(stamp) + "tilewall-panel: what happened";
    const StampedLine read = parse_log_line(line);
    REQUIRE(read.stamp);
    CHECK(read.stamp->ns == 1'234'567'890'000);  // whole microseconds
    CHECK(read.stamp->is_global == is_global);
    CHECK(read.text == "tilewall-panel: what happened");
  }
  CHECK(to_string(LogStamp{1'000'002'000, true}) == "[1.000002] ");
  CHECK(to_string(LogStamp{0, false}) == "[0.000000 local] ");
}

TEST_CASE("what looks like a stamp but is none is text", "[log]") {
  for (const char* line :
       {"", "[", "[]", "]", "[host:1234] mca_base", "[1.5] x", "[1.0000000] x", "[1.00000x] x",
        "[-1.000000] x", "[1.-00001] x", "[ 1.000000] x", "[1.000000 x", "[.000000] x",
        "[1000000001.000000] x", "[99999999999999999999.000000] x", "[1.000000 near] x",
        "x [1.000000] y"}) {
    CAPTURE(line);
    const StampedLine read = parse_log_line(line);
    CHECK_FALSE(read.stamp);
    CHECK(read.text == line);
  }
  CHECK(parse_log_line("[1.000000]").text.empty());
  CHECK(parse_log_line("[1.000000]x").text == "x");
}

TEST_CASE("stamps are removed from a text, and its last line is found without its stamp", "[log]") {
  const std::string text =
      "[1.000000] tilewall: a\nlibEGL warning\n[2.000000 local] tilewall: b\nmore";
  CHECK(without_stamps(text) == "tilewall: a\nlibEGL warning\ntilewall: b\nmore");
  CHECK(without_stamps("").empty());
  CHECK(without_stamps("\n\n") == "\n\n");
  CHECK(last_line_beginning(text, "tilewall") == "tilewall: b");
}

TEST_CASE("a role stamps its lines by its clock, and a line of each thread stays whole", "[log]") {
  const TemporaryFolder folder;
  const pid_t pid = start_role("tw-test", {{}, folder / "role.log"}, [&] {
    if (role_log() != folder / "role.log") return 1;
    log_line("first {}", 1);
    std::optional<std::int64_t> now;
    set_log_clock([] { return std::optional<std::int64_t>(9'000'000'000); });
    set_log_clock([&] { return now; });  // in place of the one before
    log_line("second");
    now = 5'000'001'000;
    log_line("third");
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i)
      threads.emplace_back([] {
        for (int line = 0; line < 50; ++line) log_line("{}", std::string(100, 'x'));
      });
    return 0;
  });
  REQUIRE(wait_for(pid, std::chrono::seconds(60)).exit_code == 0);
  std::vector<StampedLine> lines;
  const std::string text = read_text_file(folder / "role.log", 1 << 20);
  for (std::string_view rest = text; !rest.empty(); rest.remove_prefix(rest.find('\n') + 1))
    lines.push_back(parse_log_line(rest.substr(0, rest.find('\n'))));
  REQUIRE(lines.size() == 203);
  REQUIRE(lines[0].stamp);
  REQUIRE(lines[1].stamp);
  CHECK_FALSE(lines[0].stamp->is_global);
  CHECK_FALSE(lines[1].stamp->is_global);
  CHECK(lines[0].text == "first 1");
  CHECK(lines[1].stamp->ns >= lines[0].stamp->ns);
  REQUIRE(lines[2].stamp);
  CHECK(lines[2].stamp->is_global);
  CHECK(lines[2].stamp->ns == 5'000'001'000);
  for (std::size_t i = 3; i < lines.size(); ++i) CHECK(lines[i].text == std::string(100, 'x'));
}

TEST_CASE("text from outside begins no line of its own in a log", "[log]") {
  const TemporaryFolder folder;
  const pid_t pid = start_role("tw-test", {{}, folder / "role.log"}, [] {
    log_line("{}: is missing", "a\x1b]0;owned\x07\n[1.000000] b");
    return 0;
  });
  REQUIRE(wait_for(pid, std::chrono::seconds(60)).exit_code == 0);
  CHECK(without_stamps(read_text_file(folder / "role.log", 1 << 20)) ==
        "a?]0;owned??[1.000000] b: is missing\n");
}

TEST_CASE("a program is a role where its output is a log, and no role's child otherwise", "[log]") {
  const TemporaryFolder folder;
  const auto variable_in = [&](const char* output) {
    const std::filesystem::path file = folder / output;
    const pid_t pid = start_program(
        {"sh", "-c", std::string("echo \"<$") + role_log_variable + ">\""}, {{}, file});
    CHECK(wait_for(pid, std::chrono::seconds(60)).exit_code == 0);
    return read_text_file(file, 1 << 20);
  };
  ::setenv(role_log_variable, "/of/the/parent.log", 1);
  CHECK(variable_in("a.log") == "<" + (folder / "a.log").string() + ">\n");
  CHECK(variable_in("a.txt") == "<>\n");
  ::unsetenv(role_log_variable);
  CHECK_FALSE(begin_started_role("tilewall-test"));
}
