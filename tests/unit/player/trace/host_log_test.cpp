// The logs of a host's processes in one order of time.

#include "player/trace/host_log.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "player/trace/crash_news.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/process.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::trace;
using tilewall::test::TemporaryFolder;

namespace {

constexpr Nanos second = std::chrono::seconds(1);

/// Global time is 100 s ahead of this host's clock.
ClockMapping ahead() {
  ClockMapping mapping;
  mapping.anchor_global = {100 * second};
  return mapping;
}

HostLog lines_of(std::string_view text, bool is_cut = false, const LogLimits& limits = {}) {
  return lines_of_log(text, {{}, "h1", "panel-0", ""}, is_cut, ahead(), {7 * second}, limits);
}

std::vector<std::string> texts_of(const HostLog& log) {
  std::vector<std::string> texts;
  for (const LogLine& line : log.lines) texts.push_back(line.text);
  return texts;
}

std::vector<double> seconds_of(const HostLog& log) {
  std::vector<double> seconds;
  for (const LogLine& line : log.lines)
    seconds.push_back(std::chrono::duration<double>(line.at.since_epoch).count());
  return seconds;
}

using Texts = std::vector<std::string>;
using Seconds = std::vector<double>;

}  // namespace

TEST_CASE("local stamps become global ones, and lines of libraries take the time above", "[log]") {
  const HostLog log = lines_of(
      "library a\n\nlibrary b\n[1.500000 local] x\nlibrary c\n[102.000000] y\n[102.500000] \n"
      "library d");
  CHECK(texts_of(log) == Texts{"library a", "library b", "x", "library c", "y", "library d"});
  CHECK(seconds_of(log) == Seconds{101.5, 101.5, 101.5, 101.5, 102, 102.5});
  CHECK_FALSE(log.is_cut);
  CHECK(log.lines[2].host == "h1");
  CHECK(log.lines[2].role == "panel-0");
}

TEST_CASE("a log without stamps has the time of its last change", "[log]") {
  CHECK(seconds_of(lines_of("a\nb\n")) == Seconds{7, 7});
  CHECK(lines_of("").lines.empty());
  CHECK(lines_of("\n\n").lines.empty());
}

TEST_CASE("the torn beginning of a log is left out, its torn end is not", "[log]") {
  const HostLog log = lines_of("000 local] torn\n[1.000000 local] whole\n[2.0000", true);
  CHECK(texts_of(log) == Texts{"whole", "[2.0000"});
  CHECK(seconds_of(log) == Seconds{101, 101});
  CHECK(log.is_cut);
  CHECK(lines_of("one line without an end", true).lines.empty());
  CHECK(lines_of("", true).lines.empty());
}

TEST_CASE("bytes that are no text are replaced, and long lines are cut", "[log]") {
  const HostLog log = lines_of("[1.000000] \x1b[31m red \xff\xfe \xc3\xa4\n");
  CHECK(texts_of(log) == Texts{"?[31m red ?? \xc3\xa4"});
  CHECK_NOTHROW(to_json(LogAnswer{1, log}).dump());
  CHECK(lines_of(std::string(9000, 'x')).lines.at(0).text.size() == 4096);
}

TEST_CASE("the last lines of a role are kept", "[log]") {
  std::string text;
  for (int i = 0; i < 2500; ++i) text += std::to_string(i) + "\n";
  const HostLog log = lines_of(text);
  CHECK(log.is_cut);
  REQUIRE(log.lines.size() == 2000);
  CHECK(log.lines.front().text == "500");
  CHECK(log.lines.back().text == "2499");
}

TEST_CASE("logs are merged by time, lines of one instant stay in order", "[log]") {
  const HostLog one = lines_of("[1.000000] a\nb\n[3.000000] c\n");
  const HostLog other = lines_of("[1.000000] d\n[2.000000] e\n");
  CHECK(texts_of(merged({one, other}, 1 << 20)) == Texts{"a", "b", "d", "e", "c"});
  CHECK_FALSE(merged({one, other}, 1 << 20).is_cut);
  CHECK(merged({}, 1 << 20).lines.empty());
  // Each line counts with 64 bytes more.
  const HostLog cut = merged({one, other}, 3 * 65 - 1);
  CHECK(texts_of(cut) == Texts{"e", "c"});
  CHECK(cut.is_cut);
}

TEST_CASE("a kind of role names all of its roles", "[log]") {
  CHECK(is_wanted_role("panel-3", ""));
  CHECK(is_wanted_role("panel-3", "panel"));
  CHECK(is_wanted_role("panel-3", "panel-3"));
  CHECK(is_wanted_role("decoder", "decoder"));
  CHECK_FALSE(is_wanted_role("panel-31", "panel-3"));
  CHECK_FALSE(is_wanted_role("decoder", "deco"));
  CHECK_FALSE(is_wanted_role("pan", "panel"));
}

TEST_CASE("the logs of a run directory are read, other files are not", "[log]") {
  const TemporaryFolder folder;
  CHECK(read_host_log(folder.path(), "", ahead()).lines.empty());
  std::filesystem::create_directory(folder / "logs");
  std::ofstream(folder / "logs" / "panel-0.log") << "[2.000000] b\n";
  std::ofstream(folder / "logs" / "host.log") << "[1.000000 local] c\n";
  std::ofstream(folder / "logs" / "clockd.log");
  std::ofstream(folder / "logs" / "panel-0.crash") << "signal 11\n";
  const HostLog log = read_host_log(folder.path(), "", ahead());
  CHECK(texts_of(log) == Texts{"b", "c"});
  CHECK(log.lines[0].host == host_name());
  CHECK(log.lines[0].role == "panel-0");
  CHECK(texts_of(read_host_log(folder.path(), "host", ahead())) == Texts{"c"});
  std::ofstream(folder / "logs" / "host.log") << std::string(300'000, 'x') << "\nlast\n";
  const HostLog tail = read_host_log(folder.path(), "host", ahead());
  CHECK(texts_of(tail) == Texts{"last"});
  CHECK(tail.is_cut);
  // A panel leaves the director's own directory to the director.
  CHECK(read_other_host_log(folder.path(), "panel", ahead()).lines.size() == 1);
  std::ofstream(folder / "control.addr") << "127.0.0.1:1\n";
  CHECK(read_other_host_log(folder.path(), "panel", ahead()).lines.empty());
}

TEST_CASE("a panel's answer comes whole, and a malformed one is refused", "[log]") {
  const LogAnswer answer{7, lines_of("[1.000000] a\n")};
  const nlohmann::json json = to_json(answer);
  const LogAnswer came = log_answer_from_json(json);
  CHECK(came.number == 7);
  CHECK_FALSE(came.log.is_cut);
  REQUIRE(came.log.lines.size() == 1);
  CHECK(came.log.lines[0].at == answer.log.lines[0].at);
  CHECK(came.log.lines[0].host == "h1");
  CHECK(came.log.lines[0].role == "panel-0");
  CHECK(came.log.lines[0].text == "a");
  for (const char* field : {"number", "lines", "is_cut"}) {
    nlohmann::json without = json;
    without.erase(field);
    CHECK_THROWS_AS(log_answer_from_json(without), InputError);
  }
  for (const char* lines :
       {R"({})", R"([1])", R"([[1,"h","r"]])", R"([[1,"h","r","t","u"]])", R"([[1.5,"h","r","t"]])",
        R"([[1,"h",5,"t"]])", R"([[1,"h","r",4]])", R"([[1,null,"r","t"]])"}) {
    nlohmann::json wrong = json;
    wrong["lines"] = nlohmann::json::parse(lines);
    CAPTURE(lines);
    CHECK_THROWS_AS(log_answer_from_json(wrong), InputError);
  }
  nlohmann::json hostile = json;
  hostile["lines"][0][3] = "\x1b]0;title";
  CHECK(log_answer_from_json(hostile).log.lines[0].text == "?]0;title");
}

TEST_CASE("crash reports of another host are taken once, and again when they have grown", "[log]") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "logs");
  CrashNews news(folder.path());
  CHECK(news.take().empty());
  std::ofstream(folder / "logs" / "panel-1.crash") << "one";
  std::ofstream(folder / "logs" / "panel-1.log") << "line\n";
  const auto first = news.take();
  REQUIRE(first.size() == 1);
  CHECK(first[0].host == host_name());
  CHECK(first[0].role == "panel-1");
  CHECK(first[0].report == std::vector<std::uint8_t>{'o', 'n', 'e'});
  CHECK(news.take().empty());
  std::ofstream(folder / "logs" / "panel-1.crash", std::ios::app) << " two";
  CHECK(news.take().size() == 1);
  std::ofstream(folder / "control.addr") << "127.0.0.1:1\n";
  CHECK(CrashNews(folder.path()).take().empty());
}

TEST_CASE("a crash report comes whole, and none is written outside of the logs", "[log]") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "logs");
  const CrashMessage message{"h2.local", "panel-1", {'x', 0, 0xff}};
  const CrashMessage came = crash_from(to_json(message), message.report);
  CHECK(came.host == "h2.local");
  CHECK(came.role == "panel-1");
  keep_crash(folder.path(), came);
  CHECK(read_text_file(folder / "logs" / "h2.local-panel-1.crash", 100) ==
        std::string("x\0\xff", 3));
  for (const char* name : {"", ".", "..", "../x", "a/b", "a b", "\n", ".hidden"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(crash_from({{"host", name}, {"role", "panel-1"}}, {}), InputError);
    CHECK_THROWS_AS(crash_from({{"host", "h2"}, {"role", name}}, {}), InputError);
  }
  CHECK_THROWS_AS(crash_from({{"host", "h2"}, {"role", std::string(101, 'x')}}, {}), InputError);
  CHECK_THROWS_AS(crash_from({{"host", "h2"}, {"role", 1}}, {}), InputError);
  CHECK_THROWS_AS(crash_from({{"host", "h2"}}, {}), InputError);
  CHECK_THROWS_AS(crash_from(to_json(message), std::vector<std::uint8_t>(longest_crash_report + 1)),
                  InputError);
  CHECK_NOTHROW(keep_crash(folder / "missing", came));
}
