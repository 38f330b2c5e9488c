// tilewall bench movie-render compares a movie that is rendered of a flight, by one process and by
// two, with its pictures drawn alone.
//
//   $ tilewall bench movie-render --side 512
//   512^3 lit, 1920x1080: drawn alone 4.10 frames/s; rendered 4.00, ratio 0.976; ...
//
// The rates are those of all frames but the first two. The cost of a movie of these two alone is
// subtracted, so that the start of a process and the reading of the volume do not count.
//
// With --bricks it compares movies of the same flight through bricks of two volumes instead: one of
// that side, and one of half of it. Both have a quarter of the larger one's voxels as their memory
// limit, so 2048^3 is drawn in 2 GiB. Whole commands count, with reading and the choice of chroma.
//
//   $ tilewall bench movie-render --side 2048 --bricks
//   2048^3 lit, 1920x1080, 2048 MiB: 10.8 s; 1024^3: 9.8 s, ratio 1.10; at most 1310 MB held

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <numbers>
#include <thread>

#include "player/bench/benchmarks.hpp"
#include "player/bench/common.hpp"
#include "player/bench/render_scene.hpp"
#include "player/command/number_check.hpp"
#include "player/movie/convert/image_writer.hpp"
#include "player/movie/source/picture_converter.hpp"
#include "player/rendering/flight_movie.hpp"
#include "render/transfer/named_transfers.hpp"
#include "render/volume/web_scene.hpp"
#include "sync/base/check.hpp"
#include "sync/base/child_process.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::bench {
namespace {

namespace fs = std::filesystem;

/// A movie of so many frames costs about as much as the start of a process.
constexpr int start_frames = 2;
constexpr const char* transfer_name = "viridis";
constexpr std::size_t memory_mib = 12288;  // for two ranks with 1024^3 voxels, of 5.4 GB each
constexpr std::size_t least_brick_memory_mib = 64;
constexpr std::size_t most_png_bytes = std::size_t{1} << 30;

struct MovieRenderArguments {
  int side = 512;
  int width_px = 1920;
  int height_px = 1080;
  int frames = 16;
  int runs = 3;
  std::string folder;  ///< "" stands for the system's temporary folder.
  bool bricks = false;
  bool json = false;
};

int all_cores() { return static_cast<int>(std::max(1U, std::thread::hardware_concurrency())); }

struct Cost {
  double wall_s = 0;
  double cpu_s = 0;
  std::int64_t peak_bytes = 0;  ///< The largest resident set of one of the processes
};

Cost operator-(Cost one, Cost other) {
  return {one.wall_s - other.wall_s, one.cpu_s - other.cpu_s, one.peak_bytes};
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

/// Runs the program to its end. The cost includes the processes that it starts and waits for.
Cost cost_of(const std::vector<std::string>& words, const fs::path& log) {
  ChildOptions options;
  options.output = log;
  const auto began = std::chrono::steady_clock::now();
  const pid_t pid = start_program(words, options);
  int status = 0;
  rusage used = {};
  check_sys(retry_eintr([&] { return ::wait4(pid, &status, 0, &used); }), "wait4");
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    throw JobError("render: " + file_ending(log, 1000));
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count(),
          seconds_of(used.ru_utime) + seconds_of(used.ru_stime), used.ru_maxrss * 1024};
}

void write_wall(const fs::path& file, const MovieRenderArguments& arguments) {
  std::ofstream(file) << fmt::format("columns = 1\nrows = 1\n[panels]\nsize_px = [{}, {}]\n",
                                     arguments.width_px, arguments.height_px);
}

/// Writes a volume of the scene that `bench render` has.
void write_volume(const fs::path& file, int side) {
  const render::VoxelArray voxels =
      render::WebScene().voxels(render::VoxelType::u8, side, all_cores());
  std::ofstream volume(file, std::ios::binary);
  volume << fmt::format(
      "NRRD0004\ntype: uint8\ndimension: 3\nsizes: {0} {0} {0}\nencoding: raw\n\n", side);
  volume.write(reinterpret_cast<const char*>(voxels.data()),
               static_cast<std::streamsize>(voxels.size_bytes()));
  if (!volume.flush()) throw JobError(file.string() + ": cannot be written");
}

/// Writes a flight around a volume of that side.
void write_flight(const fs::path& file, const std::string& volume, int side, int frames) {
  std::ofstream path(file);
  path << fmt::format("volume = \"{}\"\nduration_s = {}\n", volume, frames / 24.0);
  const double middle = (side - 1) / 2.0;
  for (const double turn : {0.0, 0.3, 0.6})  // Each turn is a share of a quarter circle.
    path << fmt::format("[[key]]\neye = [{0}, {1}, {2}]\nlook_at = [{3}, {3}, {3}]\n",
                        middle + 1.9 * side * std::sin(turn * std::numbers::pi / 2),
                        middle - 1.9 * side * std::cos(turn * std::numbers::pi / 2),
                        middle + 0.6 * side, middle);
}

/// The command that renders frames of a flight into a movie.
std::vector<std::string> render_command(const fs::path& flight, const fs::path& movie,
                                        const fs::path& wall, int frames, std::size_t mib) {
  return {own_program("tilewall").string(),
          "render",
          flight.string(),
          "-o",
          movie.string(),
          "--overwrite",
          "--wall",
          wall.string(),
          "--frames",
          fmt::format("0-{}", frames - 1),
          "--lit",
          "--range",
          "0,255",
          "--tf",
          transfer_name,
          "--caster",
          "cpu",
          "--memory",
          std::to_string(mib)};
}

nlohmann::json report_header(const MovieRenderArguments& arguments) {
  nlohmann::json report = bench_header(arguments.runs);
  report["side"] = arguments.side;
  report["width_px"] = arguments.width_px;
  report["height_px"] = arguments.height_px;
  report["frames"] = arguments.frames;
  return report;
}

void add_figure(nlohmann::json& report, const std::string& key, const std::vector<double>& values) {
  report[key] = median(values);
  report[key + "_spread"] = median_and_p95(values);
}

class MovieRender {
 public:
  explicit MovieRender(const MovieRenderArguments& arguments)
      : arguments_(arguments), scratch_(arguments.folder) {
    write_wall(file("wall.toml"), arguments);
    write_volume(file("web.nrrd"), arguments.side);
    write_flight(file("flight.toml"), "web.nrrd", arguments.side, arguments.frames);
  }

  nlohmann::json run() {
    std::vector<double> alone_fps;
    std::vector<double> rendered_fps;
    std::vector<double> ratio;
    std::vector<double> cpu_ratio;
    std::vector<double> ranks_ratio;
    for (int i = 0; i < arguments_.runs; ++i) {
      const Cost alone = drawn_alone();
      const Cost one = rendered({});
      const Cost two = rendered({"--ranks", "2"});
      alone_fps.push_back(counted() / alone.wall_s);
      rendered_fps.push_back(counted() / one.wall_s);
      ratio.push_back(alone.wall_s / one.wall_s);
      cpu_ratio.push_back(one.cpu_s / alone.cpu_s);
      ranks_ratio.push_back(two.wall_s / one.wall_s);
    }
    nlohmann::json report = report_header(arguments_);
    report["same_picture"] = is_same_picture();
    add_figure(report, "drawn_alone_fps", alone_fps);
    add_figure(report, "rendered_fps", rendered_fps);
    add_figure(report, "ratio_to_drawn_alone", ratio);
    add_figure(report, "cpu_ratio_to_drawn_alone", cpu_ratio);
    add_figure(report, "two_ranks_time_ratio", ranks_ratio);
    return report;
  }

 private:
  [[nodiscard]] double counted() const { return arguments_.frames - start_frames; }

  [[nodiscard]] fs::path file(const char* name) const { return scratch_.path() / name; }

  [[nodiscard]] rendering::FlightMovie flight() const {
    rendering::FlightMovie flight;
    flight.path_file = file("flight.toml").string();
    flight.path = path::read_path_file(flight.path_file);
    flight.pictures.volume.path = file("web.nrrd").string();
    flight.pictures.volume.memory_bytes = memory_mib << 20;
    flight.pictures.volume.caster = volume::CasterChoice::cpu;
    flight.pictures.size_px = {arguments_.width_px, arguments_.height_px};
    flight.pictures.threads = all_cores();
    scene::VolumeStyle style;
    style.lit = true;
    style.range = render::ValueRange{0, 255};
    style.transfer = *render::named_transfer(transfer_name);
    flight.styles.assign(flight.path.keys.size(),
                         std::make_shared<const scene::VolumeStyle>(style));
    return flight;
  }

  /// Draws the pictures of the movie's frames into memory, one after the other, and returns what
  /// all but the first two cost.
  Cost drawn_alone() {
    const rendering::FlightMovie movie = flight();
    const render::FlightPath path = path::flight_of(movie.path, movie.path_file);
    rendering::FramePainter painter(movie.pictures, [](const std::string&) {});
    for (int i = 0; i < start_frames; ++i) picture(painter, movie, path, i);
    const double cpu_before_s = process_cpu_s();
    const double before_ms = render_now_ms();
    for (int i = start_frames; i < arguments_.frames; ++i) picture(painter, movie, path, i);
    return {(render_now_ms() - before_ms) / 1000, process_cpu_s() - cpu_before_s};
  }

  movie::SharedFrame picture(rendering::FramePainter& painter, const rendering::FlightMovie& movie,
                             const render::FlightPath& path, int frame) {
    return painter.draw(rendering::frame_at(movie, path, frame, painter.timesteps()), {});
  }

  [[nodiscard]] std::vector<std::string> command(const char* output, int frames) const {
    return render_command(file("flight.toml"), file(output), file("wall.toml"), frames, memory_mib);
  }

  /// Renders the movie with these options, and returns what all frames but the first two cost.
  Cost rendered(const std::vector<std::string>& more) {
    Cost cost;
    for (const int frames : {arguments_.frames, start_frames}) {
      std::vector<std::string> words = command("movie", frames);
      words.insert(words.end(), more.begin(), more.end());
      const Cost whole = cost_of(words, file("log"));
      cost = frames == arguments_.frames ? whole : cost - whole;
    }
    return cost;
  }

  /// Returns whether frame 0 of `render --png` has the bytes of the picture that is drawn alone.
  bool is_same_picture() {
    std::vector<std::string> words = command("images", 1);
    words.emplace_back("--png");
    cost_of(words, file("log"));
    const rendering::FlightMovie movie = flight();
    rendering::FramePainter painter(movie.pictures, [](const std::string&) {});
    const movie::SharedFrame drawn =
        picture(painter, movie, path::flight_of(movie.path, movie.path_file), 0);
    const SizePx size = movie.pictures.size_px;
    movie::PictureConverter converter(
        {size,
         {0, 0, static_cast<double>(size.width), static_cast<double>(size.height)},
         {},
         size,
         movie::Chroma::rgb},
        "flight");
    movie::write_png(converter.convert(*drawn), file("drawn.png"));
    return read_text_file(file("drawn.png"), most_png_bytes) ==
           read_text_file(file("images") / "frame-000000.png", most_png_bytes);
  }

  const MovieRenderArguments& arguments_;
  const ScratchFolder scratch_;
};

/// The same flight through bricks of two volumes.
class BrickFlights {
 public:
  explicit BrickFlights(const MovieRenderArguments& arguments)
      : arguments_(arguments), scratch_(arguments.folder) {
    write_wall(scratch_.path() / "wall.toml", arguments);
    for (const int side : {arguments.side, arguments.side / 2}) {
      const fs::path whole = scratch_.path() / "web.nrrd";
      write_volume(whole, side);
      cost_of({own_program("tilewall").string(), "brick", whole.string(), "-o",
               (scratch_.path() / bricks_of(side)).string()},
              log());
      fs::remove(whole);
      write_flight(flight_of(side), bricks_of(side), side, arguments.frames);
    }
  }

  nlohmann::json run() {
    std::vector<double> whole_s;
    std::vector<double> half_s;
    std::vector<double> ratio;
    std::int64_t peak_bytes = 0;
    for (int i = 0; i < arguments_.runs; ++i) {
      const Cost half = rendered(arguments_.side / 2);
      const Cost whole = rendered(arguments_.side);
      whole_s.push_back(whole.wall_s);
      half_s.push_back(half.wall_s);
      ratio.push_back(whole.wall_s / half.wall_s);
      peak_bytes = std::max(peak_bytes, whole.peak_bytes);
    }
    nlohmann::json report = report_header(arguments_);
    report["memory_limit_bytes"] = limit_mib() << 20;
    report["peak_bytes"] = peak_bytes;
    add_figure(report, "whole_s", whole_s);
    add_figure(report, "half_side_s", half_s);
    add_figure(report, "time_ratio_to_half_side", ratio);
    return report;
  }

 private:
  [[nodiscard]] static std::string bricks_of(int side) { return fmt::format("web{}.zarr", side); }
  [[nodiscard]] fs::path flight_of(int side) const {
    return scratch_.path() / fmt::format("flight{}.toml", side);
  }
  [[nodiscard]] fs::path log() const { return scratch_.path() / "log"; }

  /// A quarter of the voxels, of one byte each.
  [[nodiscard]] std::size_t limit_mib() const {
    const auto side = static_cast<std::size_t>(arguments_.side);
    return std::max<std::size_t>(least_brick_memory_mib, side * side * side / 4 >> 20);
  }

  Cost rendered(int side) {
    return cost_of(render_command(flight_of(side), scratch_.path() / "movie",
                                  scratch_.path() / "wall.toml", arguments_.frames, limit_mib()),
                   log());
  }

  const MovieRenderArguments& arguments_;
  const ScratchFolder scratch_;
};

void print_machine(const nlohmann::json& report) {
  fmt::print(
      "{} runs of {} frames, medians; {}, {} cores; commit {}\n", report.at("runs").get<int>(),
      report.at("frames").get<int>(), report.at("machine").at("cpu").get<std::string>(),
      report.at("machine").at("cores").get<unsigned>(), report.at("commit").get<std::string>());
}

void print_brick_flights(const nlohmann::json& report) {
  const auto value = [&report](const char* key) { return report.at(key).get<double>(); };
  const int side = report.at("side").get<int>();
  fmt::print(
      "{}^3 lit, {}x{}, {:.0f} MiB: {:.1f} s; {}^3: {:.1f} s, ratio {:.2f}; at most {:.0f} MB "
      "held\n",
      side, report.at("width_px").get<int>(), report.at("height_px").get<int>(),
      value("memory_limit_bytes") / (1 << 20), value("whole_s"), side / 2, value("half_side_s"),
      value("time_ratio_to_half_side"), value("peak_bytes") / 1e6);
  print_machine(report);
}

void print_movie_render(const nlohmann::json& report) {
  const auto value = [&report](const char* key) { return report.at(key).get<double>(); };
  fmt::print(
      "{0}^3 lit, {1}x{2}: drawn alone {3:.2f} frames/s; rendered {4:.2f}, ratio {5:.3f}; CPU "
      "{6:.3f} "
      "times; two ranks take {7:.3f} of one's time; {8}\n",
      report.at("side").get<int>(), report.at("width_px").get<int>(),
      report.at("height_px").get<int>(), value("drawn_alone_fps"), value("rendered_fps"),
      value("ratio_to_drawn_alone"), value("cpu_ratio_to_drawn_alone"),
      value("two_ranks_time_ratio"),
      report.at("same_picture").get<bool>() ? "the same pictures" : "OTHER PICTURES");
  print_machine(report);
}

command::CommandRun add_movie_render_options(CLI::App& command) {
  auto arguments = std::make_shared<MovieRenderArguments>();
  command.add_option("--side", arguments->side, "voxels along each side of the volume")
      ->check(command::NumberIn(16, 2048))
      ->capture_default_str();
  command.add_option("--width", arguments->width_px, "width of the movie, in pixels")
      ->check(command::NumberIn(16, 16384))
      ->capture_default_str();
  command.add_option("--height", arguments->height_px, "height of the movie, in pixels")
      ->check(command::NumberIn(16, 16384))
      ->capture_default_str();
  command.add_option("--frames", arguments->frames, "frames of the movie")
      ->check(command::NumberIn(4, 10000))
      ->capture_default_str();
  command.add_option("--runs", arguments->runs, "rounds that count")
      ->check(command::NumberIn(1, 1000))
      ->capture_default_str();
  command.add_option("--folder", arguments->folder, "where volume and movie are for a while");
  command.add_flag("--bricks", arguments->bricks,
                   "instead, movies through bricks of it and of a volume of half its side, with a "
                   "quarter of its voxels as memory");
  command.add_flag("--json", arguments->json, "one JSON object on stdout");
  command.footer("Example: tilewall bench movie-render --side 1024 --json");
  return [arguments] {
    const nlohmann::json report =
        arguments->bricks ? BrickFlights(*arguments).run() : MovieRender(*arguments).run();
    if (arguments->json)
      fmt::print("{}\n", report.dump());
    else if (arguments->bricks)
      print_brick_flights(report);
    else
      print_movie_render(report);
    return exit_done;
  };
}

}  // namespace

Benchmark movie_render_benchmark() {
  return {"movie-render", "A movie of a flight against its pictures drawn alone",
          add_movie_render_options};
}

}  // namespace tilewall::bench
