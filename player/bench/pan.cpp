// tilewall bench pan: what a picture costs while a view moves over a frame that stays, with its
// decoded blocks kept and without, beside a plain copy of the picture in the same run.
//
//   $ tilewall bench pan
//   2560x1600, one thread, 4:2:0; 30 pictures each, medians, 60 a second are 16.7 ms
//   view                             kept cpu ms  not kept   memcpy
//   whole pixels                            4.41     30.42     1.28
//   between pixels                         13.21     38.90     1.29
//   (and so on)
#include <fmt/format.h>

#include <cstring>
#include <functional>
#include <memory>

#include "player/bench/benchmarks.hpp"
#include "player/bench/common.hpp"
#include "player/bench/content.hpp"
#include "player/command/number_check.hpp"
#include "player/movie/frames/block_layout.hpp"
#include "player/movie/frames/frame_writer.hpp"
#include "player/movie/frames/wall_movie.hpp"
#include "player/picture/picture_source.hpp"
#include "sync/base/error.hpp"

namespace tilewall::bench {
namespace {

constexpr SizePx picture_px{2560, 1600};
constexpr SizePx movie_px{7680, 4800};
constexpr std::size_t picture_bytes = std::size_t{4} * picture_px.width * picture_px.height;

struct BenchPanArguments {
  bool json = false;
  int runs = 30;
  int threads = 1;
  std::string folder;  // where the movie is written; "" = the system's temporary folder
};

/// A pan: every picture another view.
struct PanCase {
  const char* name;
  double scale;    // movie pixels to a pixel of the picture
  PointF step_px;  // step of the view in the movie, from picture to picture
};
constexpr PanCase cases[] = {{"whole pixels", 1, {7, 3}},
                             {"between pixels", 1, {7.3, 3.1}},
                             {"shrunk by 1.5", 1.5, {7.3, 3.1}},
                             {"shrunk by 1.95", 1.95, {7.3, 3.1}},
                             {"enlarged by 2", 0.5, {3.7, 1.6}}};

void write_pan_movie(const std::filesystem::path& folder) {
  movie::MovieManifest movie;
  movie.size_px = movie_px;
  movie.frames = 1;
  movie.chroma = movie::Chroma::yuv420;
  movie.quality = bench_jpeg_quality;
  movie.block_px = movie::choose_block_px(movie_px, {});
  movie.levels = movie::pyramid_levels(movie_px, movie.block_px);
  movie.complete = true;
  movie::save_manifest(folder, movie);
  const movie::PlanarPicture tile =
      make_bench_picture(BenchContent::photographic, movie::Chroma::yuv420, picture_px);
  movie::FrameWriter(movie, {}).write(repeated(tile, movie_px), folder / movie::frame_file_name(0));
}

class Panner {
 public:
  Panner(const std::filesystem::path& folder, const BenchPanArguments& arguments)
      : runs_(arguments.runs),
        kept_(movie::open_wall_movie(folder, arguments.threads)),
        fresh_(movie::open_wall_movie(folder, arguments.threads)) {
    picture::DrawParameters parameters;
    parameters.keep = true;
    kept_->set_parameters(parameters);
  }

  /// Measures by turns: a picture of kept blocks, one decoded anew, a copy.
  nlohmann::json measure(const PanCase& pan) {
    for (int i = 0; i < runs_; ++i)
      draw(*kept_, pan, i, kept_picture_);  // from here on all blocks are kept
    const std::uint64_t decoded_px = kept_->counters().decoded_px;
    std::vector<double> kept_ms;
    std::vector<double> fresh_ms;
    std::vector<double> memcpy_ms;
    for (int i = 0; i < runs_; ++i) {
      kept_ms.push_back(cpu_ms([&] { draw(*kept_, pan, i, kept_picture_); }));
      fresh_ms.push_back(cpu_ms([&] { draw(*fresh_, pan, i, fresh_picture_); }));
      if (kept_picture_ != fresh_picture_)
        throw JobError("bench pan: a picture of kept blocks is not the one that is decoded anew");
      memcpy_ms.push_back(
          cpu_ms([&] { std::memcpy(copy_.data(), kept_picture_.data(), picture_bytes); }));
    }
    if (kept_->counters().decoded_px != decoded_px)
      throw JobError("bench pan: blocks that are kept were decoded again");
    return {{"view", pan.name},
            {"kept_cpu_ms", median_and_p95(kept_ms)},
            {"fresh_cpu_ms", median_and_p95(fresh_ms)},
            {"memcpy_cpu_ms", median_and_p95(memcpy_ms)}};
  }

 private:
  static double cpu_ms(const std::function<void()>& work) {
    const double before_s = process_cpu_s();
    work();
    return (process_cpu_s() - before_s) * 1e3;
  }

  static void draw(picture::PictureSource& source, const PanCase& pan, int i,
                   movie::SampleVector& picture) {
    const RectF shown{100 + i * pan.step_px.x, 100 + i * pan.step_px.y,
                      picture_px.width * pan.scale, picture_px.height * pan.scale};
    const RectF whole{0, 0, double{picture_px.width}, double{picture_px.height}};
    const ImageView view{picture.data(), picture_px, std::size_t{4} * picture_px.width};
    if (source.draw(0, {shown, whole}, view, nullptr) != picture::DrawStatus::whole)
      throw JobError("bench pan: the benchmark's own movie came back damaged");
  }

  const int runs_;
  std::unique_ptr<picture::PictureSource> kept_;
  std::unique_ptr<picture::PictureSource> fresh_;
  movie::SampleVector kept_picture_ = movie::SampleVector(picture_bytes);
  movie::SampleVector fresh_picture_ = movie::SampleVector(picture_bytes);
  movie::SampleVector copy_ = movie::SampleVector(picture_bytes);
};

void print_pan_table(const nlohmann::json& report) {
  fmt::print("{}x{}, {} thread(s), 4:2:0; {} pictures each, medians; 60 a second are 16.7 ms\n",
             picture_px.width, picture_px.height, report.at("threads").get<int>(),
             report.at("runs").get<int>());
  fmt::print("{:<16} {:>12} {:>12} {:>12}\n", "view", "kept cpu ms", "not kept", "memcpy");
  const auto median_of = [](const nlohmann::json& row, const char* key) {
    return row.at(key).at("median").get<double>();
  };
  for (const auto& row : report.at("rows"))
    fmt::print("{:<16} {:>12.2f} {:>12.2f} {:>12.2f}\n", row.at("view").get<std::string>(),
               median_of(row, "kept_cpu_ms"), median_of(row, "fresh_cpu_ms"),
               median_of(row, "memcpy_cpu_ms"));
  fmt::print("{}; commit {}\n", report.at("machine").at("cpu").get<std::string>(),
             report.at("commit").get<std::string>());
}

int run_bench_pan(const BenchPanArguments& arguments) {
  const ScratchFolder folder(arguments.folder);
  write_pan_movie(folder.path());
  Panner panner(folder.path(), arguments);
  nlohmann::json report = bench_header(arguments.runs);
  report["threads"] = arguments.threads;
  report["picture_width_px"] = picture_px.width;
  report["picture_height_px"] = picture_px.height;
  for (const PanCase& pan : cases) report["rows"].push_back(panner.measure(pan));
  if (arguments.json)
    fmt::print("{}\n", report.dump());
  else
    print_pan_table(report);
  return exit_done;
}

command::CommandRun add_pan_options(CLI::App& command) {
  auto arguments = std::make_shared<BenchPanArguments>();
  command.add_flag("--json", arguments->json, "one JSON object on stdout");
  command.add_option("--runs", arguments->runs, "pictures of each view")
      ->check(command::NumberIn(1, 60))
      ->capture_default_str();
  command.add_option("--threads", arguments->threads, "threads that draw")
      ->check(command::NumberIn(1, 64))
      ->capture_default_str();
  command.add_option("--folder", arguments->folder, "where the movie is written for the run");
  command.footer("Example: tilewall bench pan --json");
  return [arguments] { return run_bench_pan(*arguments); };
}

}  // namespace

Benchmark pan_benchmark() {
  return {"pan", "A view that moves over a frame that stays: its blocks kept, and decoded anew",
          add_pan_options};
}

}  // namespace tilewall::bench
