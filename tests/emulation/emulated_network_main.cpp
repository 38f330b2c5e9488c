// Makes emulated hosts for a script, and does what it says on standard input:
//
//   $ build/release/emulated_network --hosts 3 --folder FOLDER
//   {"at_head": ["nsenter", ...], "launcher": "mpirun ...", "hosts": [{"name": "h1", ...}, ...],
//    "key_file": FILE}
//   cut h2
//   done
//
// cut HOST drops all packets of the host, and only of that one; join ends it; off HOST and on HOST
// switch it off and on again. Ends with its standard input. Exit code 77 where hosts cannot be
// emulated here.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "sync/base/error.hpp"
#include "tests/emulation/emulated_network.hpp"

namespace tilewall::test {
namespace {

constexpr int exit_skipped = 77;

nlohmann::json json_of(const EmulatedNetwork& network) {
  nlohmann::json hosts = nlohmann::json::array();
  for (const EmulatedHost& host : network.hosts())
    hosts.push_back(
        {{"name", host.name}, {"address", host.address}, {"network", host.network.path()}});
  return {{"at_head", network.at_head()},
          {"head", network.at_head().back().substr(std::string("--net=").size())},
          {"launcher", network.launcher()},
          {"key_file", network.key_file()},
          {"hosts", std::move(hosts)}};
}

/// Does one line of standard input. Returns the answer.
std::string answer(const EmulatedNetwork& network, const std::string& line) {
  std::istringstream words(line);
  std::string what;
  std::string name;
  words >> what >> name;
  if (what == "join") {
    network.join();
    return "done";
  }
  const auto host = std::ranges::find(network.hosts(), name, &EmulatedHost::name);
  if (host == network.hosts().end()) return "expected the name of a host, found '" + name + "'";
  if (what == "cut")
    network.cut(*host);
  else if (what == "off" || what == "on")
    network.switch_host(*host, what == "on");
  else
    return "expected cut, join, off or on, found '" + what + "'";
  return "done";
}

int run(int hosts, const std::filesystem::path& folder) {
  std::string reason;
  const auto network = EmulatedNetwork::try_make(
      std::vector<HostSpec>(static_cast<std::size_t>(hosts)), {}, folder, reason);
  if (!network) {
    std::cerr << "emulated_network: " << reason << '\n';
    return exit_skipped;
  }
  std::cout << json_of(*network).dump() << std::endl;
  for (std::string line; std::getline(std::cin, line);)
    std::cout << answer(*network, line) << std::endl;
  return exit_done;
}

}  // namespace
}  // namespace tilewall::test

int main(int argc, char** argv) {
  CLI::App app("Emulated hosts for a script.");
  int hosts = 3;
  std::string folder;
  app.add_option("--hosts", hosts, "their number")->check(CLI::Range(1, 5));
  app.add_option("--folder", folder, "an empty folder for the network's files")->required();
  CLI11_PARSE(app, argc, argv);
  try {
    return tilewall::test::run(hosts, folder);
  } catch (const std::exception& error) {
    std::cerr << "emulated_network: " << error.what() << '\n';
    return tilewall::exit_failed;
  }
}
