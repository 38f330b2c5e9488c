// `tilewall wall survey` and `tilewall-host --survey` as they are run.

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "sync/base/handle.hpp"
#include "tests/integration/xvfb.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/places.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;
using Json = nlohmann::json;

namespace {

const std::string small_wall = source_path("wallconfigs/mini-5x3.toml");

/// A folder with a movie, and an empty one for the temporary files of what is run.
struct SurveyTest {
  SurveyTest() {
    write_numbered_movie(folder / "movie", {160, 96}, 4);
    fs::create_directory(folder / "temporary");
  }

  [[nodiscard]] Words words(const std::string& wall, const Words& more) const {
    Words words = {tilewall_program, "wall",      "survey", wall, (folder / "movie").string(),
                   "--json",         "--seconds", "0.1"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  [[nodiscard]] ProgramOptions options(
      std::vector<std::pair<std::string, std::string>> environment = {}) const {
    environment.emplace_back("TMPDIR", (folder / "temporary").string());
    return {environment, {}};
  }

  [[nodiscard]] ProgramResult run(
      const std::string& wall, const Words& more,
      const std::vector<std::pair<std::string, std::string>>& environment = {}) const {
    const ProgramResult result =
        run_program(words(wall, more), std::chrono::seconds(60), options(environment));
    CHECK(fs::is_empty(folder / "temporary"));  // nothing is left behind
    return result;
  }

  /// A wall of a panel for each of these addresses, on hosts h1, h2, ...
  [[nodiscard]] std::string wall_of(const std::vector<std::string>& addresses) const {
    std::ofstream file(folder / "wall.toml");
    file << "columns = " << addresses.size() << "\nrows = 1\n[panels]\nsize_px = [160, 96]\n";
    for (std::size_t i = 0; i < addresses.size(); ++i)
      file << "[[host]]\nname = \"h" << i + 1 << "\"\naddress = \"" << addresses[i]
           << "\"\ncolumns = [" << i << "]\n";
    return folder / "wall.toml";
  }

  /// A launcher that runs `text`, with the host in $1, and then the command.
  [[nodiscard]] std::string launcher(const std::string& text) const {
    const fs::path file = folder / "launcher";
    std::ofstream(file) << "#!/bin/sh\n" << text << "\nshift\nexec \"$@\"\n";
    fs::permissions(file, fs::perms::owner_all);
    return file.string() + " {host}";
  }

  TemporaryFolder folder;
};

Json json_of(const ProgramResult& result) {
  CAPTURE(result.err);
  const Json json = Json::parse(result.out, nullptr, false);
  REQUIRE(json.is_object());
  return json;
}

/// The first check of that kind on that host; null where there is none.
Json check_of(const Json& survey, std::size_t host, const std::string& kind) {
  for (const Json& check : survey.at("hosts").at(host).at("checks"))
    if (check.at("kind") == kind) return check;
  return {};
}

/// A listening X server that answers nobody.
UniqueFd silent_display(const std::string& number) {
  UniqueFd listening(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const std::string name = "/tmp/.X11-unix/X" + number;
  std::memcpy(address.sun_path + 1, name.data(), name.size());  // in no folder
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  REQUIRE(::bind(listening.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0);
  REQUIRE(::listen(listening.get(), 4) == 0);
  return listening;
}

std::set<pid_t> descendants_of(pid_t parent) {
  std::set<pid_t> found;
  std::ifstream file("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) +
                     "/children");
  for (pid_t child = 0; file >> child;) {
    found.insert(child);
    found.merge(descendants_of(child));
  }
  return found;
}

}  // namespace

TEST_CASE("a survey of a wall on this machine has every light", "[survey]") {
  const SurveyTest test;
  const ProgramResult result = test.run(small_wall, {"--headless", "--hash"});
  const Json survey = json_of(result);
  CAPTURE(result.out);
  REQUIRE(survey.at("hosts").size() == 1);
  CHECK(survey.at("hosts").at(0).at("name") == "this machine");
  for (const char* const kind : {"host", "version", "memory", "logs", "file"})
    CHECK(check_of(survey, 0, kind).at("light") == "green");
  CHECK(check_of(survey, 0, "file").at("text") == "the same contents");
  CHECK(check_of(survey, 0, "display").at("light") == "not_measured");
  // How fast this machine is, and how exact its clock, depends on what else it does.
  CHECK(check_of(survey, 0, "clock").at("light") != "red");
  for (const char* const kind : {"read", "decode"})
    CHECK_THAT(check_of(survey, 0, kind).at("expected").get<std::string>(),
               Catch::Contains("24 frames/s"));
  CHECK(result.exit_code == (survey.at("light") == "red" ? 1 : 0));
}

TEST_CASE("a survey opens the displays of the panels", "[survey]") {
  const SurveyTest test;
  const auto server = Xvfb::start({640, 480}, 24);
  if (!server) {
    WARN("skipped: no Xvfb");
    return;
  }
  const ProgramResult result = test.run(small_wall, {}, {{"DISPLAY", server->display_name()}});
  const Json display = check_of(json_of(result), 0, "display");
  CHECK(display.at("light") == "green");
  CHECK(display.at("subject") == server->display_name());
}

TEST_CASE("a display that never answers is one red light", "[survey]") {
  const SurveyTest test;
  const std::string number = std::to_string(20'000 + ::getpid() % 20'000);
  const UniqueFd listening = silent_display(number);
  const ProgramResult result = test.run(small_wall, {"--limit", "4"}, {{"DISPLAY", ":" + number}});
  const Json survey = json_of(result);
  CHECK(result.exit_code == 1);
  CHECK(check_of(survey, 0, "display").at("light") == "red");
  CHECK(check_of(survey, 0, "display").at("text") == "no answer: the survey's 4 s were over");
  CHECK(check_of(survey, 0, "file").at("light") == "green");
}

TEST_CASE("a disk that hangs is red, and nothing of the survey is left", "[survey]") {
  const SurveyTest test;
  const std::vector<std::pair<std::string, std::string>> hang = {
      {"LD_PRELOAD", preload_path(TILEWALL_SLOW_DISK)},
      {"TILEWALL_TEST_READ_HANG", small_wall}};  // a file that exists
  const Json survey = json_of(test.run(small_wall, {"--headless", "--limit", "4"}, hang));
  for (const char* const kind : {"read", "decode"}) {
    CHECK(check_of(survey, 0, kind).at("light") == "red");
    CHECK_THAT(check_of(survey, 0, kind).at("text").get<std::string>(),
               Catch::StartsWith("no answer"));
  }

  // The same where the command is killed meanwhile.
  const RunningProgram program(test.words(small_wall, {"--headless", "--limit", "600"}),
                               test.options(hang));
  std::set<pid_t> begun;
  CHECK(eventually([&] {
    begun = descendants_of(program.pid());
    return begun.size() >= 3;  // the clock daemon, the survey, its child
  }));
  program.send_signal(SIGKILL);
  CHECK(eventually([&] { return std::ranges::none_of(begun, is_alive); }));
}

TEST_CASE("a host that cannot be reached is one red light with the reason", "[survey]") {
  const SurveyTest test;
  const std::string wall = test.wall_of({"127.0.0.2", "127.0.0.3"});
  const std::string launcher =
      test.launcher("if [ $1 = 127.0.0.3 ]; then echo 'no way to h2' >&2; exit 255; fi");
  const ProgramResult result = test.run(wall, {"--headless", "--launcher", launcher});
  const Json survey = json_of(result);
  CHECK(result.exit_code == 1);
  REQUIRE(survey.at("hosts").size() == 2);
  CHECK(check_of(survey, 0, "host").at("light") == "green");
  CHECK(check_of(survey, 0, "clock").at("light") != "red");
  CHECK(survey.at("hosts").at(1).at("name") == "h2");
  CHECK(survey.at("hosts").at(1).at("checks").size() == 1);
  CHECK(check_of(survey, 1, "host").at("light") == "red");
  CHECK(check_of(survey, 1, "host").at("text") == "no way to h2");
}

TEST_CASE("files that a host has in another form, or not, are red", "[survey]") {
  const SurveyTest test;
  const std::string wall = test.wall_of({"127.0.0.2"});
  const std::string frame = test.folder / "movie" / "frame-000001.tif";
  const auto light = [&](const std::string& change, const Words& more) {
    Words words = {"--headless", "--launcher", test.launcher(change)};
    words.insert(words.end(), more.begin(), more.end());
    return check_of(json_of(test.run(wall, words)), 0, "file");
  };
  const fs::path date = test.folder / "date";
  std::ofstream(date) << "has the frame's date";
  fs::last_write_time(date, fs::last_write_time(frame));
  const std::string changed = "printf x | dd of=" + frame +
                              " bs=1 seek=9 conv=notrunc status=none; touch -r " + date.string() +
                              " " + frame;
  CHECK(light(changed, {"--hash"}).at("text") == "the same size, but other contents");
  CHECK(light("touch -d 2001-01-01 " + (test.folder / "movie").string() + "/*", {}).at("light") ==
        "amber");
  CHECK_THAT(light("printf x >> " + frame, {}).at("text").get<std::string>(),
             Catch::StartsWith("another size: "));
  CHECK_THAT(light("rm " + frame, {}).at("text").get<std::string>(),
             Catch::Equals("4 files, expected 5"));
  const std::string movie = test.folder / "movie";
  CHECK(light("rm -r " + movie, {}).at("text") == movie + ": expected a file, found none");
}

TEST_CASE("a launcher without standard input gives the survey's own line", "[survey]") {
  const SurveyTest test;
  const Json survey = json_of(test.run(
      test.wall_of({"127.0.0.2"}), {"--headless", "--launcher", test.launcher("exec </dev/null")}));
  CHECK_THAT(check_of(survey, 0, "host").at("text").get<std::string>(),
             Catch::StartsWith("tilewall-survey: "));
}

TEST_CASE("a wrong request ends the survey with exit code 2 and one line", "[survey][bad-input]") {
  const auto survey = [](const std::string& request) {
    return run_program(
        {"sh", "-c",
         "printf %s '" + request + "' | '" + program_path("tilewall-host") + "' --survey"});
  };
  const auto line_of = [&](const std::string& request) {
    const ProgramResult result = survey(request);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    return result.err;
  };
  CHECK(line_of("{}") ==
        "tilewall-survey: message: survey: expected a value of its type, found "
        "none\n");
  CHECK(line_of(R"({"survey":1,"version":"x","limit_ms":-1,"check_limit_ms":1})") ==
        "tilewall-survey: message: limit_ms: expected a whole number from 1 to 86400000, found "
        "-1\n");
  CHECK_THAT(line_of("no JSON"), Catch::StartsWith("tilewall-survey: "));
  CHECK_THAT(line_of(std::string(100'000, '[')), Catch::StartsWith("tilewall-survey: "));

  const ProgramResult good =
      survey(R"({"survey":1,"version":"tilewall 0.0.0","limit_ms":9000,"check_limit_ms":9000})");
  CHECK(good.exit_code == 0);
  CHECK(good.err.empty());
  CHECK_THAT(good.out, Catch::StartsWith(R"({"survey":1,)"));
  CHECK(std::ranges::count(good.out, '\n') == 1);
}

TEST_CASE("wall survey refuses wrong walls, inputs and launchers", "[survey][bad-input]") {
  const SurveyTest test;
  const auto line_of = [&](const Words& words) {
    Words all = {tilewall_program, "wall", "survey"};
    all.insert(all.end(), words.begin(), words.end());
    const ProgramResult result = run_program(all);
    CHECK(result.exit_code == 2);
    CHECK(result.out.empty());
    CHECK(std::ranges::count(result.err, '\n') == 1);
    return result.err;
  };
  CHECK_THAT(line_of({(test.folder / "none.toml").string()}), Catch::Contains("none.toml"));
  CHECK_THAT(line_of({small_wall, (test.folder / "none.mp4").string()}),
             Catch::Contains("none.mp4"));
  CHECK_THAT(line_of({small_wall, "--seconds", "0"}), Catch::Contains("--seconds"));
  CHECK_THAT(line_of({small_wall, "--key-file", "/nonexistent"}), Catch::Contains("/nonexistent"));
  CHECK_THAT(line_of({test.wall_of({"127.0.0.2", "127.0.0.3"}), "--launcher", "run {panels}"}),
             Catch::Contains("--launcher: expected {host} for a wall of several hosts"));
}
