// tilewall serve: gives the movies and volumes below some folders to walls, block by block and box
// by box.

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "net/clock/clock_daemon.hpp"
#include "net/secret_variables.hpp"
#include "net/slab/remote_url.hpp"
#include "net/slab/slab_server.hpp"
#include "player/cli/commands.hpp"
#include "player/cli/serve_shelf.hpp"
#include "player/volume/remote/offered_volumes.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall {
namespace {

constexpr double fastest_gbit_s = 1000;
constexpr int most_readers = 64;

struct ServeArguments {
  std::vector<std::string> folders;
  std::string listen = fmt::format("127.0.0.1:{}", default_serve_port);
  std::string key_file;
  std::string announce_file;
  std::string offers_file;
  double rate_gbit_s = 0;
  int readers = 4;
};

/// "1 movie", "2 movies"
std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

SlabServerOptions server_options(const ServeArguments& arguments) {
  SlabServerOptions options;
  options.address = resolve(arguments.listen, "--listen");
  options.key = arguments.key_file.empty() ? AuthKey::from_environment(stream_secret_variable)
                                           : AuthKey::from_file(arguments.key_file);
  if (!(arguments.rate_gbit_s >= 0) || arguments.rate_gbit_s > fastest_gbit_s)
    throw InputError({"--rate"}, "", fmt::format("0 to {} Gbit/s", fastest_gbit_s),
                     fmt::format("{}", arguments.rate_gbit_s));
  options.rate_gbit_s = arguments.rate_gbit_s;
  if (arguments.readers < 1 || arguments.readers > most_readers)
    throw InputError({"--readers"}, "", fmt::format("1 to {}", most_readers),
                     std::to_string(arguments.readers));
  options.workers = arguments.readers;
  options.log = [](const std::string& line) { fmt::print(stderr, "tilewall serve: {}\n", line); };
  return options;
}

/// Of the volumes that a file lists, as it changes.
int serve_offers(const ServeArguments& arguments) {
  const UniqueFd stop = stop_signal_fd();
  OfferedVolumes volumes(arguments.offers_file);
  SlabServer server(server_options(arguments), volumes);
  server.run(stop.get());
  return exit_done;
}

int run_serve(const ServeArguments& arguments) {
  if (!arguments.offers_file.empty()) return serve_offers(arguments);
  const UniqueFd stop = stop_signal_fd();
  ServeShelf shelf({arguments.folders.begin(), arguments.folders.end()});
  const SlabServerOptions options = server_options(arguments);
  SlabServer server(options, shelf);
  const std::string address = to_string(with_port(options.address, server.port()));
  const ServeShelf::Count count = shelf.count();
  fmt::print("tilewall serve: {}, {} on {}\n", counted(count.movies, "movie"),
             counted(count.volumes, "volume"), address);
  if (count.movies + count.volumes == 0)
    fmt::print("tilewall serve: 'tilewall import INPUT -o {}/NAME' makes a movie it can serve\n",
               arguments.folders.front());
  else
    fmt::print("tilewall serve: 'tilewall info tilewall://{}' lists them\n", address);
  std::fflush(stdout);
  if (!arguments.announce_file.empty())
    write_file_atomically(arguments.announce_file, address + "\n");
  server.run(stop.get());
  const SlabServerStatus status = server.status();
  fmt::print("tilewall serve: sent {:.1f} MiB, {} answers, {} packets again\n",
             static_cast<double>(status.sent.sent_bytes) / (1 << 20), status.sent.slabs,
             status.sent.resent_pieces);
  return exit_done;
}

}  // namespace

void add_serve_command(CLI::App& app, CommandRun& run) {
  const auto arguments = std::make_shared<ServeArguments>();
  CLI::App* const command = app.add_subcommand(
      "serve", "Gives the movies and volumes below some folders to walls elsewhere");
  CLI::Option* const folders = command->add_option(
      "DIR", arguments->folders, "folders with wall movies and volumes, or such themselves");
  // A show's own server is started with it.
  CLI::Option* const offers = command->add_option("--offers", arguments->offers_file)->group("");
  offers->excludes(folders);
  command
      ->add_option("--listen", arguments->listen, "HOST:PORT, for TCP and UDP (0: any free port)")
      ->capture_default_str();
  command->add_option("--key-file", arguments->key_file,
                      "the wall's key; needed beyond loopback, the same on all hosts");
  command->add_option("--rate", arguments->rate_gbit_s,
                      "Gbit/s that a client is sent at most; 0: as its path allows");
  command->add_option("--readers", arguments->readers, "threads that read from the disk")
      ->capture_default_str();
  command->add_option("--announce", arguments->announce_file,
                      "file that HOST:PORT is written to once it answers");
  command->footer(
      "Example: tilewall serve /movies --listen 192.168.7.1:7642 --key-file wall.key\n"
      "then, at the wall: tilewall play tilewall://192.168.7.1/NAME --wall wall.toml --key-file "
      "wall.key\nor, of a volume, tilewall view");
  command->callback([arguments, &run] {
    if (arguments->folders.empty() && arguments->offers_file.empty())
      throw CLI::RequiredError("DIR");
    run = [arguments] { return run_serve(*arguments); };
  });
}

}  // namespace tilewall
