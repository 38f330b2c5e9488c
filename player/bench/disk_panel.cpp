#include <unistd.h>

#include <chrono>
#include <vector>

#include "player/bench/common.hpp"
#include "player/bench/content.hpp"
#include "player/bench/disk_reading.hpp"
#include "player/movie/frames/block_layout.hpp"
#include "player/movie/frames/frame_writer.hpp"
#include "player/movie/frames/wall_movie.hpp"
#include "player/picture/picture_source.hpp"
#include "sync/base/error.hpp"

namespace tilewall::bench {
namespace {

constexpr SizePx panel_px{2560, 1600};
constexpr int frames = 16;

movie::MovieManifest write_panel_movie(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  const std::vector<RectF> shares = {{0, 0, 2560, 1600}, {2560, 0, 2560, 1600}};
  movie::MovieManifest movie;
  movie.size_px = {2 * panel_px.width, panel_px.height};
  movie.frames = frames;
  movie.quality = bench_jpeg_quality;
  movie.block_px = movie::choose_block_px(movie.size_px, shares);
  movie.levels = movie::pyramid_levels(movie.size_px, movie.block_px);
  movie.order = movie::BlockOrder::panels;
  movie.complete = true;
  movie::save_manifest(folder, movie);
  const movie::PlanarPicture picture =
      repeated(make_bench_picture(BenchContent::photographic, movie::Chroma::yuv420, panel_px),
               movie.size_px);
  movie::FrameWriter writer(movie, panel_px);
  for (int frame = 0; frame < frames; ++frame)
    writer.write(picture, folder / movie::frame_file_name(frame));
  ::sync();  // pages that are not on the disk yet cannot be dropped
  return movie;
}

void drop_movie(const std::filesystem::path& folder) {
  for (int frame = 0; frame < frames; ++frame)
    drop_from_page_cache(folder / movie::frame_file_name(frame));
}

double draw_all_fps(picture::PictureSource& source, const ImageView& picture, bool read_ahead) {
  const RectF panel{0, 0, double(panel_px.width), double(panel_px.height)};
  const auto start = std::chrono::steady_clock::now();
  for (int frame = 0; frame < frames; ++frame) {
    const std::int64_t next = frame + 1;
    if (read_ahead && next < frames) source.expect({&next, 1});
    if (source.draw(frame, {panel, panel}, picture, nullptr) != picture::DrawStatus::whole)
      throw JobError("bench disk: a frame of the benchmark's own movie came back damaged");
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  return frames / took.count();
}

}  // namespace

PanelFromDisk measure_panel_from_disk(const std::filesystem::path& folder, int runs) {
  write_panel_movie(folder);
  const auto source = movie::open_wall_movie(folder, 1);
  const std::size_t stride_bytes = std::size_t{4} * panel_px.width;
  std::vector<std::uint8_t> pixels(stride_bytes * panel_px.height);
  const ImageView picture{pixels.data(), panel_px, stride_bytes};
  draw_all_fps(*source, picture, false);  // does not count
  std::vector<double> cached, cold, ahead;
  for (int run = 0; run < runs; ++run) {
    cached.push_back(draw_all_fps(*source, picture, false));
    drop_movie(folder);
    cold.push_back(draw_all_fps(*source, picture, false));
    drop_movie(folder);
    ahead.push_back(draw_all_fps(*source, picture, true));
  }
  return {median(cached), median(cold), median(ahead)};
}

}  // namespace tilewall::bench
