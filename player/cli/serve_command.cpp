// tilewall serve: serves the movies and volumes below some folders to walls, in blocks and boxes.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "net/clock/clock_daemon.hpp"
#include "net/show_keys.hpp"
#include "net/slab/remote_url.hpp"
#include "net/slab/slab_server.hpp"
#include "player/cli/commands.hpp"
#include "player/cli/help/help.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/remote/movie_server.hpp"
#include "player/volume/remote/exported_volumes.hpp"
#include "player/volume/remote/volume_server.hpp"
#include "sync/base/crash_report.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"
#include "sync/base/printed_line.hpp"
#include "sync/base/role_log.hpp"
#include "sync/base/stop_signals.hpp"

namespace tilewall::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr double fastest_gbit_s = 1000;
constexpr int most_readers = 64;
constexpr std::size_t most_counted = 10'000;
constexpr std::size_t most_shown_names = 6;

struct ServeArguments {
  std::vector<std::string> folders;
  std::string listen = fmt::format("127.0.0.1:{}", net::default_serve_port);
  std::string key_file;
  std::string announce_file;
  std::string exports_file;
  std::vector<int> sockets;  // of a show's own server: TCP, which listens, and UDP
  double rate_gbit_s = 0;
  int readers = 4;
};

/// "1 movie", "2 movies"
std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::vector<fs::path> movie_places(const std::vector<fs::path>& inputs) {
  std::vector<fs::path> places;
  for (const fs::path& input : inputs)
    if (std::error_code error; fs::is_directory(input, error) && !volume::is_volume_folder(input))
      places.push_back(input);
  return places;
}

std::vector<fs::path> volume_places(const std::vector<fs::path>& inputs) {
  std::vector<fs::path> places;
  std::ranges::copy_if(inputs, std::back_inserter(places),
                       [](const fs::path& input) { return !scene::is_wall_movie(input); });
  return places;
}

/// Serves movies and volumes: passes each request to a MovieServer or a VolumeServer. Threads: any,
/// several at once (SlabSource).
class FolderServer final : public net::SlabSource {
 public:
  /// Each input is a folder with movies and volumes below it, or a movie or a volume. Throws
  /// InputError for other inputs.
  explicit FolderServer(const std::vector<std::filesystem::path>& inputs);

  /// "list" joins the answers of both servers; "open" goes to the server that has the name, movies
  /// first; "range" goes to the volumes.
  [[nodiscard]] nlohmann::json call(const nlohmann::json& question) override;
  [[nodiscard]] std::uint64_t answer_bytes(std::span<const std::byte> request) override;
  /// All that volumes need, and lists. Their readers may be slow, so blocks of movies do not wait
  /// behind them.
  [[nodiscard]] bool is_slow_request(std::span<const std::byte> request) override;
  [[nodiscard]] bool is_slow_question(const nlohmann::json& question) override;
  [[nodiscard]] std::shared_ptr<const net::SlabBuffer> read(
      std::span<const std::byte> request) override;

  struct Count {
    std::size_t movies = 0;
    std::size_t volumes = 0;
  };
  [[nodiscard]] Count count();

 private:
  [[nodiscard]] std::string shown_names();

  movie::MovieServer movies_;
  volume::VolumeServer volumes_;
};

FolderServer::FolderServer(const std::vector<fs::path>& inputs)
    : movies_(movie_places(inputs)), volumes_(volume_places(inputs)) {}

Json FolderServer::call(const Json& question) {
  const Json type = question.value("type", Json());
  if (type == "range") return volumes_.call(question);
  if (type == "list") {
    Json answer = movies_.call(question);
    const Json volumes = volumes_.call(question);
    answer["volumes"] = volumes.at("volumes");
    answer["left_out"] =
        answer.at("left_out").get<std::size_t>() + volumes.at("left_out").get<std::size_t>();
    return answer;
  }
  const Json name = question.value("name", Json());
  if (type != "open" || !name.is_string() || movies_.has(name.get<std::string>()))
    return movies_.call(question);
  if (volumes_.has(name.get<std::string>())) return volumes_.call(question);
  throw InputError({name.get<std::string>()}, "",
                   "a movie or volume of this server, which has " + shown_names(), "none");
}

std::shared_ptr<const net::SlabBuffer> FolderServer::read(std::span<const std::byte> request) {
  return volume::asks_for_box(request) ? volumes_.read(request) : movies_.read(request);
}

std::uint64_t FolderServer::answer_bytes(std::span<const std::byte> request) {
  return volume::asks_for_box(request) ? volumes_.answer_bytes(request)
                                       : movies_.answer_bytes(request);
}

bool FolderServer::is_slow_request(std::span<const std::byte> request) {
  return volume::asks_for_box(request);
}

bool FolderServer::is_slow_question(const Json& question) {
  const Json type = question.value("type", Json());
  const Json name = question.value("name", Json());
  return type == "list" || type == "range" ||
         (type == "open" && name.is_string() && !movies_.has(name.get<std::string>()));
}

FolderServer::Count FolderServer::count() {
  return {movies_.call({{"type", "list"}}).at("movies").size(),
          volumes_.names(most_counted).size()};
}

/// "ball.npy, numbers and 3 more"
std::string FolderServer::shown_names() {
  std::vector<std::string> names = volumes_.names(most_counted);
  const Json list = movies_.call({{"type", "list"}});
  for (const Json& movie : list.at("movies")) names.push_back(movie.at("name").get<std::string>());
  if (names.empty()) return "nothing";
  std::sort(names.begin(), names.end());
  const std::size_t more = names.size() - std::min(names.size(), most_shown_names);
  names.resize(names.size() - more);
  return fmt::format("{}{}", fmt::join(names, ", "),
                     more > 0 ? fmt::format(" and {} more", more) : "");
}

net::SlabServerOptions server_options(const ServeArguments& arguments) {
  net::SlabServerOptions options;
  options.address = net::resolve(arguments.listen, "--listen");
  if (!arguments.key_file.empty())
    options.key = net::key_from_file(arguments.key_file, net::Protocol::stream);
  if (!(arguments.rate_gbit_s >= 0) || arguments.rate_gbit_s > fastest_gbit_s)
    throw InputError({"--rate"}, "", fmt::format("0 to {} Gbit/s", fastest_gbit_s),
                     fmt::format("{}", arguments.rate_gbit_s));
  options.rate_gbit_s = arguments.rate_gbit_s;
  if (arguments.readers < 1 || arguments.readers > most_readers)
    throw InputError({"--readers"}, "", fmt::format("1 to {}", most_readers),
                     std::to_string(arguments.readers));
  options.workers = arguments.readers;
  options.log = [](const std::string& line) { log_line("tilewall serve: {}", line); };
  return options;
}

/// Serves the volumes of a list, which a show's director changes, under the show's key.
int serve_exports(const ServeArguments& arguments) {
  const UniqueFd stop = stop_signal_fd();
  volume::ExportedVolumes volumes(arguments.exports_file);
  net::ServerSockets sockets{UniqueFd(arguments.sockets.at(0)), UniqueFd(arguments.sockets.at(1))};
  net::SlabServerOptions options = server_options(arguments);
  options.key = net::key_of(net::Protocol::stream);
  options.address = net::local_address(sockets.tcp.get());
  net::SlabServer server(std::move(options), volumes, std::move(sockets));
  server.run(stop.get());
  return exit_done;
}

int run_serve(const ServeArguments& arguments) {
  if (role_log().empty()) report_crashes("tilewall serve", {});  // a role has begun in main()
  if (!arguments.exports_file.empty()) return serve_exports(arguments);
  const UniqueFd stop = stop_signal_fd();
  FolderServer folders({arguments.folders.begin(), arguments.folders.end()});
  const net::SlabServerOptions options = server_options(arguments);
  net::SlabServer server(options, folders);
  const std::string address = net::to_string(net::with_port(*options.address, server.port()));
  const FolderServer::Count count = folders.count();
  print_line(stdout, "tilewall serve: {}, {} on {}", counted(count.movies, "movie"),
             counted(count.volumes, "volume"), address);
  if (count.movies + count.volumes == 0)
    print_line(stdout,
               "tilewall serve: 'tilewall import INPUT -o {}/NAME' makes a movie it can serve",
               arguments.folders.front());
  else
    print_line(stdout, "tilewall serve: 'tilewall info tilewall://{}' lists them", address);
  std::fflush(stdout);
  if (!arguments.announce_file.empty())
    write_file_atomically(arguments.announce_file, address + "\n");
  server.run(stop.get());
  const net::SlabServerStatus status = server.status();
  print_line(stdout, "tilewall serve: sent {:.1f} MiB, {} answers, {} packets again",
             static_cast<double>(status.sent.sent_bytes) / (1 << 20), status.sent.slabs,
             status.sent.resent_pieces);
  return exit_done;
}

}  // namespace

void add_serve_command(CLI::App& app, command::CommandRun& run) {
  const auto arguments = std::make_shared<ServeArguments>();
  CLI::App* const command = app.add_subcommand(
      "serve", "Gives the movies and volumes below some folders to walls elsewhere");
  command->add_option("DIR", arguments->folders,
                      "folders with wall movies and volumes, or single ones");
  // Hidden: the supervisor starts a show's own server with these options.
  CLI::Option* const exports = command->add_option("--offers", arguments->exports_file)->group("");
  exports->needs(command->add_option("--sockets", arguments->sockets)->expected(2)->group(""));
  command
      ->add_option("--listen", arguments->listen, "HOST:PORT, for TCP and UDP (0: any free port)")
      ->capture_default_str();
  command->add_option("--key-file", arguments->key_file,
                      "the wall's key; needed beyond loopback, the same on all hosts");
  command->add_option("--rate", arguments->rate_gbit_s,
                      "limit in Gbit/s for each client; 0: as its path allows");
  command->add_option("--readers", arguments->readers, "threads that read from the disk")
      ->capture_default_str();
  command->add_option("--announce", arguments->announce_file,
                      "file that HOST:PORT is written to once it answers");
  // CLI11 prints an empty line for the hidden options, too.
  group_help(*command,
             {{"Options", {"help", "listen", "key-file", "rate", "readers", "announce"}}});
  command->footer(
      "Example: tilewall serve /movies --listen 192.168.7.1:7642 --key-file wall.key\n"
      "then, at the wall: tilewall play tilewall://192.168.7.1/NAME --wall wall.toml --key-file "
      "wall.key\nor, of a volume, tilewall view");
  command->callback([arguments, &run] {
    if (arguments->folders.empty() && arguments->exports_file.empty())
      throw CLI::RequiredError("DIR");
    // CLI11's own rule would show in --help.
    if (!arguments->folders.empty() && !arguments->exports_file.empty())
      throw CLI::ExcludesError("--offers", "DIR");
    run = [arguments] { return run_serve(*arguments); };
  });
}

}  // namespace tilewall::cli
