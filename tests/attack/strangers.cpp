// What hostile connections cost: a show and a server of movies and volumes, first undisturbed, then
// with thousands of strangers at the server's port and the show's control port, and with a client
// that has the key, asks for all it can and takes nothing.
//
//   $ build/release/tests/attack/strangers --connections 2000 --seconds 60 --json
//   {"connections":2000,"hostile":{"answers":3006,"director_peak_bytes":...},"p99_ratio":1.4,...}

#include <signal.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>

#include "net/show_keys.hpp"
#include "player/movie/remote/block_request.hpp"
#include "player/volume/remote/box_request.hpp"
#include "sync/base/process.hpp"
#include "tests/attack/hoarder.hpp"
#include "tests/attack/hostile_connections.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/serve_program.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tilewall::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr SizePx movie_px{1280, 960};
constexpr int movie_frames = 24;
constexpr int blocks_of_frame = 20 * 20;  // of 64x48 pixels
constexpr int volume_side = 128;
constexpr int hoarded_requests = 120;
constexpr std::chrono::milliseconds request_gap{10};
constexpr std::chrono::seconds longest_answer{30};
constexpr std::chrono::seconds stop_limit{20};

/// The most memory that a process has had so far, in bytes; 0 if it is gone.
std::uint64_t peak_bytes(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;)
    if (word == "VmHWM:") {
      std::uint64_t kib = 0;
      status >> kib;
      return kib * 1024;
    }
  return 0;
}

void write_volume(const fs::path& file) {
  std::ofstream to(file, std::ios::binary);
  to << "NRRD0004\ntype: uint8\ndimension: 3\nsizes: " << volume_side << " " << volume_side << " "
     << volume_side << "\nencoding: raw\n\n"
     << std::string(static_cast<std::size_t>(volume_side) * volume_side * volume_side, '\x11');
}

/// The show of the movie on a small wall.
class StrangersShow {
 public:
  explicit StrangersShow(const fs::path& movie)
      : program_({tilewall_program, "play", movie.string(), "--wall",
                  std::string(TILEWALL_SOURCE_DIR) + "/wallconfigs/mini-5x3.toml", "--headless",
                  "--loop", "--late", "drop", "--run-dir", run_dir().string(), "--report",
                  (folder_ / "report").string()}) {
    const auto is_there = [&] { return fs::exists(run_dir() / "control.addr"); };
    if (!eventually(is_there)) throw std::runtime_error("the show does not start");
    std::string address;
    std::ifstream(run_dir() / "control.addr") >> address;
    port_ = static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1)));
  }

  [[nodiscard]] fs::path run_dir() const { return folder_ / "run"; }
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] pid_t director() const { return pid_in(run_dir() / "pids" / "director"); }

  /// Ends the show as a user would, and returns its report.
  [[nodiscard]] Json finish() {
    program_.send_signal(SIGINT);
    static_cast<void>(program_.wait(stop_limit));
    return read_report(folder_ / "report");
  }

 private:
  TemporaryFolder folder_;
  RunningProgram program_;
  std::uint16_t port_ = 0;
};

/// Asks for a panel's blocks of a frame, again and again, and returns how long each answer took, in
/// milliseconds, ascending; what does not come counts as the longest answer.
std::vector<double> ask_for(std::chrono::seconds duration, std::uint16_t port, const AuthKey& key) {
  SlabClientOptions options = client_of(port, SlabTransport::udp);
  options.session.key = key;
  SlabClient client(options);
  movie::BlockRequest request{"movie", 0, 0, {}};
  for (int block = 0; block < blocks_of_frame / 15; ++block) request.blocks.push_back(block);
  std::vector<double> took_ms;
  const LocalInstant end = local_now() + duration;
  for (LocalInstant began = local_now(); began < end; began = local_now()) {
    request.frame = static_cast<std::int64_t>(took_ms.size()) % movie_frames;
    static_cast<void>(await(client, client.fetch(movie::to_bytes(request)), longest_answer));
    took_ms.push_back(as_double(local_now() - began) * 1e-6);
    std::this_thread::sleep_for(request_gap);
  }
  std::sort(took_ms.begin(), took_ms.end());
  return took_ms;
}

double share_of(const std::vector<double>& sorted, double share) {
  return sorted[std::min(sorted.size() - 1,
                         static_cast<std::size_t>(share * static_cast<double>(sorted.size())))];
}

/// Asks for as much as a session may, of the movie and the volume.
void be_greedy(Hoarder& hoarder) {
  movie::BlockRequest request{"movie", 0, 0, {}};
  for (int block = 0; block < blocks_of_frame; ++block) request.blocks.push_back(block);
  for (int i = 0; i < hoarded_requests; ++i) {
    request.frame = i % movie_frames;
    static_cast<void>(hoarder.ask(movie::to_bytes(request)));
    const int side = volume_side / 2 + i % (volume_side / 2);  // each one another box
    const volume::BoxRequest box{{"ball.nrrd", {}},
                                 0,
                                 0,
                                 {volume_side, volume_side, volume_side},
                                 render::VoxelType::u8,
                                 {{0, 0, 0}, {side, side, side}}};
    static_cast<void>(hoarder.ask(volume::to_bytes(box)));
  }
}

struct Place {
  fs::path served;
  fs::path key_file;
  AuthKey key;  // of the server's protocol
};

/// One measurement, with so many hostile connections.
Json measure(const Place& place, int connections, std::chrono::seconds duration) {
  ServeProgram server(place.served, {"--key-file", place.key_file.string()});
  StrangersShow show(place.served / "movie");
  std::unique_ptr<HostileConnections> strangers;
  std::unique_ptr<Hoarder> greedy;
  if (connections > 0) {
    strangers = std::make_unique<HostileConnections>(
        std::vector<std::uint16_t>{server.port(), show.port()}, connections);
    greedy = std::make_unique<Hoarder>(server.port(), place.key);
    be_greedy(*greedy);
  }
  const std::vector<double> took_ms = ask_for(duration, server.port(), place.key);
  Json result = {{"answers", took_ms.size()},
                 {"answer_ms",
                  {{"p50", share_of(took_ms, 0.5)},
                   {"p99", share_of(took_ms, 0.99)},
                   {"max", took_ms.back()}}},
                 {"server_peak_bytes", peak_bytes(server.program().pid())},
                 {"director_peak_bytes", peak_bytes(show.director())},
                 {"connections_made", strangers ? strangers->made() : 0}};
  strangers.reset();
  const Json report = show.finish();
  for (const char* const field : {"frames_scheduled", "frames_shown", "frames_late"})
    result[field] = report.is_discarded() ? Json() : report.value(field, Json());
  return result;
}

int run(int connections, int seconds, bool json) {
  allow_open_files();
  const TemporaryFolder folder;
  const fs::path key_file = folder / "wall.key";
  static_cast<void>(run_program({tilewall_program, "key", "new", key_file.string()}));
  const Place place{folder / "served", key_file, key_from_file(key_file, Protocol::stream)};
  fs::create_directories(place.served);
  write_numbered_movie(place.served / "movie", movie_px, movie_frames);
  write_volume(place.served / "ball.nrrd");
  Json result = {{"connections", connections}, {"duration_s", seconds}};
  result["quiet"] = measure(place, 0, std::chrono::seconds(seconds));
  result["hostile"] = measure(place, connections, std::chrono::seconds(seconds));
  const auto p99 = [&](const char* which) {
    return result.at(which).at("answer_ms").at("p99").get<double>();
  };
  result["p99_ratio"] = p99("hostile") / p99("quiet");
  if (json) {
    std::puts(result.dump().c_str());
    return 0;
  }
  for (const char* const which : {"quiet", "hostile"}) {
    std::ostringstream late;
    late << result.at(which).at("frames_late");
    std::printf(
        "%-8s answers %.1f / %.1f ms (p50 / p99), late frames %s, server %.0f MiB, "
        "director %.0f MiB\n",
        which, result.at(which).at("answer_ms").at("p50").get<double>(), p99(which),
        late.str().c_str(), result.at(which).at("server_peak_bytes").get<double>() / (1 << 20),
        result.at(which).at("director_peak_bytes").get<double>() / (1 << 20));
  }
  return 0;
}

}  // namespace
}  // namespace tilewall::test

int main(int argc, char** argv) {
  CLI::App app("What hostile connections cost a show and the clients of a server");
  int connections = 2000;
  int seconds = 60;
  bool json = false;
  app.add_option("--connections", connections, "number of hostile connections")
      ->check(CLI::Range(1, 20'000))
      ->capture_default_str();
  app.add_option("--seconds", seconds, "of each of the two measurements")
      ->check(CLI::Range(1, 3600))
      ->capture_default_str();
  app.add_flag("--json", json, "one JSON object on stdout");
  CLI11_PARSE(app, argc, argv);
  try {
    return tilewall::test::run(connections, seconds, json);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "strangers: %s\n", e.what());
    return 1;
  }
}
