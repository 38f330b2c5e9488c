// Commands that the console runs for operators.

#include "player/console/tool_runs.hpp"

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
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

TEST_CASE("a tool that was killed has failed, unless it was stopped", "[console]") {
  ToolsOfTest tools;
  tools->start("save", {"/shows/tour.toml", ""}, "Ann", 1);
  std::ifstream children("/proc/thread-self/children");
  for (pid_t child = 0; children >> child;) ::kill(child, SIGKILL);
  CHECK(tools.ends("save"));
  CHECK(tools.state("save") == "failed");
  tools->start("save", {"/shows/tour.toml", ""}, "Ann", 1);
  tools->stop("save");
  CHECK(tools.ends("save"));
  CHECK(tools.state("save") == "stopped");
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

TEST_CASE("a flight path is rendered as the wall shows its volume", "[console]") {
  const TemporaryFolder folder;
  boost::asio::io_context io;
  write_file_atomically(folder / "flight.toml", "");
  const auto printed = [&](const std::vector<std::string>& options, const ToolFiles& files) {
    ToolRuns runs(io, {folder.path(), {"--wall", "/no/wall.toml"}, options}, [] {});
    runs.start("render", files, "Ann", 1);
    REQUIRE(eventually([&] {
      io.poll();
      io.restart();
      return runs.json().at("render").at("state") != "running";
    }));
    return runs.json().at("render").at("text").get<std::string>();
  };
  ToolFiles files{"", (folder / "flight.toml").string()};
  // Each option is refused by its name, so the command has got it.
  CHECK_THAT(printed({"--caster", "none", "--volume", "/no/knot.nrrd"}, files),
             Catch::StartsWith("tilewall: --caster: "));
  files.bezels = "sideways";
  CHECK_THAT(printed({}, files), Catch::StartsWith("tilewall: --bezels: "));
  files.bezels = "hide";
  files.content = "upwards";
  CHECK_THAT(printed({}, files), Catch::StartsWith("tilewall: --content: "));
}

TEST_CASE("the folder of a rendering is another one where its pictures would be others",
          "[console]") {
  const TemporaryFolder folder;
  const auto name = [&](const char* file) { return (folder / file).string(); };
  const auto write = [&](const char* file, const std::string& text) {
    std::ofstream(folder / file) << text;
  };
  const std::string keys =
      "[[key]]\neye = [1, 0, 0]\nlook_at = [0, 0, 0]\n[[key]]\neye = [0, 1, 0]\nlook_at = [0, 0, "
      "0]\n";
  write("flight.toml", "volume = \"knot.nrrd\"\n" + keys);
  write("knot.nrrd", "a volume");
  write("wall.toml", "columns = 2");
  ToolPlace place{folder.path(), {"--launcher", "mpirun", "--wall", name("wall.toml")}};
  ToolFiles files{"", name("flight.toml"), "hide", "arc_length"};
  std::set<std::filesystem::path> folders;
  const auto is_new = [&] { return folders.insert(rendered_folder(files, place)).second; };
  CHECK(is_new());
  CHECK(folders.begin()->parent_path() == folder.path());
  CHECK(folders.begin()->filename().string().starts_with("flight-"));
  CHECK_FALSE(is_new());  // the same rendering goes on
  place.show_options = {"--launcher", "ssh {host}", "--local", "--wall", name("wall.toml")};
  CHECK_FALSE(is_new());  // on whatever hosts

  write("flight.toml", "volume = \"knot.nrrd\"\nduration_s = 5\n" + keys);
  CHECK(is_new());
  write("knot.nrrd", "another volume");
  CHECK(is_new());
  write("other.nrrd", "a volume");
  place.render_options = {"--volume", name("other.nrrd")};
  CHECK(is_new());
  write("other.nrrd", "a changed volume");
  CHECK(is_new());
  place.render_options.insert(place.render_options.begin(), {"--memory", "64"});
  CHECK(is_new());
  write("wall.toml", "columns = 3");
  CHECK(is_new());
  files.bezels = "show";
  CHECK(is_new());
  files.content = "flat";
  CHECK(is_new());
  write("flight.toml",
        "volume = \"knot.nrrd\"\n[logo]\nfile = \"logo.png\"\n" + keys + "tf = \"hot.json\"\n");
  CHECK(is_new());
  write("logo.png", "a logo");
  CHECK(is_new());
  write("hot.json", "colours");
  CHECK(is_new());
  // The date of annotations is the day on which the path was changed.
  std::filesystem::last_write_time(
      name("flight.toml"),
      std::filesystem::last_write_time(name("flight.toml")) - std::chrono::hours(48));
  CHECK(is_new());
  write("flight.toml", "[[key]]\neye = 5\n");
  CHECK(is_new());  // the command tells the fault
}
