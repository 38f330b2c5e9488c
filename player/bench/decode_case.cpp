#include "player/bench/decode_case.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <functional>

#include "player/bench/common.hpp"
#include "player/movie/codecs/jpeg_codec.hpp"
#include "player/movie/frames/block_layout.hpp"
#include "player/movie/frames/frame_index.hpp"
#include "player/movie/frames/frame_writer.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/frames/wall_movie.hpp"
#include "player/picture/picture_source.hpp"
#include "sync/base/check.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::bench {
namespace {

constexpr int movie_frames = 2;  // drawn in turn
// Blocks differ from one JPEG only in chroma along their edges.
constexpr double least_psnr_db = 40;
constexpr SizePx grid{5, 3};
constexpr PointPx middle{2, 1};  // column and row of the panel that is drawn
constexpr int bezel_px = 184;    // 46 mm between the lit areas of wallconfigs/5x3.toml

/// A 5x3 wall with that many pixels hidden between its panels.
struct WallCase {
  int gap_px = 0;

  [[nodiscard]] SizePx movie_px() const {
    return {grid.width * bench_panel_px.width + (grid.width - 1) * gap_px,
            grid.height * bench_panel_px.height + (grid.height - 1) * gap_px};
  }
  [[nodiscard]] RectF share_px(PointPx at) const {
    return {double(at.x) * (bench_panel_px.width + gap_px),
            double(at.y) * (bench_panel_px.height + gap_px), double(bench_panel_px.width),
            double(bench_panel_px.height)};
  }
};

/// The manifest that `import` makes for that wall.
movie::MovieManifest bench_manifest(movie::Chroma chroma, const WallCase& wall) {
  std::vector<RectF> shares;
  for (int row = 0; row < grid.height; ++row)
    for (int column = 0; column < grid.width; ++column)
      shares.push_back(wall.share_px({column, row}));
  movie::MovieManifest movie;
  movie.size_px = wall.movie_px();
  movie.frames = movie_frames;
  movie.chroma = chroma;
  movie.quality = bench_jpeg_quality;
  movie.block_px = movie::choose_block_px(movie.size_px, shares);
  movie.levels = movie::pyramid_levels(movie.size_px, movie.block_px);
  movie.order = movie::BlockOrder::panels;
  movie.complete = true;
  return movie;
}

movie::MovieManifest write_movie(const movie::PlanarPicture& panel, const WallCase& wall,
                                 const std::filesystem::path& folder) {
  movie::MovieManifest movie = bench_manifest(panel.chroma, wall);
  std::filesystem::create_directories(folder);
  movie::save_manifest(folder, movie);
  const movie::PlanarPicture whole = repeated(panel, movie.size_px);
  movie::FrameWriter writer(movie, bench_panel_px);
  for (int frame = 0; frame < movie_frames; ++frame)
    writer.write(whole, folder / movie::frame_file_name(frame));
  return movie;
}

template <typename Work>
void time_into(DecodeTimes& times, Work&& work) {
  const double cpu_s = process_cpu_s();
  const auto start = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  times.wall_s.push_back(took.count());
  times.cpu_s.push_back(process_cpu_s() - cpu_s);
}

void drop_first_round(DecodeTimes& times) {
  times.wall_s.erase(times.wall_s.begin());
  times.cpu_s.erase(times.cpu_s.begin());
}

double mean_bytes_per_px(const movie::MovieManifest& movie, const std::filesystem::path& file) {
  const UniqueFd fd = open_for_reading(file);
  movie::FrameIndex index;
  if (!index.load(fd.get(), movie, 0)) throw JobError(file.string() + ": " + index.problem());
  double bytes = 0;
  for (const movie::BlockPlace& place : index.blocks()) bytes += place.size_bytes;
  return bytes / movie.size_px.width / movie.size_px.height;
}

double read_amplification(std::uint64_t read_bytes, double bytes_per_px) {
  const double visible_px = double{bench_panel_px.width} * bench_panel_px.height;
  return static_cast<double>(read_bytes) / (visible_px * bytes_per_px);
}

double psnr_db(const movie::SampleVector& a, const movie::SampleVector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = a[i] - b[i];
    sum += difference * difference;
  }
  return sum == 0 ? 99 : 10 * std::log10(255.0 * 255 * static_cast<double>(a.size()) / sum);
}

// The ways to decode one panel, each into a picture of its own.
class PanelDecoding {
 public:
  PanelDecoding(const std::filesystem::path& abutting, const std::filesystem::path& hidden,
                const movie::PlanarPicture& panel)
      : jpeg_bytes_(movie::encode_jpeg(panel, bench_jpeg_quality)),
        one_thread_(movie::open_wall_movie(abutting, 1)),
        two_threads_(movie::open_wall_movie(abutting, 2)),
        hidden_bezels_(movie::open_wall_movie(hidden, 1)) {}

  void decode_jpeg() {
    const SizePx size = bench_panel_px;
    TW_CHECK(jpeg_.to_bgrx(jpeg_bytes_,
                           {expected_.data(), size, static_cast<std::size_t>(size.width) * 4}));
  }
  void draw_blocks(int frame) { draw(*one_thread_, frame, WallCase{0}); }
  void draw_blocks_2(int frame) { draw(*two_threads_, frame, WallCase{0}); }
  void draw_hidden_bezels(int frame) { draw(*hidden_bezels_, frame, WallCase{bezel_px}); }
  [[nodiscard]] double psnr() const { return psnr_db(drawn_, expected_); }
  [[nodiscard]] std::uint64_t read_bytes() const { return one_thread_->counters().read_bytes; }
  [[nodiscard]] std::uint64_t hidden_read_bytes() const {
    return hidden_bezels_->counters().read_bytes;
  }

 private:
  void draw(picture::PictureSource& source, int frame, const WallCase& wall) {
    const SizePx size = bench_panel_px;
    const RectF shown = wall.share_px(middle);
    const RectF whole{0, 0, double(size.width), double(size.height)};
    const ImageView picture{drawn_.data(), size, static_cast<std::size_t>(size.width) * 4};
    if (source.draw(frame, {shown, whole}, picture, nullptr) != picture::DrawStatus::whole)
      throw JobError("bench decode: a frame of the benchmark's own movie came back damaged");
  }

  static constexpr std::size_t picture_bytes =
      std::size_t{bench_panel_px.width} * bench_panel_px.height * 4;
  std::vector<std::uint8_t> jpeg_bytes_;
  movie::JpegDecoder jpeg_;
  std::unique_ptr<picture::PictureSource> one_thread_;
  std::unique_ptr<picture::PictureSource> two_threads_;
  std::unique_ptr<picture::PictureSource> hidden_bezels_;
  movie::SampleVector expected_ = movie::SampleVector(picture_bytes);
  movie::SampleVector drawn_ = movie::SampleVector(picture_bytes);
};

void run_rounds(PanelDecoding& panel, int runs, DecodeCase& result) {
  for (int round = 0; round <= runs; ++round) {
    const int frame = round % movie_frames;
    time_into(result.turbojpeg, [&] { panel.decode_jpeg(); });
    time_into(result.blocks, [&] { panel.draw_blocks(frame); });
    time_into(result.blocks_2, [&] { panel.draw_blocks_2(frame); });
    time_into(result.hidden_bezels, [&] { panel.draw_hidden_bezels(frame); });
  }
  for (DecodeTimes* times :
       {&result.turbojpeg, &result.blocks, &result.blocks_2, &result.hidden_bezels})
    drop_first_round(*times);
}

}  // namespace

DecodeCase run_decode_case(BenchContent content, movie::Chroma chroma, int runs,
                           const std::filesystem::path& folder) {
  const movie::PlanarPicture panel = make_bench_picture(content, chroma, bench_panel_px);
  const std::filesystem::path abutting = folder / "abutting";
  const std::filesystem::path hidden = folder / "hidden-bezels";
  const movie::MovieManifest movie = write_movie(panel, WallCase{0}, abutting);
  const movie::MovieManifest hidden_movie = write_movie(panel, WallCase{bezel_px}, hidden);
  DecodeCase result;
  result.name =
      fmt::format("{}_{}", content == BenchContent::photographic ? "photographic" : "false_colour",
                  chroma == movie::Chroma::yuv420 ? "420" : "444");
  result.bytes_per_px = mean_bytes_per_px(movie, abutting / movie::frame_file_name(0));
  result.hidden_block_px = hidden_movie.block_px;
  PanelDecoding decoding(abutting, hidden, panel);
  decoding.decode_jpeg();
  decoding.draw_hidden_bezels(0);
  result.hidden_read_amplification =
      read_amplification(decoding.hidden_read_bytes(),
                         mean_bytes_per_px(hidden_movie, hidden / movie::frame_file_name(0)));
  decoding.draw_blocks(0);
  result.read_amplification = read_amplification(decoding.read_bytes(), result.bytes_per_px);
  result.jpeg_psnr_db = decoding.psnr();
  if (result.jpeg_psnr_db < least_psnr_db)
    throw JobError(fmt::format("bench decode: {}: blocks and JPEG differ: {:.1f} dB", result.name,
                               result.jpeg_psnr_db));
  run_rounds(decoding, runs, result);
  return result;
}

}  // namespace tilewall::bench
