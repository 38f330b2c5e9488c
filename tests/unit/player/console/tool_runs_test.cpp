// Commands that the console runs for operators.

#include "player/console/tool_runs.hpp"

#include <catch2/catch.hpp>

#include "sync/base/error.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::console;
using namespace tilewall::test;
using Json = nlohmann::json;

namespace {

/// Runs of tools over a run directory in which no wall runs.
class ToolsOfTest {
 public:
  ToolRuns* operator->() { return &runs_; }

  /// The state of a tool's newest run.
  [[nodiscard]] std::string state(const std::string& tool) const {
    return runs_.json().at(tool).at("state");
  }
  /// Waits until the run has ended.
  bool ends(const std::string& tool) {
    return eventually([&] {
      io_.poll();
      io_.restart();
      return state(tool) != "running";
    });
  }
  std::string refusal(const std::string& tool, const ToolFiles& files) {
    try {
      runs_.start(tool, files, "Ann", 1);
    } catch (const InputError& error) {
      return error.what();
    }
    return "";
  }

  int changes = 0;

 private:
  const TemporaryFolder folder_;
  boost::asio::io_context io_;
  ToolRuns runs_{io_, {folder_.path(), {"--wall", "/no/wall.toml"}}, [this] { ++changes; }};
};

}  // namespace

TEST_CASE("a tool that fails tells what it printed", "[console]") {
  ToolsOfTest tools;
  CHECK(tools->json() == Json::object());
  tools->start("save", {"/shows/tour.toml", ""}, "Ann", 123);
  CHECK(tools.changes == 1);
  CHECK(tools->json().at("save") ==
        Json{{"state", "running"}, {"by", "Ann"}, {"at_utc_ms", 123}, {"text", ""}});
  CHECK(tools.refusal("save", {"/shows/tour.toml", ""}) ==
        "save: expected one at a time, found the one of Ann");
  CHECK(tools.ends("save"));
  CHECK(tools.changes == 2);
  CHECK(tools.state("save") == "failed");
  const std::string text = tools->json().at("save").at("text");
  CHECK_THAT(text, Catch::StartsWith("tilewall: --run-dir: expected the run directory of a "));
  CHECK(text.ends_with("\n"));
  CHECK(std::ranges::count(text, '\n') == 1);
  CHECK_THROWS_WITH(tools->stop("save"), "save: expected a run that can be stopped, found none");
  CHECK(tools.refusal("save", {"/shows/tour.toml", ""}).empty());  // once more
  CHECK(tools.ends("save"));
}

TEST_CASE("the show's own options are given to the tools that play it", "[console]") {
  ToolsOfTest tools;
  tools->start("check", {"/no/tour.toml", ""}, "Ann", 1);
  CHECK(tools.ends("check"));
  CHECK(tools.state("check") == "failed");
  const std::string text = tools->json().at("check").at("text");
  CHECK((text.find("/no/wall.toml") != std::string::npos ||
         text.find("/no/tour.toml") != std::string::npos));
}

TEST_CASE("what is no tool, or has no show file, is not run", "[console]") {
  ToolsOfTest tools;
  CHECK(tools.refusal("format", {"/shows/tour.toml", ""}) ==
        "tools: expected save, reload, check, rehearse or render, found format");
  CHECK(tools.refusal("save", {}) ==
        "save: expected a presentation (tilewall present), found another show");
  CHECK_THROWS_AS(tools->stop("save"), InputError);
  CHECK(tools.changes == 0);
  CHECK(ToolRuns::tools().size() == 5);
}

TEST_CASE("a flight path is rendered for the wall of the show", "[console]") {
  ToolsOfTest tools;
  CHECK(tools.refusal("render", {"/shows/tour.toml", ""}) ==
        "render: expected a show that keeps a flight path, found another one");
  tools->start("render", {"", "/no/flight.toml"}, "Ann", 1);
  CHECK(tools.ends("render"));
  CHECK(tools.state("render") == "failed");
  CHECK_THAT(tools->json().at("render").at("text").get<std::string>(),
             Catch::Contains("/no/wall.toml"));

  boost::asio::io_context io;
  const TemporaryFolder folder;
  ToolRuns without_wall(io, {folder.path(), {"--launcher", "mpirun"}}, [] {});
  CHECK_THROWS_WITH(without_wall.start("render", {"", "/no/flight.toml"}, "Ann", 1),
                    "render: expected a show that was given a wall file (--wall), found none");
}
