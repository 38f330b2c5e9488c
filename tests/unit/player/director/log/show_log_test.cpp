// The log of a show: its lines, the file that follows them, another director, and full disks.

#include "player/director/log/show_log.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "sync/base/handle.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/instants.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::director;
using test::at_ms;
using test::eventually;

namespace {
namespace show_log_test {

using Json = nlohmann::json;

struct KeptLog {
  test::TemporaryFolder folder;
  UniqueFd memory{ShowLogMemory::make()};
  std::filesystem::path file = folder / "show.log.jsonl";

  [[nodiscard]] ShowLog::Place place() const { return {file, "{\"log\":1}"}; }
  [[nodiscard]] std::string text() const {
    std::ifstream stream(file);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  [[nodiscard]] std::vector<Json> lines() const {
    std::vector<Json> lines;
    std::istringstream stream(text());
    for (std::string line; std::getline(stream, line);) lines.push_back(Json::parse(line));
    return lines;
  }
};

}  // namespace show_log_test
}  // namespace

using show_log_test::KeptLog;

TEST_CASE("a log has a head, and lines with their time since the start", "[show_log]") {
  const KeptLog kept;
  {
    ShowLog log(kept.memory.get(), kept.place());
    log.add("note", {{"line", "early"}}, at_ms(-5));
    log.set_start(at_ms(0));
    log.set_start(at_ms(1));  // the start does not change
    log.add("cue", {{"name", "one"}, {"event", "other"}}, at_ms(1500));
  }
  const auto lines = kept.lines();
  REQUIRE(lines.size() == 4);
  CHECK(lines[0] == nlohmann::json{{"log", 1}});
  CHECK(lines[1].at("at_s").is_null());
  CHECK(lines[2].at("event") == "start");
  CHECK(lines[2].at("at_ns") == at_ms(0).since_epoch.count());
  CHECK(lines[3] == nlohmann::json{{"at_s", 1.5},
                                   {"at_ns", at_ms(1500).since_epoch.count()},
                                   {"event", "cue"},
                                   {"name", "one"}});
}

TEST_CASE("another director goes on with the log, and completes what is not in the file",
          "[show_log]") {
  const KeptLog kept;
  {
    ShowLog log(kept.memory.get(), kept.place());
    log.set_start(at_ms(0));
    log.set_replayed(3);
    log.add("cue", {{"text", std::string(100'000, 'x')}}, at_ms(10));
    REQUIRE(eventually([&] { return kept.lines().size() == 3; }));
    log.step();  // gives memory back
    CHECK(ShowLogMemory(kept.memory.get()).head().begin > 0);
  }
  // A line that the director could not copy any more.
  ShowLogMemory(kept.memory.get()).append("{\"event\":\"last\"}\n");
  {
    ShowLog log(kept.memory.get(), kept.place());
    CHECK(log.start() == at_ms(0));
    CHECK(log.replayed() == 3);
    log.add("cue", {{"name", "two"}}, at_ms(20));
  }
  const auto lines = kept.lines();
  REQUIRE(lines.size() == 5);
  CHECK(lines[2].at("text").get<std::string>().size() == 100'000);
  CHECK(lines[3].at("event") == "last");
  CHECK(lines[4].at("name") == "two");
}

TEST_CASE("an older log is replaced by the show's first director", "[show_log]") {
  const KeptLog kept;
  std::ofstream(kept.file) << std::string(5000, '\n');
  { const ShowLog log(kept.memory.get(), kept.place()); }
  CHECK(kept.text() == "{\"log\":1}\n");
}

TEST_CASE("a file that cannot be written is told once, and the log is whole when it can",
          "[show_log]") {
  KeptLog kept;
  const std::filesystem::path folder = kept.folder / "later";
  kept.file = folder / "show.log.jsonl";
  ShowLog log(kept.memory.get(), kept.place());
  log.add("cue", {{"name", "one"}}, at_ms(10));
  std::optional<std::string> news;
  REQUIRE(eventually([&] { return (news = log.news()).has_value(); }));
  CHECK_FALSE(log.news());
  CHECK_THAT(*news, Catch::StartsWith("the show log is not written: " + kept.file.string()));
  std::filesystem::create_directory(folder);
  REQUIRE(eventually([&] { return kept.text().ends_with("\"one\"}\n"); }));
  CHECK(kept.lines().size() == 2);
}

TEST_CASE("a log for which there is no memory ends, and throws nothing", "[show_log]") {
  const KeptLog kept;
  ShowLog log(kept.memory.get(), kept.place());
  {
    const test::FileSizeLimit full(5000);
    log.add("cue", {{"text", std::string(10'000, 'x')}}, at_ms(10));
  }
  CHECK_FALSE(log.is_on());
  CHECK(log.news());
}

TEST_CASE("a log that the disk does not take ends before it fills the memory", "[show_log]") {
  const KeptLog kept;
  const ShowLog::Place nowhere{kept.folder / "missing" / "log", "{\"log\":1}"};
  ShowLog log(kept.memory.get(), nowhere);
  const nlohmann::json large = {{"text", std::string(std::size_t{8} << 20, 'x')}};
  for (int i = 0; i < 5; ++i) log.add("cue", large, at_ms(i));
  CHECK_FALSE(log.is_on());
  const auto news = log.news();
  REQUIRE(news);
  CHECK_THAT(*news, Catch::Contains("has ended"));
  CHECK(ShowLogMemory(kept.memory.get()).head().end < std::uint64_t{32} << 20);
}

TEST_CASE("a show without a log keeps its start and the place in a replay", "[show_log]") {
  const UniqueFd memory(ShowLogMemory::make());
  {
    ShowLog log(memory.get(), {});
    CHECK_FALSE(log.is_on());
    log.add("cue", {}, at_ms(0));
    log.set_start(at_ms(7));
  }
  CHECK(ShowLog(memory.get(), {}).start() == at_ms(7));
}
