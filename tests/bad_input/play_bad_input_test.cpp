// `tilewall play` and what it cannot play: one line that says what to do, and nothing left behind.

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "sync/base/file.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds answer_limit{10};

/// A folder with a good movie of 12 frames, where the program works.
class BadInput {
 public:
  BadInput() {
    write_numbered_movie(folder_ / "movie", {64, 48}, 12);
    options_.folder = folder_.path();
    options_.environment = {{"XDG_CACHE_HOME", (folder_ / "cache").string()},
                            {"XDG_RUNTIME_DIR", (folder_ / "runtime").string()}};
    fs::create_directory(folder_ / "runtime");
    fs::permissions(folder_ / "runtime", fs::perms::owner_all);
  }

  [[nodiscard]] const TemporaryFolder& folder() const { return folder_; }
  [[nodiscard]] const ProgramOptions& options() const { return options_; }
  void set(const std::string& name, const std::string& value) {
    options_.environment.emplace_back(name, value);
  }

  /// Checks the exit code and the one line on stderr.
  void refuses(const Words& more, int exit_code, const std::string& line) const {
    Words words = {tilewall_program, "play", "--wall", test_wall("two-by-one.toml")};
    words.insert(words.end(), more.begin(), more.end());
    CAPTURE(words);
    const ProgramResult result = run_program(words, answer_limit, options_);
    CHECK(result.err == "tilewall: " + line + "\n");
    CHECK(result.exit_code == exit_code);
    CHECK(result.out.empty());
    CHECK(fs::is_empty(folder_ / "runtime"));
  }

  /// The same headless.
  void refuses_headless(Words more, int exit_code, const std::string& line) const {
    more.emplace_back("--headless");
    refuses(more, exit_code, line);
  }

 private:
  const TemporaryFolder folder_;
  ProgramOptions options_;
};

/// The good movie's movie.toml with one line of it replaced.
void write_manifest(const TemporaryFolder& folder, const std::string& name, const std::string& key,
                    const std::string& line) {
  std::ifstream good(folder / "movie/movie.toml");
  fs::create_directory(folder / name);
  std::ofstream bad(folder / (name + "/movie.toml"));
  for (std::string text; std::getline(good, text);)
    bad << (text.starts_with(key + " ") ? line : text) << '\n';
}

}  // namespace

TEST_CASE("play refuses what is no movie", "[play][bad-input]") {
  const BadInput bad;
  const TemporaryFolder& folder = bad.folder();
  fs::create_directory(folder / "empty");
  std::ofstream(folder / "nothing.mp4").close();
  std::ofstream(folder / "text.mp4") << "this is no movie\n";
  std::ofstream(folder / "text.png") << "this is no picture\n";
  bad.refuses_headless({"missing"}, 2,
                       "missing: expected a readable file, found No such file or directory");
  bad.refuses_headless({"empty"}, 2,
                       "empty: expected a wall movie (movie.toml) or images (such as .jpg, .png, "
                       ".tif, .exr), found neither");
  bad.refuses_headless({"nothing.mp4"}, 2,
                       "nothing.mp4: expected a movie or an image, found an empty file");
  bad.refuses_headless({"text.mp4"}, 2,
                       "text.mp4: expected a movie that FFmpeg can open, found Invalid data found "
                       "when processing input (moov atom not found)");
  bad.refuses_headless(
      {"pattern:cout"}, 2,
      "pattern:cout: name: expected one of identify, count, grid, ramp, sync, align, "
      "card, colour, black, white, found \"cout\" (nearest: count)");
  CHECK_FALSE(fs::exists(folder / "cache/tilewall/movies/text"));
}

TEST_CASE("play refuses lists and SM movies that are broken", "[play][bad-input]") {
  const BadInput bad;
  const TemporaryFolder& folder = bad.folder();
  std::ofstream(folder / "gone.m3u8") << "movie\ngone.mp4\n";
  std::ofstream(folder / "net.m3u8") << "http://localhost/a.mp4\n";
  std::ofstream(folder / "noise.m3u8") << std::string(
      "\x7f"
      "ELF\0\1\2\3",
      8);
  std::ofstream(folder / "text.mp4") << "this is no movie\n";
  std::ofstream(folder / "text.lst") << "# a list\nmovie\ntext.mp4\n";
  std::ofstream(folder / "late.cues") << "BEGINCUE LoadMovie=movie StartFrame=12 ENDCUE\n";
  std::ofstream(folder / "short.sm") << "\x0f\x1e\x2d\x3d short";
  bad.refuses_headless({"gone.m3u8"}, 2,
                       "gone.m3u8:2: gone.mp4: expected a file or folder that exists, found none");
  bad.refuses_headless({"net.m3u8"}, 2,
                       "net.m3u8:1: expected a file on this machine, found "
                       "\"http://localhost/a.mp4\"");
  bad.refuses_headless({"noise.m3u8"}, 2,
                       "noise.m3u8:1: expected a list in plain text, found binary data");
  bad.refuses_headless({"text.lst"}, 2,
                       "text.lst:3: text.mp4: expected a movie that FFmpeg can open, found Invalid "
                       "data found when processing input (moov atom not found)");
  bad.refuses_headless({"late.cues"}, 2,
                       "late.cues:1: movie: expected a first frame in [0, 11], found 12");
  bad.refuses_headless({"movie", "gone.mp4"}, 2,
                       "gone.mp4: expected a file or folder that exists, found none");
  bad.refuses_headless({"short.sm"}, 2,
                       "short.sm: expected a header of 256 bytes, found a file of 10");
}

TEST_CASE("play refuses a wall movie that is broken", "[play][bad-input]") {
  const BadInput bad;
  write_manifest(bad.folder(), "zero", "frames", "frames = 0");
  write_manifest(bad.folder(), "word", "frames", "frames = \"many\"");
  write_manifest(bad.folder(), "syntax", "frames", "frames = [");
  bad.refuses_headless({"zero"}, 2, "zero/movie.toml: frames: expected at least 1, found 0");
  const auto line_of = [&](const std::string& key) {
    std::ifstream file(bad.folder() / "movie/movie.toml");
    int number = 0;
    for (std::string text; std::getline(file, text);)
      if (++number; text.starts_with(key + " ")) return std::to_string(number);
    return std::string();
  };
  bad.refuses_headless({"word"}, 2,
                       "word/movie.toml:" + line_of("frames") +
                           ": frames: expected an integer in [0, 100000000], found \"many\"");
  const ProgramResult syntax = run_program(
      {tilewall_program, "play", (bad.folder() / "syntax").string(), "--headless"}, answer_limit);
  CHECK(syntax.exit_code == 2);
  CHECK_THAT(syntax.err, Catch::StartsWith("tilewall: ") && Catch::Contains("syntax/movie.toml:"));
  CHECK(std::count(syntax.err.begin(), syntax.err.end(), '\n') == 1);
}

TEST_CASE("play refuses options that mean nothing", "[play][bad-input]") {
  const BadInput bad;
  struct Case {
    Words words;
    std::string line;
  };
  const std::string fps = "--fps: expected a number or fraction over 0 and at most 1000, found ";
  const std::string view = "--view: expected X,Y,W,H in pixels of the movie, found ";
  const std::string snapshot = "--snapshot: expected FRAME:FILE.png, found ";
  const std::string frames = "--frames: expected a whole number of 1 or more, found ";
  const std::string seconds = "--seconds: expected a number in [0, 10000000], found ";
  const std::string see = " (see tilewall play --help)";
  for (const Case& one : std::vector<Case>{
           {{"--fps", "0"}, fps + "\"0\""},
           {{"--fps", "-1"}, fps + "\"-1\""},
           {{"--fps", "fast"}, fps + "\"fast\""},
           {{"--fps", "24/0"}, fps + "\"24/0\""},
           {{"--speed", "0"},
            "--speed: expected a number or fraction other than 0 and at most 1000, found \"0\""},
           {{"--start", "12"}, "--start: expected a frame in [0, 11], found \"12\""},
           {{"--start", "-1"}, "--start: expected a frame in [0, 11], found \"-1\""},
           {{"--frames", "-1"}, frames + "\"-1\"" + see},
           {{"--frames", "0"}, frames + "\"0\"" + see},
           {{"--frames", "9223372036854775808"}, frames + "\"9223372036854775808\"" + see},
           {{"--seconds", "nan"}, seconds + "\"nan\"" + see},
           {{"--seconds", "-1"}, seconds + "\"-1\"" + see},
           {{"--start", "1x"},
            "--start: expected a whole number that is not too large, found \"1x\"" + see},
           {{"--view", "1,2,3"}, view + "\"1,2,3\""},
           {{"--view", "0,0,0,5"}, view + "\"0,0,0,5\""},
           {{"--view", "nan,0,5,5"}, view + "\"nan,0,5,5\""},
           {{"--view", "0,0,inf,inf"}, view + "\"0,0,inf,inf\""},
           {{"--view", "0,0,5,5,"}, view + "\"0,0,5,5,\""},
           {{"--view", "64,0,5,5"},
            "--view: expected a part of the movie's 64x48 pixels, found \"64,0,5,5\""},
           {{"--fit", "wide"}, "--fit: expected contain, cover or stretch, found \"wide\""},
           {{"--bezels", "maybe"}, "--bezels: expected hide or show, found \"maybe\""},
           {{"--late", "never"}, "--late: expected drop, slow or lower, found \"never\""},
           {{"--presenter", "x"}, "--presenter: expected auto, gl, cpu or null, found \"x\""},
           {{"--vsync", "on"}, "--vsync: expected auto or off, found \"on\""},
           {{"--gain", "2"}, "--gain: expected --compare difference beside it, found nothing"},
           {{"--snapshot", "5"}, snapshot + "\"5\""},
           {{"--snapshot", "x:a.png"}, snapshot + "\"x:a.png\""},
           {{"--snapshot", "5:"}, snapshot + "\"5:\""},
           {{"--snapshot", "12:a.png"}, "--snapshot: expected a frame in [0, 11], found \"12\""},
           {{"--snapshot", "5:no/a.png"},
            "--snapshot: expected a file in a folder that exists, found \"no/a.png\""},
           {{"--snapshot", "5:a.jpg"},
            "--snapshot: expected a file that ends in .png, found \"a.jpg\""},
           {{"--snapshot-panels", "5:a"},
            "--snapshot-panels: expected a file that ends in .png, found \"a\""},
           {{"--snapshot-panels", "12:a.png"},
            "--snapshot-panels: expected a frame in [0, 11], found \"12\""},
           {{"--report", "no/r.json"},
            "--report: expected a file that can be written, found \"no/r.json: open: No such file "
            "or directory\""},
           {{"--trace", "no/t.json"},
            "--trace: expected a file that can be written, found no/t.json: No such file or "
            "directory"},
           {{"--launcher", ""}, "--launcher: expected a program, found nothing"},
           {{"--launcher", "srun -w {node}"},
            "--launcher: expected no braces but {host} and {panels}, found {node}"},
       }) {
    Words words = {"movie"};
    words.insert(words.end(), one.words.begin(), one.words.end());
    bad.refuses_headless(words, 2, one.line);
  }
  CHECK_FALSE(fs::exists(bad.folder() / "a.png"));
}

TEST_CASE("view refuses options that a live source does not have", "[view][bad-input]") {
  const std::string found = ", found \"live:x\"";
  const std::string stored = ": expected a volume in a file";
  for (const auto& [words, line] : std::vector<std::pair<Words, std::string>>{
           {{"--dataset", "u"}, "--dataset" + stored + "; --field names a live field" + found},
           {{"--component", "1"}, "--component" + stored + found},
           {{"--level", "1"}, "--level" + stored + found},
           {{"--stretch", "1,1,2"}, "--stretch" + stored + "; a source gives its spacing" + found},
           {{"--time", "3"}, "--time" + stored + "; 'tilewall ctl live back N' goes back" + found},
           {{"--live-policy", "nth"},
            "--live-policy: expected newest, every, or nth:N, found \"nth\""},
           {{"--quantise", "3,1"}, "--quantise: expected MIN below MAX, found \"3,1\""},
           {{"--live-wait", "61"}, "--live-wait: expected a number from 0 to 60, found \"61\""}}) {
    Words all = {tilewall_program, "view", "live:x", "--headless"};
    all.insert(all.end(), words.begin(), words.end());
    const ProgramResult result = run_program(all);
    CHECK(result.exit_code == 2);
    CHECK(result.err == "tilewall: " + line + "\n");
  }
}

TEST_CASE("play refuses a folder of others as its run directory", "[play][bad-input]") {
  const BadInput bad;
  const fs::path taken = bad.folder() / "taken";
  fs::create_directory(taken);
  std::ofstream(taken / "mine") << "of value";
  bad.refuses_headless(
      {"movie", "--run-dir", "taken"}, 2,
      "--run-dir: expected a folder that is new or empty, found " + taken.string());
  CHECK(fs::exists(taken / "mine"));
}

TEST_CASE("play refuses a wall file that is broken", "[play][bad-input]") {
  const BadInput bad;
  const auto wall_refused = [&](const std::string& wall, const std::string& line) {
    const ProgramResult result = run_program(
        {tilewall_program, "play", "pattern:count", "--headless", "--wall", wall}, answer_limit);
    CHECK(result.err == "tilewall: " + line + "\n");
    CHECK(result.exit_code == 2);
  };
  wall_refused("/nonexistent.toml",
               "/nonexistent.toml: expected a readable file, found No such file or directory");
  const std::string zero = test_wall("bad/columns-zero.toml");
  const ProgramResult result =
      run_program({tilewall_program, "play", "pattern:count", "--headless", "--wall", zero});
  CHECK(result.exit_code == 2);
  CHECK_THAT(result.err,
             Catch::StartsWith("tilewall: " + zero + ":") && Catch::Contains("columns"));
  CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
}

TEST_CASE("play says what is missing to start panels", "[play][bad-input]") {
  BadInput bad;
  const std::string install =
      " is not in PATH: install it (Debian: openmpi-bin) or name another one";
  bad.refuses_headless({"movie", "--launcher", "nosuch -x"}, 1, "--launcher: nosuch" + install);
  bad.refuses_headless({"movie", "--launcher", "/tmp"}, 1, "--launcher: /tmp" + install);
  bad.refuses_headless({"movie", "--launcher", "false"}, 1,
                       "false ended with code 1 and printed nothing");
  bad.set("PATH", "/nonexistent");
  bad.refuses_headless({"movie"}, 1, "--launcher: mpirun" + install);
}

TEST_CASE("play names every host that cannot run panels, and starts nothing", "[play][bad-input]") {
  const BadInput bad;
  const fs::path shell = bad.folder() / "remote-shell";
  std::ofstream(shell)
      << "#!/bin/sh\n"
         "case $1 in\n"
         "198.51.100.1) echo 'me@198.51.100.1: Permission denied (publickey).' >&2 ;;\n"
         "*) echo 'connect to host $1 port 22: Connection refused' >&2 ;;\n"
         "esac\n"
         "exit 255\n";
  fs::permissions(shell, fs::perms::owner_all);
  const fs::path key = bad.folder() / "key";
  write_private_file(key, "sixteen bytes or more");
  const fs::path wall = bad.folder() / "wall.toml";
  std::ofstream(wall) << "columns = 2\nrows = 1\n[panels]\nsize_px = [64, 48]\n"
                         "[[host]]\nname = \"left\"\naddress = \"198.51.100.1\"\ncolumns = [0]\n"
                         "[[host]]\nname = \"right\"\naddress = \"198.51.100.2\"\ncolumns = [1]\n";
  const Words words = {tilewall_program, "play",
                       "movie",          "--wall",
                       wall.string(),    "--headless",
                       "--key-file",     key.string(),
                       "--report",       "r.json",
                       "--run-dir",      "run",
                       "--launcher",     "mpirun --mca plm_rsh_agent " + shell.string()};
  for (int i = 0; i < 2; ++i) {  // the logs of the first are no obstacle to the second
    const ProgramResult result = run_program(words, answer_limit, bad.options());
    const std::string logs = (bad.folder() / "run" / "logs").string();
    CHECK(result.exit_code == 1);
    CHECK(result.err ==
          "tilewall: 2 hosts of the wall cannot run panels; nothing was started\n"
          "tilewall: host left (198.51.100.1): ssh does not let this user in without a password; "
          "give "
          "it a key: ssh-copy-id 198.51.100.1\n"
          "tilewall: host right (198.51.100.2): no ssh server listens there; install and start one "
          "there (Debian: openssh-server)\n"
          "tilewall: the logs of this show are in " +
              logs + "\n");
    CHECK(fs::exists(logs + "/host-check-1.log"));
    const nlohmann::json report = read_report(bad.folder() / "r.json");
    CHECK(report.at("hosts").at(1).at("host") == "right");
    CHECK(report.at("logs") == logs);
  }
}

TEST_CASE("play says when too few files may be open to start panels", "[play][bad-input]") {
  const BadInput bad;
  const ProgramResult result =
      run_program({"sh", "-c", "ulimit -n 30 && exec \"$0\" \"$@\"", tilewall_program, "play",
                   "movie", "--headless", "--wall", test_wall("two-by-one.toml")},
                  answer_limit, bad.options());
  CHECK(result.exit_code == 1);
  CHECK(
      result.err ==
      "tilewall: open files are limited to 30 (ulimit -n): starting 2 panels here takes 36; raise "
      "the hard limit (ulimit -Hn)\n");
}

TEST_CASE("play says that there is no display", "[play][bad-input]") {
  BadInput bad;
  bad.set("DISPLAY", "");
  bad.refuses({"movie"}, 1,
              "no display: DISPLAY is not set; start it on a display, or use --headless");
  bad.set("DISPLAY", ":9999");
  const ProgramResult result =
      run_program(play_words("pattern:count", "two-by-one.toml", {}), answer_limit, bad.options());
  CHECK(result.exit_code == 1);
  CHECK(result.out.empty());
  CHECK_THAT(
      result.err,  // whichever panel is first
      Catch::Matches("tilewall: panel c[01]r0: no display: DISPLAY \":9999\" cannot be opened "
                     "\\(x11 not available\\); use --headless\n"
                     "tilewall: the logs of this show are in .*/logs\n"));
}

TEST_CASE("a report says why there was no show", "[play][bad-input]") {
  const BadInput bad;
  bad.refuses_headless({"movie", "--report", "r.json", "--start", "99"}, 2,
                       "--start: expected a frame in [0, 11], found \"99\"");
  CHECK(read_report(bad.folder() / "r.json").at("error") ==
        "--start: expected a frame in [0, 11], found \"99\"");
  bad.refuses_headless({"movie", "--report", "r.json", "--launcher", "false"}, 1,
                       "false ended with code 1 and printed nothing");
  CHECK(read_report(bad.folder() / "r.json").at("error") ==
        "false ended with code 1 and printed nothing");
}

TEST_CASE("play refuses places that there are not, and that nobody understands",
          "[play][bad-input]") {
  const BadInput bad;
  struct Case {
    Words words;
    std::string line;
  };
  const std::string form = "expected WORD=VALUE;..., or a file of such lines, found ";
  for (const Case& one : std::vector<Case>{
           {{"--place", "decoders=1023"}, "--place: decoders: expected CPUs of "},
           {{"--place", "presenter="},
            "--place: presenter: expected CPUs such as 0-3,8, or all, found nothing"},
           {{"--place", "receivers=3-1"},
            "--place: receivers: expected CPUs such as 0-3,8, or all, found \"3-1\""},
           {{"--place", "memory=999"}, "--place: memory: expected a node of "},
           {{"--place", "cores=1"},
            "--place: expected presenter, receivers, decoders, memory or interface, with = and a "
            "value, found \"cores=1\""},
           {{"--place", "c9r9:memory=0"},
            "--place: expected a panel or host of the wall before the colon, found \"c9r9\""},
           {{"--place", "interface=none9"}, "--place: interface: expected one of "},
           {{"--place", "missing"}, "--place: " + form + "\"missing\""},
           {{"--place", ""}, "--place: " + form + "nothing"},
           {{"--place", "memory=0", "--pin", "off"},
            "--place: expected no --pin off beside it, found \"--pin off\""}}) {
    for (const bool only_plan : {false, true}) {
      Words words = {tilewall_program, "play", "movie", "--wall", test_wall("two-by-one.toml"),
                     "--headless"};
      words.insert(words.end(), one.words.begin(), one.words.end());
      if (only_plan) words.emplace_back("--plan");
      CAPTURE(words);
      const ProgramResult result = run_program(words, answer_limit, bad.options());
      CHECK(result.exit_code == 2);
      CHECK(result.err.find("tilewall: " + one.line) == 0);
      CHECK(std::ranges::count(result.err, '\n') == 1);
      CHECK(result.out.empty());
    }
  }
}

TEST_CASE("a local wall heeds no hosts, their displays and addresses", "[play][bad-input]") {
  const TemporaryFolder folder;
  const fs::path report = folder / "r.json";
  const ProgramResult result = run_program(
      {tilewall_program, "play", "pattern:count", "--wall", test_wall("hosts.toml"), "--local",
       "--headless", "--frames", "2", "--late", "slow", "--report", report.string()},
      std::chrono::seconds(30));
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK(read_report(report).at("frames_shown") == 2);
}

TEST_CASE("a name that is not UTF-8 is refused by a show, and told by other commands",
          "[play][bad-input]") {
  const TemporaryFolder folder;
  const std::string picture = (folder / "bad\xff.jpg").string();
  fs::copy_file(TILEWALL_SOURCE_DIR "/tests/data/hint-wall.jpg", picture);
  const std::string pair = test_wall("two-by-one.toml");
  for (const Words& words : {Words{"play", picture, "--headless", "--frames", "2", "--wall", pair},
                             Words{"wall", "survey", pair, picture, "--local"}}) {
    Words all = words;
    all.insert(all.begin(), tilewall_program);
    CAPTURE(words);
    const ProgramResult result = run_program(all, std::chrono::seconds(30));
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, Catch::EndsWith(".jpg: expected names in UTF-8, found other bytes\n"));
    CHECK(std::ranges::count(result.err, '\n') == 1);
  }
  const std::string wall = (folder / "wall\xff.toml").string();
  fs::copy_file(test_wall("two-by-one.toml"), wall);
  for (const Words& words : {Words{"info", picture}, Words{"info", wall},
                             Words{"wall", "check", wall}, Words{"wall", "show", wall}}) {
    Words all = words;
    all.insert(all.begin(), tilewall_program);
    all.emplace_back("--json");
    CAPTURE(words);
    const ProgramResult result = run_program(all, std::chrono::seconds(30));
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    CHECK(result.out.find("\xef\xbf\xbd") != std::string::npos);
  }
}
