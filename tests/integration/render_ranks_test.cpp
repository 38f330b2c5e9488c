// tilewall render by several processes: the same bytes from any number of them, whichever of them
// are killed on the way.

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

#include "tests/integration/flight.hpp"
#include "tests/support/eventually.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

namespace {

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The option for so many ranks; "" = the command draws itself.
Words ranks_option(const std::string& ranks) {
  return ranks.empty() ? Words() : Words{"--ranks", ranks};
}

std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> children;
  std::ifstream file("/proc/" + std::to_string(parent) + "/task/" + std::to_string(parent) +
                     "/children");
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

bool has_frame(const Flight& flight, const char* movie, int number) {
  return fs::exists(fs::path(flight.at(movie)) / fmt::format("frame-{:06}.tif", number));
}

/// A wall of a panel on each of these addresses, hosts h1, h2, ...
std::string wall_of_hosts(const Flight& flight, const std::vector<std::string>& addresses) {
  std::ofstream file(flight.at("hosts.toml"));
  file << "columns = " << addresses.size() << "\nrows = 1\n[panels]\nsize_px = [160, 96]\n";
  for (std::size_t i = 0; i < addresses.size(); ++i)
    file << "[[host]]\nname = \"h" << i + 1 << "\"\naddress = \"" << addresses[i]
         << "\"\ncolumns = [" << i << "]\n";
  return flight.at("hosts.toml");
}

/// A launcher that runs `text`, with the host in $1, and then the command.
std::string launcher_of(const Flight& flight, const std::string& text) {
  const fs::path file = flight.at("launcher");
  std::ofstream(file) << "#!/bin/sh\n" << text << "\nshift\nexec \"$@\"\n";
  fs::permissions(file, fs::perms::owner_all);
  return file.string() + " {host}";
}

}  // namespace

TEST_CASE("any number of ranks renders the same bytes", "[render]") {
  const Flight flight(2);
  REQUIRE(flight.render("alone").exit_code == 0);
  const auto alone = files_of_movie(flight.at("alone"));
  REQUIRE(alone.size() == 49);
  for (const char* ranks : {"1", "3"}) {
    const ProgramResult result = flight.render(ranks, {"--ranks", ranks, "--json"});
    CAPTURE(ranks, result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(nlohmann::json::parse(result.out).at("written_frames") == 48);
    CHECK(files_of_movie(flight.at(ranks)) == alone);
  }
  CHECK(flight.render("3", {"--ranks", "2"}).out ==
        flight.at("3") + ": complete already, 48 frames\n");
  CHECK(flight.render("3", {"--ranks", "2", "--lit"}).exit_code == 2);
  const ProgramResult part = flight.render("part", {"--ranks", "2", "--frames", "7-9"});
  CHECK(part.exit_code == 0);
  CHECK(files_of_movie(flight.at("part")).at("frame-000001.tif") == alone.at("frame-000008.tif"));
}

TEST_CASE("ranks that are killed at random moments leave no trace in the movie", "[render]") {
  const Flight flight(4);
  const Words slow = {"--size", "640x400"};
  const auto with_ranks = [&](const char* ranks) { return joined(slow, {"--ranks", ranks}); };
  REQUIRE(flight.render("whole", slow).exit_code == 0);
  const unsigned seed = std::random_device()();
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto random_ms = [&](int most) {
    return std::chrono::milliseconds(std::uniform_int_distribution<>(0, most)(random));
  };
  int kills = 0;
  for (const char* ranks : {"2", "3"}) {
    const RunningProgram running(flight.command("cut", with_ranks(ranks)));
    REQUIRE(eventually([&] { return !children_of(running.pid()).empty(); }));
    for (int i = 0; i < 5; ++i) {
      std::this_thread::sleep_for(random_ms(150));
      const std::vector<pid_t> children = children_of(running.pid());
      if (children.empty()) continue;
      ::kill(children[random() % children.size()], SIGKILL);
      ++kills;
    }
    std::this_thread::sleep_for(random_ms(150));
    ::kill(running.pid(), SIGKILL);
  }
  CHECK(kills > 0);
  const ProgramResult last = flight.render("cut", with_ranks("1"));
  CAPTURE(last.err);
  REQUIRE(last.exit_code == 0);
  CHECK(files_of_movie(flight.at("cut")) == files_of_movie(flight.at("whole")));
}

TEST_CASE("info tells how far a rendering is, and what each rank does", "[render]") {
  const Flight flight(30);
  const auto told = [&] {
    return nlohmann::json::parse(
        run_program({program_path("tilewall"), "info", flight.at("movie"), "--json"}).out, nullptr,
        false);
  };
  const std::string ranks = GENERATE("", "2");
  const Words more = joined({"--size", "320x200"}, ranks_option(ranks));
  const fs::path newest = fs::path(flight.at("movie")) / "status.png";
  {
    const RunningProgram running(flight.command("movie", more));
    nlohmann::json report;
    REQUIRE(eventually([&] {
      report = told();
      return report.is_object() && report.contains("running") &&
             report.at("running").at("per_s").get<double>() > 0;
    }));
    CHECK(report.at("running").at("total") == 720);
    CHECK(report.at("running").at("done").get<int>() > 0);
    CHECK(report.at("complete") == false);
    CHECK(report.contains("workers") == !ranks.empty());
    if (!ranks.empty()) {
      REQUIRE(report.at("workers").size() == 2);
      CHECK(report.at("workers").at(1).at("worker") == "rank 2 of this machine");
      CHECK(report.at("workers").at(0).at("stored").get<int>() +
                report.at("workers").at(1).at("stored").get<int>() ==
            report.at("running").at("done"));
    }
    REQUIRE(eventually([&] { return fs::exists(newest); }));
    CHECK(read_png(newest).view().size_px == SizePx{320, 200});
    ::kill(running.pid(), SIGKILL);
  }
  REQUIRE(fs::exists(fs::path(flight.at("movie")) / "status.json"));
  CHECK_FALSE(told().contains("running"));  // what a killed rendering left counts for nothing
  CHECK(flight.render("movie", {"--size", "320x200", "--overwrite", "--frames", "0-9"}).exit_code ==
        0);
  CHECK_FALSE(fs::exists(fs::path(flight.at("movie")) / "status.json"));
  CHECK_FALSE(fs::exists(newest));
}

TEST_CASE("a rendering prints its progress and its result as lines of JSON", "[render]") {
  const Flight flight(2);
  const std::string ranks = GENERATE("", "2");
  CAPTURE(ranks);
  const ProgramResult result =
      flight.render("movie", joined({"--json-lines"}, ranks_option(ranks)));
  CAPTURE(result.out, result.err);
  REQUIRE(result.exit_code == 0);
  std::vector<nlohmann::json> lines;
  std::istringstream out(result.out);
  for (std::string line; std::getline(out, line);) lines.push_back(nlohmann::json::parse(line));
  REQUIRE(lines.size() >= 2);
  CHECK(lines.back().at("written_frames") == 48);
  lines.pop_back();
  std::int64_t done = 0;
  for (const nlohmann::json& line : lines) {
    CHECK(line.at("running").at("total") == 48);
    CHECK(line.at("running").at("per_s").is_number());
    CHECK(line.at("running").at("done") >= done);
    done = line.at("running").at("done");
    CHECK(line.contains("workers") == !ranks.empty());
    if (!ranks.empty()) CHECK(line.at("workers").at(1).at("worker") == "rank 2 of this machine");
  }
}

TEST_CASE("a rank that hangs does not hold up the movie", "[render]") {
  const Flight flight(2);
  RunningProgram running(flight.command("movie", {"--ranks", "2", "--size", "320x200"}));
  REQUIRE(eventually([&] { return has_frame(flight, "movie", 2); }));
  const std::vector<pid_t> ranks = children_of(running.pid());
  REQUIRE(ranks.size() == 2);
  ::kill(ranks.front(), SIGSTOP);
  const ProgramResult result = running.wait(std::chrono::seconds(60));
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK(has_frame(flight, "movie", 47));
}

TEST_CASE("each host of a wall has ranks, and the movie needs no more than one of them",
          "[render]") {
  const Flight flight(2);
  const std::string wall = wall_of_hosts(flight, {"127.0.0.2", "127.0.0.3"});
  REQUIRE(flight.render("alone", {"--local"}, wall).exit_code == 0);
  const auto render_by = [&](const std::string& launcher_text) {
    return flight.render("movie", {"--launcher", launcher_of(flight, launcher_text)}, wall);
  };
  const auto movie_by = [&](const std::string& launcher_text) {
    const ProgramResult result = render_by(launcher_text);
    CAPTURE(result.err);
    REQUIRE(result.exit_code == 0);
    CHECK(files_of_movie(flight.at("movie")) == files_of_movie(flight.at("alone")));
    return result.err;
  };
  const auto on_h2 = [](const std::string& text) {
    return "if [ $1 = 127.0.0.3 ]; then " + text + "; fi";
  };
  SECTION("both draw") {
    static_cast<void>(movie_by("echo $1 >>" + flight.at("started")));
    const std::string started = read_text_file(flight.at("started"), 1000);
    CHECK(started.find("127.0.0.2\n") != std::string::npos);
    CHECK(started.find("127.0.0.3\n") != std::string::npos);
  }
  SECTION("one cannot be reached") {
    const std::string notes = movie_by(on_h2("echo 'no way to h2' >&2; exit 255"));
    CHECK(notes.find("h2: no way to h2 (ended with code 255); it is started again") !=
          std::string::npos);
  }
  SECTION("none can be reached") {
    const ProgramResult result = render_by("echo 'no way' >&2; exit 255");
    CHECK(result.exit_code == 1);
    CHECK(result.err.find("no way (ended with code 255); no rank is left\n") != std::string::npos);
    CHECK_FALSE(fs::exists(flight.at("movie")));
  }
  SECTION("one has another version") {
    const std::string notes = movie_by(
        on_h2("sed -u 's/\"version\":\"[^\"]*\"/\"version\":\"other\"/' | exec \"$2\"; exit 0"));
    CHECK(notes.find("version: expected other, found tilewall") != std::string::npos);
    CHECK(notes.find("; it draws nothing\n") != std::string::npos);
  }
  SECTION("one prints damaged answers") {
    const std::string notes =
        movie_by(on_h2("echo '{\"answer\":\"opened\",\"timesteps\":\"many\"}'; sleep 1; exit 0"));
    CHECK(notes.find("h2: message: timesteps: expected a value of its type") != std::string::npos);
  }
}

TEST_CASE("ranks with other kernels draw nothing, but with --portable all draw the same bytes",
          "[render]") {
  const Flight flight(1);
  const std::string wall = wall_of_hosts(flight, {"127.0.0.2", "127.0.0.3"});
  // The second host draws with the kernels of a processor that has no others.
  const std::string as_scalar = "sed -u 's/caster\\(.....\\)auto/caster\\1scalar/'";
  const std::string scalar = as_scalar + " | \"$@\"";
  const auto render_mixed = [&](const char* movie, const Words& more, const std::string& launcher) {
    return flight.render(movie, joined({"--launcher", launcher_of(flight, launcher)}, more), wall);
  };
  REQUIRE(flight.render("portable", {"--local", "--portable"}, wall).exit_code == 0);
  const ProgramResult portable = render_mixed(
      "all", {"--portable"}, "if [ $1 = 127.0.0.3 ]; then shift; " + scalar + "; exit 0; fi");
  CAPTURE(portable.err);
  REQUIRE(portable.exit_code == 0);
  CHECK(portable.err.find("draws nothing") == std::string::npos);
  CHECK(files_of_movie(flight.at("all")) == files_of_movie(flight.at("portable")));
  const std::string manifest = files_of_movie(flight.at("portable")).at("movie.toml");
  CHECK(manifest.find(" portable drawn_by=cpu: scalar") != std::string::npos);

  REQUIRE(flight.render("local", {"--local"}, wall).exit_code == 0);
  auto files = files_of_movie(flight.at("local"));
  if (files.at("movie.toml").find("drawn_by=cpu: scalar") != std::string::npos) {
    WARN("skipped: this processor has the scalar kernels alone");
    return;
  }
  // The second host begins once the first one has the frames' kernels, which draws none before the
  // second one has ended, so that neither of them is too late.
  const std::string begun = flight.at("begun");
  const std::string ended = flight.at("ended");
  const std::string in_turns = fmt::format(
      R"(if [ $1 = 127.0.0.3 ]; then
  shift
  until [ -e {0} ]; do sleep 0.05; done
  {2} | {{ "$@"; : > {1}; }}
  exit 0
fi
shift
while read -r order; do
  case $order in
    *'"order":"store"'*) : > {0} ;;
    *'"order":"frame"'*) until [ -e {1} ]; do sleep 0.05; done ;;
  esac
  printf '%s\n' "$order"
done | "$@"
exit 0)",
      begun, ended, as_scalar);
  const ProgramResult refused = render_mixed("movie", {}, in_turns);
  CAPTURE(refused.err);
  REQUIRE(refused.exit_code == 0);
  CHECK(refused.err.find("(--overwrite --portable starts anew with kernels of every processor), "
                         "found \"") != std::string::npos);
  CHECK(refused.err.find("; it draws nothing\n") != std::string::npos);

  // Nor does a host with other kernels go on with a movie.
  fs::remove(fs::path(flight.at("local")) / "frame-000007.tif");
  const std::string all_scalar = launcher_of(flight, "shift; " + scalar + "; exit 0");
  const ProgramResult other = flight.render("local", {"--launcher", all_scalar}, wall);
  CHECK(other.exit_code == 2);
  CHECK(other.err.find("movie.toml: drawn_by: expected \"") != std::string::npos);
  CHECK(other.err.find("starts anew with kernels of every processor), found \"cpu: scalar\"\n") !=
        std::string::npos);
}

TEST_CASE("ranks refuse what the command would refuse", "[render][bad-input]") {
  const Flight flight(1);
  const auto refusal = [&](const Words& more) {
    const ProgramResult result = flight.render("movie", joined({"--ranks", "2"}, more));
    CHECK(result.exit_code == 2);
    CHECK_FALSE(fs::exists(flight.at("movie")));
    return result.err;
  };
  CHECK(refusal({"--timestep", "1"}) ==
        "tilewall: --timestep: expected a timestep under 1, found 1\n");
  CHECK(refusal({"--frames", "90-95"}) ==
        "tilewall: --frames: expected frames from 0 to 23, found 90-95\n");
  CHECK(refusal({"--ranks", "0"}).find("--ranks") != std::string::npos);
  CHECK(refusal({"--launcher", "{what}"}).find("--launcher: expected no braces") !=
        std::string::npos);
}

TEST_CASE("frames of a volume larger than the memory do not depend on those before", "[render]") {
  const Flight flight(1);
  // 14 MB of voxels.
  std::string header = "{'descr': '<i2', 'fortran_order': False, 'shape': (192, 192, 192), }";
  header.resize(117, ' ');
  {
    std::ofstream to(flight.at("large.npy"), std::ios::binary);
    to << "\x93NUMPY" << '\x01' << '\0' << '\x76' << '\0' << header << '\n';
    std::vector<std::int16_t> slice(192 * 192);
    for (int z = 0; z < 192; ++z) {
      for (int i = 0; i < 192 * 192; ++i)
        slice[static_cast<std::size_t>(i)] =
            static_cast<std::int16_t>((i % 192 * 37 + i / 192 * 23 + z * 11) % 2000);
      to.write(reinterpret_cast<const char*>(slice.data()),
               static_cast<std::streamsize>(slice.size() * sizeof slice[0]));
    }
  }
  std::ofstream(flight.path()) << "volume = \"large.npy\"\nduration_s = 1\n[[key]]\n"
                               << "eye = [96, -120, 96]\nlook_at = [96, 96, 96]\nup = [0, 0, 1]\n"
                               << "[[key]]\neye = [110, -20, 100]\nlook_at = [96, 96, 96]\n";
  const Words small = {"--memory", "8", "--lossless", "zstd"};
  const auto with = [&](const Words& more) { return joined(small, more); };
  REQUIRE(flight.render("all", with({"--frames", "10-20"})).exit_code == 0);
  REQUIRE(flight.render("one", with({"--frames", "18-18"})).exit_code == 0);
  CHECK(files_of_movie(flight.at("all")).at("frame-000008.tif") ==
        files_of_movie(flight.at("one")).at("frame-000000.tif"));
  const ProgramResult ranks = flight.render("ranks", with({"--ranks", "2"}));
  CHECK(ranks.exit_code == 2);
  CHECK(ranks.err.find("--ranks: expected 1 on each host") != std::string::npos);
}

TEST_CASE("a movie that will not fit on the disk is not begun", "[render][bad-input]") {
  const Flight flight(24 * 3600);
  const std::string ranks = GENERATE("", "2");
  // Terabytes of frames.
  Words words = flight.command("movie", {"--size", "3000x2000", "--lossless", "deflate"});
  *std::ranges::find(words, "24") = "1000";
  const ProgramResult result =
      run_program(joined(words, ranks_option(ranks)), std::chrono::seconds(60));
  CAPTURE(result.err);
  CHECK(result.exit_code == 1);
  CHECK(result.err.find("not enough space: 86400000 more frames need about") != std::string::npos);
  CHECK_FALSE(fs::exists(flight.at("movie")));
}

TEST_CASE("tilewall-renderer refuses wrong orders in an answer", "[render][bad-input]") {
  const auto answer_to = [](const std::string& line) {
    return run_program({"sh", "-c", "printf '%s\\n' \"$1\" | " + program_path("tilewall-renderer"),
                        "sh", line})
        .out;
  };
  CHECK(answer_to("no JSON").starts_with(R"({"answer":"fault","is_input":true)"));
  CHECK(answer_to(R"({"order":"dance"})").find("expected open, sample, store or frame") !=
        std::string::npos);
  CHECK(answer_to(R"({"order":"sample","frames":[]})").find("frames: expected a list") !=
        std::string::npos);
  CHECK(answer_to(std::string(100'000, '[')).find("\"answer\":\"fault\"") != std::string::npos);
  CHECK(answer_to(R"({"order":"frame","frame":{"number":-1}})").find("number: expected") !=
        std::string::npos);
}
