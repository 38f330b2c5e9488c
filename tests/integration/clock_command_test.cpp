// `tilewall clockd` and `tilewall clock` as a user runs them.

#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "net/socket.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "tests/support/clockd.hpp"
#include "tests/support/places.hpp"
#include "tests/support/run_program.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::net;
using namespace std::chrono_literals;
namespace fs = std::filesystem;
using test::Clockd;
using test::TemporaryFolder;

namespace {

const std::string program = test::program_path("tilewall");

/// Runs `tilewall` with these arguments, separated by spaces.
ProgramResult run(const std::string& arguments) {
  std::vector<std::string> words = {program};
  std::istringstream stream(arguments);
  for (std::string word; stream >> word;) words.push_back(word);
  return run_program(words);
}

/// The same for a measurement, again until a busy machine has let it lock in its time.
ProgramResult run_until_locked(const std::string& arguments) {
  ProgramResult result = run(arguments);
  for (int i = 0; i < 20 && result.exit_code != 0; ++i) result = run(arguments);
  return result;
}

bool is_one_line(const std::string& text) {
  return !text.empty() && text.find('\n') == text.size() - 1;
}

}  // namespace

TEST_CASE("clock measures this host against a daemon on it", "[cli][clock]") {
  const TemporaryFolder folder;
  Clockd daemon(folder.path());
  const ProgramResult text = run_until_locked("clock --seconds 0.5 --server " + daemon.address());
  CHECK(text.exit_code == 0);
  CHECK_THAT(text.out, Catch::Contains("locked") && Catch::Contains("offset"));

  const ProgramResult json =
      run_until_locked("clock --json --seconds 0.5 --server " + daemon.address());
  REQUIRE(json.exit_code == 0);
  const auto report = nlohmann::json::parse(json.out);
  CHECK(report.at("server") == daemon.address());
  CHECK(report.at("state") == "locked");
  CHECK(std::abs(report.at("offset_us").get<double>()) <= report.at("bound_us").get<double>());
  CHECK(report.at("rtt_min_us").get<double>() > 0);
  CHECK(report.at("samples").get<int>() >= 16);
  CHECK(report.at("lost").is_number());
  CHECK(report.at("drift_ppb").is_number());
}

TEST_CASE("clock goes on with the standby when the first daemon has gone", "[cli][clock]") {
  const TemporaryFolder folder;
  const TemporaryFolder standby_folder;
  Clockd first(folder.path());
  const Clockd standby(standby_folder.path(), {"--follow", first.address()});
  const std::string both = first.address() + "," + standby.address();
  const auto measured = [&] {
    const ProgramResult json = run_until_locked("clock --json --seconds 2 --server " + both);
    REQUIRE(json.exit_code == 0);
    return nlohmann::json::parse(json.out);
  };
  CHECK(measured().at("server") == first.address());
  first.stop(SIGKILL);
  const auto after = measured();
  CHECK(after.at("server") == standby.address());
  CHECK(after.at("state") == "locked");
  CHECK(std::abs(after.at("offset_us").get<double>()) <= after.at("bound_us").get<double>());
}

TEST_CASE("clockd says where it is and ends in order", "[cli][clock]") {
  const TemporaryFolder folder;
  for (const int signal : {SIGTERM, SIGINT}) {
    Clockd daemon(folder.path());
    const ProgramResult result = daemon.stop(signal);
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.out + result.err, Catch::Contains(daemon.address()));
  }
}

TEST_CASE("clockd with a key answers those who have it", "[cli][clock]") {
  const TemporaryFolder folder;
  const std::string key = (folder / "key").string();
  write_private_file(folder / "key", "a key of the wall's own");
  const Clockd daemon(folder.path(), {"--key-file", key});
  CHECK(run_until_locked("clock --seconds 0.3 --key-file " + key + " --server " + daemon.address())
            .exit_code == 0);
  const ProgramResult without = run("clock --seconds 0.3 --server " + daemon.address());
  CHECK(without.exit_code == 1);
  CHECK_THAT(without.err, Catch::Contains("--key-file"));
}

TEST_CASE("clockd and clock refuse in one line", "[cli][clock][bad-input]") {
  const TemporaryFolder folder;
  const Clockd daemon(folder.path());
  write_private_file(folder / "short", "too short");
  const std::string short_key = (folder / "short").string();
  struct Case {
    std::string arguments;
    int exit_code;
    std::string says;
  };
  for (const Case& bad : {
           Case{"clockd --listen nonsense", 2, "--listen: expected HOST:PORT"},
           Case{"clockd --listen 127.0.0.1:70000", 2, "--listen"},
           Case{"clockd --listen 192.0.2.1:7641", 2, "without a key"},
           Case{"clockd --listen 192.0.2.1:7641", 2, "make one with 'tilewall key new FILE'"},
           Case{"clock --seconds nan", 2,
                "--seconds: expected a number in [0.1, 86400], found \"nan\""},
           Case{"clockd --listen 0.0.0.0:0", 2, "--key-file"},
           Case{"clockd --listen 0.0.0.0:0 --key-file " + short_key, 2, "at least 16 bytes"},
           Case{"clockd --listen 0.0.0.0:0 --key-file /nonexistent/key", 2, "/nonexistent/key"},
           Case{"clockd --listen " + daemon.address(), 1, daemon.address()},
           Case{"clockd --listen 127.0.0.1:0 --announce /nonexistent/a", 1, "/nonexistent/a"},
           Case{"clockd --bogus", 2, "--bogus"},
           Case{"clockd --listen 127.0.0.1:0 --follow nonsense", 2, "--follow"},
           Case{"clock --server nonsense", 2, "--server"},
           Case{"clock --server 127.0.0.1:1,127.0.0.1:2,127.0.0.1:3", 2, "HOST:PORT,HOST:PORT"},
           Case{"clock --server 127.0.0.1:0", 2, "port"},
           Case{"clock --seconds 0 --server " + daemon.address(), 2, "--seconds"},
           Case{"clock --seconds 0.3 --server 127.0.0.1:1", 1, "no clock daemon answers"},
       }) {
    CAPTURE(bad.arguments);
    const ProgramResult outcome = run(bad.arguments);
    CHECK(outcome.exit_code == bad.exit_code);
    CHECK_THAT(outcome.err, Catch::StartsWith("tilewall: ") && Catch::Contains(bad.says));
    CHECK(is_one_line(outcome.err));
    CHECK(outcome.out.empty());
  }
}

TEST_CASE("clockd ends with its parent when asked to", "[cli][clock]") {
  const TemporaryFolder folder;
  const fs::path announced = folder / "addr";
  // The shell is the parent; it goes as soon as the daemon is up.
  const std::string script = program + " clockd --parent-death --listen 127.0.0.1:0 --announce " +
                             announced.string() + " >/dev/null & while [ ! -e " +
                             announced.string() + " ]; do sleep 0.01; done";
  REQUIRE(std::system(script.c_str()) == 0);
  std::string address = read_text_file(announced, 100);
  address.pop_back();
  bool is_free = false;  // its port, once it has ended
  for (int i = 0; i < 1000 && !is_free; ++i) {
    try {
      std::ignore = bind_udp(resolve(address, "test"));
      is_free = true;
    } catch (const JobError&) {
      std::this_thread::sleep_for(10ms);
    }
  }
  CHECK(is_free);
}
