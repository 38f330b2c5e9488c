// Where a show's threads run: as the plan says, or as the user does.

#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <sstream>
#include <thread>

#include "tests/support/controlled_show.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/places.hpp"
#include "tests/support/serve_program.hpp"
#include "tests/support/show.hpp"

using namespace tilewall;
using namespace tilewall::test;

namespace {

/// The plan of a wall of two panels.
ProgramResult plan_of(const Words& more) {
  Words words = {tilewall_program,
                 "play",
                 "tilewall://127.0.0.1/none",
                 "--wall",
                 test_wall("two-by-one.toml"),
                 "--headless",
                 "--plan"};
  words.insert(words.end(), more.begin(), more.end());
  return run_program(words);
}

std::string first_word_after(const std::filesystem::path& file, const std::string& key) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(key)) return line.substr(line.find_first_not_of(" \t", key.size()));
  return "";
}

/// The CPUs that a process's threads may use, by the threads' names.
std::multimap<std::string, std::string> cpus_of_threads(pid_t pid) {
  std::multimap<std::string, std::string> found;
  std::error_code error;
  for (const auto& thread :
       std::filesystem::directory_iterator("/proc/" + std::to_string(pid) + "/task", error)) {
    const bool is_main = thread.path().filename() == std::to_string(pid);
    const auto status = thread.path() / "status";
    found.emplace(is_main ? "main" : first_word_after(status, "Name:"),
                  first_word_after(status, "Cpus_allowed_list:"));
  }
  return found;
}

bool all_on(const std::multimap<std::string, std::string>& threads, const std::string& name,
            const std::string& cpus) {
  const auto [first, end] = threads.equal_range(name);
  return first != end &&
         std::all_of(first, end, [&](const auto& thread) { return thread.second == cpus; });
}

}  // namespace

TEST_CASE("a plan says for another machine where all goes, and why", "[place]") {
  const std::string host = source_path("tests/data/hosts/two-packages.xml");
  const Words words = {"--topology",     host,      "--place",
                       "interface=eth1", "--place", "c1r0:decoders=8-11;memory=2"};
  const ProgramResult text = plan_of(words);
  CAPTURE(text.out, text.err);
  REQUIRE(text.exit_code == 0);
  CHECK(text.out.find("c0r0   3     24         31*        25-30     3\n") != std::string::npos);
  CHECK(text.out.find("c1r0   0     0          31*        8-11*     2*\n") != std::string::npos);
  CHECK(text.out.find("receivers on node 3: eth1 is there") != std::string::npos);
  Words json_words = words;
  json_words.emplace_back("--json");
  const nlohmann::json plan = nlohmann::json::parse(plan_of(json_words).out).at("hosts").at(0);
  CHECK(plan.at("panels").at(1).at("decoders") == "8-11");
  CHECK(plan.at("panels").at(1).at("memory_node") == 2);
  CHECK(plan.at("nodes").size() == 4);
}

TEST_CASE("a plan of this machine needs no server, and says what is not possible", "[place]") {
  const ProgramResult text = plan_of({});
  CAPTURE(text.out, text.err);
  CHECK(text.exit_code == 0);
  CHECK(text.err.empty());
  CHECK(text.out.find("127.0.0.1:7642 is reached by lo") != std::string::npos);
  CHECK(text.out.find("not possible here:") != std::string::npos);
  const ProgramResult away = run_program({tilewall_program, "play", "pattern:count", "--wall",
                                          test_wall("hosts.toml"), "--headless", "--plan"});
  CHECK(away.exit_code == 0);
  CHECK(away.out.find("plans its own panels when they start") != std::string::npos);
}

TEST_CASE("the threads of a show run where --place wants them", "[place]") {
  if (std::thread::hardware_concurrency() < 2) return;
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movies" / "numbers", pair_canvas_px, 48);
  const ServeProgram server(folder / "movies");
  std::ofstream(folder / "places") << "presenter=1;receivers=0;decoders=0-1\nc1r0: decoders=1\n";
  ControlledShow show(url_of(server.port(), "numbers"), "two-by-one.toml",
                      {"--place", (folder / "places").string(), "--place", "c1r0:memory=0"});
  for (const int panel : {0, 1}) {
    std::multimap<std::string, std::string> threads;
    CHECK(eventually([&] {
      threads =
          cpus_of_threads(pid_in(show.run_dir() / "pids" / ("panel-" + std::to_string(panel))));
      return all_on(threads, "main", "1") && all_on(threads, "slabs", "0") &&
             all_on(threads, "decode", panel == 0 ? "0-1" : "1") &&
             threads.count("decode") == (panel == 0 ? 2 : 1);  // one for each CPU given
    }));
  }
  const nlohmann::json report = show.finish();
  CHECK(panel_report(report, "c0r0").at("cores") == "present 1, decode 0-1, receive 0");
  const std::string second = panel_report(report, "c1r0").at("cores");
  CHECK(second.find("present 1, decode 1, receive 0, memory 0") == 0);
}
