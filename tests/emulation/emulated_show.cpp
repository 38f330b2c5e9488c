#include "tests/emulation/emulated_show.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <map>
#include <memory>
#include <thread>

#include "net/clock/clock_page.hpp"
#include "player/movie/frames/manifest.hpp"
#include "tests/support/counting_movie.hpp"
#include "tests/support/numbered_movie.hpp"
#include "tests/support/show.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tilewall::test {

using namespace movie;
using namespace net;
using namespace sync;
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr int columns = 5;
constexpr int rows = 3;
constexpr SizePx panel_px = {256, 160};
constexpr SizePx wall_px = {columns * panel_px.width, rows* panel_px.height};
constexpr int movie_frames = 48;
constexpr auto look_interval = 5ms;
constexpr auto show_end_limit = 60s;
constexpr auto settle = 3s;  // after all hosts are in step, as a show settles before doors open
constexpr std::int64_t second_ns = 1'000'000'000;

/// Hosts with offsets of days and hours, and drifts up to +-100 ppm.
std::vector<HostSpec> host_specs(int hosts) {
  const std::vector<HostSpec> all = {{90'000 * second_ns, 100},
                                     {3'600 * second_ns, -100},
                                     {123'456'789, 37},
                                     {700'000 * second_ns, -61},
                                     {5 * second_ns, 0}};
  return {all.begin(), all.begin() + hosts};
}

void write_wall(const fs::path& file, const EmulatedNetwork& network) {
  std::ofstream wall(file);
  wall << fmt::format("columns = {}\nrows = {}\n[panels]\nsize_px = [{}, {}]\n", columns, rows,
                      panel_px.width, panel_px.height);
  const int hosts = static_cast<int>(network.hosts().size());
  for (int i = 0; i < hosts; ++i) {
    const EmulatedHost& host = network.hosts()[static_cast<std::size_t>(i)];
    wall << fmt::format("[[host]]\nname = \"{}\"\naddress = \"{}\"\ncolumns = [", host.name,
                        host.address);
    for (int column = i; column < columns; column += hosts) wall << column << ", ";
    wall << "]\n";
  }
}

/// Compares the hosts' clock pages with the truth.
class ClockWitness {
 public:
  ClockWitness(const EmulatedNetwork& network, fs::path run_dir)
      : network_(network), run_dir_(std::move(run_dir)), pages_(network.hosts().size()) {}

  void look(EmulatedShowResult& result) {
    if (!all_locked()) return;
    if (!settled_at_) settled_at_ = local_now() + settle;
    if (local_now() < *settled_at_) return;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      const ClockMapping mapping = pages_[i]->mapping();
      const std::int64_t true_ns = local_now().since_epoch.count();
      const LocalInstant host{Nanos{network_.hosts()[i].clock->skew().monotonic_ns(true_ns)}};
      const std::int64_t error_ns = mapping.to_global(host).since_epoch.count() - true_ns;
      const std::int64_t bound_ns = mapping.bound_at(host).count();
      result.errors_ns.push_back(std::abs(error_ns));
      result.bounds_ns.push_back(bound_ns);
      if (std::abs(error_ns) > bound_ns) result.violations++;
      least = std::min(least, error_ns);
      most = std::max(most, error_ns);
    }
    result.skews_ns.push_back(most - least);
  }

 private:
  bool all_locked() {
    bool all = true;
    for (std::size_t i = 0; i < pages_.size(); ++i) {
      if (!pages_[i])
        pages_[i] =
            ClockPageReader::try_open(run_dir_ / ("clock-page-" + network_.hosts()[i].name));
      all = all && pages_[i] && pages_[i]->status().state != ClockState::collecting;
    }
    return all;
  }

  const EmulatedNetwork& network_;
  const fs::path run_dir_;
  std::vector<std::unique_ptr<ClockPageReader>> pages_;
  std::optional<LocalInstant> settled_at_;
};

/// Compares every panel's pictures with its parts of the frames.
void check_pictures(EmulatedShowResult& result) {
  if (!result.report.is_object()) return;
  std::vector<TestPicture> frames;
  for (int number = 0; number < movie_frames; ++number)
    frames.push_back(numbered_picture(wall_px, number));
  for (int index = 0; index < columns * rows; ++index) {
    const PointPx cell = {index % columns, index / columns};
    const PointPx at = {cell.x * panel_px.width, cell.y * panel_px.height};
    std::vector<std::string> right;
    for (const TestPicture& frame : frames)
      right.push_back(hex(hash_of(cropped(frame, at, panel_px))));
    for (const ShownHash& shown : shown_by(result.report, fmt::format("c{}r{}", cell.x, cell.y))) {
      result.pictures++;
      if (shown.frame < 0 || shown.frame >= movie_frames ||
          shown.hash != right[static_cast<std::size_t>(shown.frame)])
        result.wrong_pictures++;
    }
  }
}

/// Gives the wall movie a tone.
void add_sound(const fs::path& movie) {
  constexpr const char* name = "audio.mka";
  CountingMovieOptions tone;
  tone.frames = movie_frames;
  tone.audio_codec = "aac";
  make_counting_movie(movie / name, tone);
  MovieManifest manifest = load_manifest(movie);
  manifest.audio_file = name;
  save_manifest(movie, manifest);
}

Words show_words(const EmulatedShowOptions& options, const EmulatedNetwork& network,
                 const fs::path& folder) {
  Words words = network.at_head();
  const auto frames = static_cast<int>(options.seconds * options.fps);
  for (const std::string& word : {tilewall_program,
                                  std::string("play"),
                                  (folder / "movie").string(),
                                  std::string("--wall"),
                                  (folder / "wall.toml").string(),
                                  std::string("--headless"),
                                  std::string("--hashes"),
                                  std::string("--loop"),
                                  std::string("--report"),
                                  (folder / "report.json").string(),
                                  std::string("--run-dir"),
                                  (folder / "run").string(),
                                  std::string("--fps"),
                                  std::to_string(options.fps),
                                  std::string("--frames"),
                                  std::to_string(frames),
                                  std::string("--launcher"),
                                  network.launcher(),
                                  std::string("--key-file"),
                                  network.key_file()})
    words.push_back(word);
  if (options.sound)
    words.insert(words.end(), {std::string("--audio-host"), network.hosts().back().name});
  return words;
}

}  // namespace

std::optional<EmulatedShowResult> play_on_emulated_hosts(const EmulatedShowOptions& options,
                                                         std::string& reason) {
  const TemporaryFolder folder;
  const auto network =
      EmulatedNetwork::try_make(host_specs(options.hosts), options.path, folder.path(), reason);
  if (!network) return std::nullopt;
  write_wall(folder / "wall.toml", *network);
  write_numbered_movie(folder / "movie", wall_px, movie_frames);
  ProgramOptions program_options;
  if (options.sound) {
    add_sound(folder / "movie");
    program_options.environment = {{"SDL_AUDIODRIVER", "disk"},
                                   {"SDL_DISKAUDIOFILE", (folder / "sound.raw").string()}};
  }
  EmulatedShowResult result;
  RunningProgram show(show_words(options, *network, folder.path()), program_options);
  const LocalInstant start = local_now();
  ProgramResult program;
  std::jthread watcher([&](const std::stop_token& stop) {
    ClockWitness witness(*network, folder / "run");
    while (!stop.stop_requested()) {
      std::this_thread::sleep_for(look_interval);
      witness.look(result);
      const double running_s = std::chrono::duration<double>(local_now() - start).count();
      if (options.date_step_at_s && running_s > *options.date_step_at_s)
        network->hosts().front().clock->skew().date_step_ns = second_ns;
    }
  });
  program = show.wait(std::chrono::seconds(static_cast<int>(options.seconds)) + show_end_limit);
  watcher.request_stop();
  watcher.join();
  result.exit_code = program.exit_code;
  result.err = program.err;
  result.report = read_report(folder / "report.json");
  check_pictures(result);
  return result;
}

}  // namespace tilewall::test
