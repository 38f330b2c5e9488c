// tilewall render under a small memory limit: frames in bands have the bytes of those drawn as a
// whole.

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "sync/base/file.hpp"
#include "tests/integration/flight.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/run_program.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

namespace {

constexpr std::chrono::minutes busy_limit{5};  // Large frames take long on a busy machine.

}  // namespace

TEST_CASE("frames larger than the memory are drawn in bands, with the same bytes", "[render]") {
  const Flight flight(1);
  REQUIRE(flight.render("red", {"--background", "#ff0000", "--size", "64x64", "--frames", "0-0"})
              .exit_code == 0);
  REQUIRE(run_program({program_path("tilewall"), "export", flight.at("red"), "-o",
                       flight.at("logo.png"), "--frames", "0"})
              .exit_code == 0);
  const std::string path = read_text_file(flight.path(), 1 << 16);
  std::ofstream(flight.path()) << path.substr(0, path.find("[[key]]"))
                               << "[logo]\nfile = \"logo.png\"\nat = [0.4, 0.3]\nwidth = 0.2\n"
                               << path.substr(path.find("[[key]]"));
  const std::string arc = source_path("tests/data/walls/arc.toml");
  struct Case {
    Words options;
    std::string wall = flight_wall;
  };
  const Case one =
      GENERATE_REF(Case{{"--size", "1283x721", "--annotate", "audience"}},
                   Case{{"--size", "640x400", "--samples", "4"}},
                   Case{{"--size", "800x450", "--shutter", "0.5", "--lossless", "zstd"}},
                   Case{{"--size", "900x1600", "--ranks", "2"}},
                   Case{{"--bezels", "hide", "--samples", "16"}, arc});
  // The manifest tells the limit, which may change what is seen of larger volumes.
  const auto render = [&](const char* movie, const char* memory) {
    Words words = one.options;
    words.insert(words.end(), {"--memory", memory, "--frames", "5-6"});
    const ProgramResult result = flight.render(movie, words, one.wall);
    CAPTURE(result.err, one.options);
    REQUIRE(result.exit_code == 0);
    auto files = files_of_movie(flight.at(movie));
    files.erase("movie.toml");
    CHECK(files.size() == 2);
    return files;
  };
  CHECK(render("banded", "2") == render("whole", "1000"));
}

TEST_CASE("frames in bands are estimated", "[render]") {
  const Flight flight(1);
  const ProgramResult result =
      flight.render("estimated", {"--memory", "2", "--size", "1283x721", "--estimate", "--json"});
  CAPTURE(result.err);
  REQUIRE(result.exit_code == 0);
  const auto report = nlohmann::json::parse(result.out);
  CHECK(report.at("frames") == 24);
  CHECK(report.at("sampled_share").get<double>() < 1);
  CHECK(report.at("estimated_bytes").get<double>() > 24 * 5000);
}

TEST_CASE("frames that take minutes each are estimated by parts of them", "[render]") {
  const Flight flight(1);
  const Words look =
      GENERATE(Words{"--size", "16000x8000", "--samples", "4", "--shutter", "1", "--memory", "64"},
               Words{"--size", "8000x4000", "--exr", "--samples", "16"});
  Words words = look;
  words.insert(words.end(), {"--caster", "cpu", "--estimate", "--json"});
  // The program is killed after a minute.
  const ProgramResult result = flight.render("estimated", words);
  CAPTURE(result.err, look);
  REQUIRE(result.exit_code == 0);
  const auto report = nlohmann::json::parse(result.out);
  CHECK(report.at("estimated_s").get<double>() > 60);
  CHECK(report.at("sampled_share").get<double>() < 0.1);
  CHECK(report.at("sampled_frames").get<int>() > 1);
  CHECK(report.at("error_s").get<double>() > 0);
  CHECK_FALSE(fs::exists(flight.at("estimated")));
}

TEST_CASE("a rendering in bands that is killed goes on, and ends with the same bytes", "[render]") {
  const Flight flight(1);  // 24 frames
  const Words size = {"--memory", "2", "--size", "1283x721"};
  REQUIRE(flight.render("whole", size).exit_code == 0);
  const auto frames_of = [&](const char* movie) {
    return std::ranges::count_if(files_of_movie(flight.at(movie)), [](const auto& file) {
      return file.first.starts_with("frame-") && file.first.ends_with(".tif");
    });
  };
  REQUIRE(frames_of("whole") == 24);
  for (const Words& ranks : {Words{}, Words{"--ranks", "2"}}) {
    CAPTURE(ranks);
    const char* const movie = ranks.empty() ? "cut" : "cut by ranks";
    Words more = size;
    more.insert(more.end(), ranks.begin(), ranks.end());
    for (const char* const frame : {"frame-000002.tif", "frame-000007.tif"}) {
      const RunningProgram running(flight.command(movie, more));
      REQUIRE(
          eventually([&] { return fs::exists(fs::path(flight.at(movie)) / frame); }, busy_limit));
      ::kill(running.pid(), SIGKILL);
    }
    CHECK(frames_of(movie) < 24);
    const ProgramResult rest = flight.render(movie, more);
    CAPTURE(rest.err);
    CHECK(rest.exit_code == 0);
    CHECK(files_of_movie(flight.at(movie)) == files_of_movie(flight.at("whole")));
  }
}

TEST_CASE("a process that renders in bands needs little memory", "[render]") {
  const Flight flight(1);
  const RunningProgram running(
      flight.command("movie", {"--memory", "4", "--size", "4000x4000", "--frames", "0-0"}));
  std::size_t most_kib = 0;
  REQUIRE(eventually(
      [&] {
        std::ifstream status("/proc/" + std::to_string(running.pid()) + "/status");
        for (std::string line; std::getline(status, line);)
          if (line.starts_with("VmHWM:")) most_kib = std::stoul(line.substr(6));
        return fs::exists(fs::path(flight.at("movie")) / "frame-000000.tif");
      },
      busy_limit));
  // 109 MB on two cores, 383 MB where the frame is drawn as a whole.
  CHECK(most_kib > 10'000);
  CHECK(most_kib < 250'000);
}

TEST_CASE("images are drawn as a whole, whatever the memory limit", "[render]") {
  const Flight flight(1);
  const std::string kind = GENERATE("--png", "--exr");
  const auto render = [&](const char* folder, const char* memory) {
    const ProgramResult result =
        flight.render(folder, {kind, "--memory", memory, "--size", "400x300", "--frames", "5-5"});
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    auto files = files_of_movie(flight.at(folder));
    files.erase("pictures.toml");
    return files;
  };
  CHECK(render("less", "1") == render("more", "1000"));
}

TEST_CASE("an estimate that is stopped tells nothing, and is a failure", "[render]") {
  const Flight flight(1);
  // It would take eight seconds.
  const ProgramResult result = run_program({"timeout",
                                            "--preserve-status",
                                            "--signal=INT",
                                            "3",
                                            tilewall_program,
                                            "render",
                                            flight.path(),
                                            "-o",
                                            flight.at("estimated"),
                                            "--wall",
                                            test_wall("two-by-one.toml"),
                                            "--size",
                                            "16000x8000",
                                            "--samples",
                                            "4",
                                            "--shutter",
                                            "1",
                                            "--caster",
                                            "cpu",
                                            "--estimate"},
                                           std::chrono::seconds(60));
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 1);
  CHECK(result.out.empty());
  CHECK_FALSE(fs::exists(flight.at("estimated")));
}
