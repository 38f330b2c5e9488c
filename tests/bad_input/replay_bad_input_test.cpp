// Logs that cannot be replayed, and places where no log can be written: one line, and exit code 2.
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/run_program.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;

namespace {
namespace replay_bad_input_test {

/// A folder with a show file and logs, where the program works.
class Place {
 public:
  Place() {
    options_.folder = folder_.path();
    write("show.toml", "[[cue]]\nname = \"one\"\ninput = \"pattern:grid\"\n");
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }
  void refuses(const Words& more, const std::string& line) const {
    Words words = {tilewall_program, "present", "--headless", "--wall",
                   test_wall("two-by-one.toml")};
    words.insert(words.end(), more.begin(), more.end());
    CAPTURE(words);
    const ProgramResult result = run_program(words, std::chrono::seconds(20), options_);
    CHECK(result.err == "tilewall: " + line + "\n");
    CHECK(result.exit_code == 2);
  }

 private:
  const TemporaryFolder folder_;
  ProgramOptions options_;
};

}  // namespace replay_bad_input_test
}  // namespace

TEST_CASE("a log that cannot be replayed is refused with its line", "[present][bad-input]") {
  const replay_bad_input_test::Place place;
  const std::string started = "{\"at_ns\":1000,\"event\":\"start\"}\n";
  place.refuses({"--replay", "none"},
                "none: expected a readable file, found No such file or directory");
  place.write("log", "{\"log\":1,\"show\":\"show.toml\"}\n" + started + "{\"event\":\n{}\n");
  place.refuses({"--replay", "log"}, "log:3: expected one JSON object, found \"{\\\"event\\\":\"");
  place.write("log", "{\"log\":1}\n" + started);
  place.refuses({"--replay", "log"}, "log:1: show: expected the path of a show file, found none");
  place.write("log", "{\"log\":1,\"show\":\"show.toml\",\"kiosk\":3}\n" + started);
  place.refuses({"--replay", "log"}, "log:1: kiosk: expected true or false, found 3");
  place.write("log", "{\"log\":1,\"show\":\"show.toml\",\"start\":\"two\"}\n" + started);
  place.refuses(
      {"--replay", "log"},
      "--start: show: cue: expected the name or number of a cue (the nearest is \"one\"), "
      "found \"two\"");
}

TEST_CASE("a log that cannot be written is refused before the show", "[present][bad-input]") {
  const replay_bad_input_test::Place place;
  place.refuses({"show.toml", "--log", "/dev/null"},
                "--log: expected a file, found /dev/null, which is something else");
  place.refuses({"show.toml", "--log", "none/log"},
                "--log: expected a file that can be written, found " + place.path("none/log") +
                    ": No such file or directory");
  place.write("a.log.jsonl",
              "{\"log\":1,\"show\":\"show.toml\"}\n{\"at_ns\":1000,\"event\":\"start\"}\n");
  place.refuses({"--replay", "a.log.jsonl", "--report", "a.json"},
                "--report: expected a file other than the log that is replayed, found " +
                    place.path("a.log.jsonl"));
}
