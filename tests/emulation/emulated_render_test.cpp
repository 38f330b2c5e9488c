// Flights that emulated hosts render, started by mpirun.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "tests/emulation/emulated_network.hpp"
#include "tests/emulation/emulated_wall.hpp"
#include "tests/emulation/network_or_skip.hpp"
#include "tests/integration/flight.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

using namespace tilewall;
using namespace tilewall::test;
namespace fs = std::filesystem;

TEST_CASE("hosts render a flight, without the one that lacks the volume and the one that is off",
          "[emulation][render]") {
  const TemporaryFolder folder;
  const auto network = network_or_skip({{}, {5'000'000'000, 20}, {}, {}}, folder.path());
  if (!network) return;
  write_wall_of(folder / "wall.toml", *network, 1);
  const Flight flight(8);
  REQUIRE(flight.render("alone", {"--local"}, folder / "wall.toml").exit_code == 0);
  network->switch_host(network->hosts()[2], false);

  fs::create_directory(flight.at("volumes"));
  fs::rename(flight.at("ball.npy"), flight.at("volumes/ball.npy"));
  Words words = network->at_head();
  for (const std::string& word : flight.command(
           "movie", {"--launcher", network->launcher(), "--volume", flight.at("volumes/ball.npy")},
           folder / "wall.toml"))
    words.push_back(word);
  ProgramOptions options;
  options.environment = {{hidden_folder_variable, flight.at("volumes")},
                         {hidden_host_variable, "h2"}};
  // The hosts that draw begin once the one without the volume has said so: the movie is not
  // complete before that.
  const EmulatedHost& lacking = network->hosts()[1];
  for (const std::size_t drawing : {0, 3}) network->hold_host(network->hosts()[drawing], true);
  RunningProgram running(words, options);
  REQUIRE(eventually([&] { return !EmulatedNetwork::processes_of(lacking).empty(); }));
  REQUIRE(eventually([&] { return EmulatedNetwork::processes_of(lacking).empty(); }));
  for (const std::size_t drawing : {0, 3}) network->hold_host(network->hosts()[drawing], false);
  const ProgramResult result = running.wait(std::chrono::seconds(90));
  CAPTURE(result.out, result.err);
  CHECK(result.exit_code == 0);
  CHECK_THAT(result.err, Catch::Contains("h3: it is not reachable: no route to the host"));
  CHECK_THAT(result.err, Catch::Contains("serve it with 'tilewall serve'"));
  const auto movie = files_of_movie(flight.at("movie"));
  const auto alone = files_of_movie(flight.at("alone"));
  REQUIRE(movie.size() == 193);
  for (int frame = 0; frame < 192; ++frame) {
    const std::string name = fmt::format("frame-{:06}.tif", frame);
    CHECK(movie.at(name) == alone.at(name));
  }
}
