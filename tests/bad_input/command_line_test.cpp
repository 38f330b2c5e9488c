// What is typed wrongly after `tilewall`: one line that says what was expected, and exit code 2.

#include <netinet/in.h>
#include <sys/socket.h>

#include <array>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "sync/base/role_log.hpp"
#include "tests/support/counting_movie.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

/// Checks the exit code and the one line on stderr of "tilewall WORDS...".
void refuses(Words words, const std::string& line, const ProgramOptions& options = {}) {
  CAPTURE(words);
  words.insert(words.begin(), tilewall_program);
  const ProgramResult result = run_program(words, std::chrono::seconds(20), options);
  CHECK(result.err == "tilewall: " + line + "\n");
  CHECK(result.exit_code == 2);
  CHECK(result.out.empty());
}

/// A socket of any free port of this machine, which programs inherit.
UniqueFd inherited_socket(int type) {
  UniqueFd socket(::socket(AF_INET, type, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      (type == SOCK_STREAM && ::listen(socket.get(), 8) != 0))
    throw std::runtime_error("bind, listen");
  return socket;
}

/// Waits for the first bytes that the server sends to whoever connects. It heeds signals by then.
void wait_until_it_serves(const UniqueFd& listener) {
  sockaddr_in address = {};
  socklen_t size = sizeof address;
  const UniqueFd stream(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const timeval limit = {20, 0};
  REQUIRE(::setsockopt(stream.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) == 0);
  REQUIRE(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
  REQUIRE(::connect(stream.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0);
  std::array<char, 64> bytes = {};
  REQUIRE(::recv(stream.get(), bytes.data(), bytes.size(), 0) > 0);
}

/// The lines of the README's quick start that begin with `$T`, without their comments.
Words quick_start() {
  std::ifstream readme(source_path("README.md"));
  Words lines;
  for (std::string line; std::getline(readme, line);)
    if (line.starts_with("$T ")) lines.push_back(line.substr(0, line.find("  #")));
  return lines;
}

}  // namespace

TEST_CASE("the help of serve tells of its folders, and of no hidden option", "[cli]") {
  const std::string help = run_program({tilewall_program, "serve", "--help"}).out;
  CHECK_THAT(help, Catch::Contains("  DIR TEXT ...    ") && Catch::Contains("--readers"));
  CHECK(help.find("Excludes") == std::string::npos);
  CHECK(help.find("\n\n\n") == std::string::npos);
}

TEST_CASE("an unknown command, verb or option is answered with the nearest one", "[cli]") {
  refuses({"pley", "movie"},
          "expected a command, found \"pley\" (nearest: play; see tilewall --help)");
  refuses({"xyzzy"}, "expected a command, found \"xyzzy\" (see tilewall --help)");
  refuses({"ctl", "staus"},
          "ctl: expected a verb, found \"staus\" (nearest: status; see tilewall ctl --help)");
  refuses({"ctl", "snap", "x.png"},
          "ctl: expected a verb, found \"snap\" (nearest: snapshot; see tilewall ctl --help)");
  refuses({"wall", "chek", "x.toml"},
          "wall: expected a command, found \"chek\" (nearest: check; see tilewall wall --help)");
  refuses({"play", "movie", "--headles"},
          "play: expected a known option, found \"--headles\" (nearest: --headless; see tilewall "
          "play --help)");
  refuses({"ctl", "status", "--jsn=1"},
          "status: expected a known option, found \"--jsn\" (nearest: --json; see tilewall ctl "
          "status --help)");
  refuses({"--wall", "w.toml", "play", "movie"},
          "expected --wall behind \"tilewall play\", found it before (see tilewall play --help)");
  refuses({}, "A subcommand is required (see tilewall --help)");
  // An option that the supervisor types, and help does not list.
  refuses({"serve", "--sockets", "1"},
          "--sockets: At least 2 required but received 1 (see tilewall serve --help)");
}

TEST_CASE("a wrong word before --help is answered as without it", "[cli]") {
  refuses({"xyzzy", "--help"}, "expected a command, found \"xyzzy\" (see tilewall --help)");
  refuses({"wall", "nosuch", "--help"},
          "wall: expected a command, found \"nosuch\" (see tilewall wall --help)");
  refuses({"import", "--nosuch", "--help"},
          "import: expected a known option, found \"--nosuch\" (see tilewall import --help)");
  for (const Words& words :
       {Words{"import", "movie", "--help"}, Words{"import", "-o", "x", "-h"}, Words{"--help"}}) {
    CAPTURE(words);
    Words line = words;
    line.insert(line.begin(), tilewall_program);
    const ProgramResult result = run_program(line);
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out, Catch::Contains("Usage: tilewall"));
  }
}

TEST_CASE("every command's help has an example", "[cli]") {
  for (const Words& command :
       {Words{}, Words{"wall"}, Words{"path"}, Words{"key", "new"}, Words{"cache", "list"},
        Words{"cache", "limit"}, Words{"cache", "clean"}}) {
    Words words = command;
    words.insert(words.begin(), tilewall_program);
    words.emplace_back("--help");
    CAPTURE(words);
    CHECK_THAT(run_program(words).out, Catch::Contains("Example"));
  }
}

TEST_CASE("options of import and render that exclude each other are refused", "[cli]") {
  const auto refused = [](Words words, const std::string& option, const std::string& other) {
    words.insert(words.begin(), tilewall_program);
    CAPTURE(words);
    const ProgramResult result = run_program(words);
    CHECK_THAT(result.err, Catch::Contains(option + " excludes " + other));
    CHECK(result.exit_code == 2);
  };
  refused({"import", "x", "-o", "y", "--lossless", "zstd", "--quality", "90"}, "--quality",
          "--lossless");
  refused({"render", "x", "-o", "y", "--png", "--quality", "90"}, "--png", "--quality");
  refused({"render", "x", "-o", "y", "--exr", "--lossless", "zstd"}, "--exr", "--lossless");
  refused({"render", "x", "-o", "y", "--png", "--lossless", "zstd"}, "--png", "--lossless");
  refuses({"import", "x", "-o", ""}, "--output: expected a folder for the wall movie, found \"\"");
  refuses({"export", "x", "-o", "y.mp4", "--fps", "1001"},
          "--fps: expected a rate over 0, at most 1000, such as 24, 29.97 or 30000/1001, found "
          "\"1001\"");
}

TEST_CASE("a wall file is read from a pipe", "[cli]") {
  const ProgramResult result = run_program({"sh", "-c",
                                            "cat " + source_path("wallconfigs/5x3.toml") + " | " +
                                                tilewall_program + " wall check /dev/stdin"});
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.out, Catch::Contains("/dev/stdin: ok: "));
}

TEST_CASE("info says whether a movie's frames were counted", "[cli]") {
  const TemporaryFolder folder;
  const std::string raw = (folder / "raw.h264").string();
  make_counting_movie(raw, {.frames = 30, .b_frames = 0});
  const ProgramResult json = run_program({tilewall_program, "info", raw, "--json"});
  CAPTURE(json.out, json.err);
  const auto report = nlohmann::json::parse(json.out);
  CHECK(report.at("frames") == 30);
  CHECK(report.at("frames_estimated") == false);
  const ProgramResult text = run_program({tilewall_program, "info", raw});
  CHECK_THAT(text.out, Catch::Contains("\nframes               30\n"));
}

TEST_CASE("a snapshot in another format than PNG is refused before the show", "[cli]") {
  const TemporaryFolder folder;
  const std::string line = "--snapshot: expected a file that ends in .png, found \"wall.jpg\"";
  refuses({"demo", "--headless", "--snapshot", "wall.jpg"}, line, {{}, folder.path()});
  refuses({"view", "volume.nrrd", "--headless", "--snapshot", "0:wall.jpg"}, line);
}

TEST_CASE("import and export take the one syntax of ranges", "[cli]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", {64, 48}, 12);
  const ProgramOptions here{{}, folder.path()};
  const std::string line =
      "--frames: expected A-B, A-, -B or N, frames from 0 on, such as 100-199, found \"5-3\"";
  refuses({"import", "movie", "-o", "out", "--frames", "5-3"}, line, here);
  refuses({"export", "movie", "-o", "out", "--frames", "5-3"}, line, here);
  refuses({"export", "movie", "-o", "out", "--frames", "12-"},
          "--frames: expected frames from 0 to 11, found 12-", here);
  const auto exported = [&](const std::string& range) {
    fs::remove_all(folder / "out");
    const ProgramResult result = run_program(
        {tilewall_program, "export", "movie", "-o", "out", "--frames=" + range, "--json"},
        std::chrono::seconds(20), here);
    CAPTURE(range, result.err);
    REQUIRE(result.exit_code == 0);
    return nlohmann::json::parse(result.out).at("frames").get<int>();
  };
  CHECK(exported("9-") == 3);
  CHECK(exported("-4") == 5);
  CHECK(exported("7") == 1);
}

TEST_CASE("an image that fails without a reason gets no empty one", "[cli]") {
  const TemporaryFolder folder;
  std::ofstream(folder / "cut.ppm") << "P6\n";
  refuses({"info", "cut.ppm"},
          "cut.ppm: expected an image that FFmpeg can decode, found only damage",
          {{}, folder.path()});
}

TEST_CASE("export counts damaged frames on stderr with --json too", "[cli]") {
  const TemporaryFolder folder;
  write_numbered_movie(folder / "movie", {64, 48}, 3);
  fs::resize_file(folder / "movie/frame-000001.tif", 100);
  const ProgramResult result =
      run_program({tilewall_program, "export", "movie", "-o", "out", "--json"},
                  std::chrono::seconds(20), {{}, folder.path()});
  CHECK(result.exit_code == 0);
  CHECK(nlohmann::json::parse(result.out).at("damaged_frames") == 1);
  CHECK_THAT(result.err, Catch::Contains("movie: 1 frames were damaged or missing"));
}

TEST_CASE("the help of play and view is in groups, ten usual options first", "[cli]") {
  for (const char* command : {"play", "view"}) {
    const std::string help = run_program({tilewall_program, command, "--help"}).out;
    CAPTURE(command, help);
    const auto first = help.find("\nThe most used:\n");
    REQUIRE(first != std::string::npos);
    const std::string group = help.substr(first, help.find("\n\n", first + 2) - first);
    int options = 0;
    for (auto at = group.find("\n  --"); at != std::string::npos; at = group.find("\n  --", at + 1))
      ++options;
    CHECK(options == 10);
    CHECK(first < help.find("\nOn which machines:\n"));
    CHECK_THAT(help, Catch::Contains("\nOther options:\n") && Catch::Contains("  -h,--help "));
    CHECK(help.find("\nOptions:\n") == std::string::npos);
    for (const char* option : {"--wall ", "--fps ", "--headless ", "--run-dir "}) {
      CAPTURE(option);
      const auto listed = help.find("\n  " + std::string(option));
      REQUIRE(listed != std::string::npos);
      CHECK(help.find("\n  " + std::string(option), listed + 1) == std::string::npos);
    }
  }
}

TEST_CASE("cache refuses sizes and names that are none", "[cli]") {
  const TemporaryFolder folder;
  const ProgramOptions here{{{"XDG_CACHE_HOME", folder.path().string()}}, {}};
  for (const char* size : {"much", "-5G", "20", "20Gb", "nan", "1e30T"})
    refuses(
        {"cache", "limit", size},
        "cache limit: expected a size such as 20GiB or 500M, found \"" + std::string(size) + "\"",
        here);
  refuses({"cache", "clean", "--to", "x"},
          "--to: expected a size such as 20GiB or 500M, found \"x\"", here);
  refuses({"cache", "clean", "a"},
          "cache clean: expected the name of an entry (tilewall cache lists them), found \"a\"",
          here);
  refuses({"cache", "lsit"},
          "cache: expected a command, found \"lsit\" (nearest: list; see tilewall cache --help)",
          here);
}

TEST_CASE("the steps of the README's quick start work in their order", "[cli]") {
  const TemporaryFolder folder;
  const fs::path demo = folder / "cache/tilewall";
  fs::create_directories(demo);
  make_counting_movie(demo / "demo.mp4", {});
  std::ofstream(demo / "demo.nrrd") << "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 2 2 2\n"
                                       "encoding: raw\n\n12345678";
  if (!fs::exists(source_path("README.md"))) {
    WARN("skipped: an installation has no README.md");
    return;
  }
  fs::create_directory_symlink(source_path("wallconfigs"), folder / "wallconfigs");
  fs::create_directory_symlink(source_path("tests"), folder / "tests");
  fs::create_directory_symlink(source_path("player"), folder / "player");
  const ProgramOptions here{{{"XDG_CACHE_HOME", (folder / "cache").string()}}, folder.path()};
  const std::string names =
      "T=" + tilewall_program + "; D=$XDG_CACHE_HOME/tilewall; W=wallconfigs/mini-5x3.toml; ";
  const Words lines = quick_start();
  CHECK(lines.size() >= 10);
  for (std::string line : lines) {
    CAPTURE(line);
    // Shows are started by other tests; here their inputs and walls are opened.
    if (line.starts_with("$T play ")) line += " --plan";
    if (line.starts_with("$T present ")) line.insert(line.find(' ', 3) + 1, "check --no-media ");
    if (line.starts_with("$T wall survey ")) line += " --headless";
    if (line.starts_with("$T view "))
      line = "$T info " + line.substr(8, line.find(' ', 8) - 8) + " && $T wall check $W";
    const ProgramResult result =
        run_program({"sh", "-c", names + line}, std::chrono::seconds(60), here);
    CHECK(result.err.find("tilewall:") == std::string::npos);
    CHECK(result.exit_code == 0);
  }
}

TEST_CASE("a comparison of presentations refuses what is no report of one", "[cli]") {
  const TemporaryFolder folder;
  const std::string none = (folder / "none.json").string();
  const std::string other = (folder / "other.json").string();
  std::ofstream(folder / "other.json") << "{\"frames_late\": 0}";
  refuses({"present", "compare", other, none},
          other +
              ": cues: expected those of a presentation's report (tilewall present --report), "
              "found none");
  refuses({"present", "rehearse", none, "--each", "0"},
          "--each: expected a number in [0.1, 86400], found \"0\" (see tilewall present rehearse "
          "--help)");
}

TEST_CASE("a show's own server outlives a list of volumes that is none", "[cli]") {
  const TemporaryFolder folder;
  const std::string list = (folder / "list").string();
  std::ofstream(list) << "no list\n";
  const std::string secret = (folder / "secret").string();
  REQUIRE(run_program({tilewall_program, "key", "new", secret}).exit_code == 0);
  const UniqueFd tcp = inherited_socket(SOCK_STREAM);
  const UniqueFd udp = inherited_socket(SOCK_DGRAM);
  const Words words{
      tilewall_program,         "serve", "--offers", list, "--sockets", std::to_string(tcp.get()),
      std::to_string(udp.get())};
  const std::string complaint =
      "tilewall serve: " + list + ": message: expected JSON, found other text\n";
  RunningProgram server(words, {{{"TILEWALL_SECRET_FILE", secret}}, {}});
  wait_until_it_serves(tcp);
  server.send_signal(SIGTERM);
  const ProgramResult result = server.wait(std::chrono::seconds(20));
  CHECK(result.exit_code == 0);
  CHECK(result.out.empty());
  CHECK(without_stamps(result.err) == complaint);

  const ProgramResult keyless =
      run_program(words, std::chrono::seconds(20), {{{"TILEWALL_SECRET_FILE", ""}}, {}});
  CHECK(keyless.exit_code == 2);
  CHECK(without_stamps(keyless.err) ==
        complaint +
            "tilewall: TILEWALL_SECRET_FILE: expected the path of the show's secret file, found "
            "nothing\n");
}
