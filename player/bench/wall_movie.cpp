#include <algorithm>
#include <cstring>

#include "player/bench/content.hpp"
#include "player/bench/wall_parts.hpp"
#include "player/movie/convert/movie_size.hpp"
#include "player/movie/frames/block_layout.hpp"
#include "player/movie/frames/frame_writer.hpp"

namespace tilewall::bench {
namespace {

/// Makes frame `frame` differ on every panel: a patch in each panel's corner gets another gray.
void mark(movie::PlanarPicture& picture, SizePx panel, int frame) {
  constexpr int patch_px = 64;
  for (int y = 0; y < picture.size_px.height; ++y) {
    if (y % panel.height >= patch_px) continue;
    for (int x = 0; x < picture.size_px.width; x += panel.width)
      std::memset(picture.planes[0].row(y) + x, (frame * 37) % 256,
                  static_cast<std::size_t>(std::min(patch_px, picture.size_px.width - x)));
  }
}

}  // namespace

void write_bench_movie(const wall::Wall& wall, wall::BezelMode bezels, int frames,
                       const std::filesystem::path& folder) {
  const SizePx panel = wall.panels.front().viewed_size_px();
  movie::MovieManifest movie;
  movie.size_px = wall::Canvas(wall, bezels).size_px();
  movie.frames = frames;
  movie.quality = bench_movie_quality;
  movie.block_px =
      movie::choose_block_px(movie.size_px, movie::wall_target_of(wall, bezels).panels_px);
  movie.levels = movie::pyramid_levels(movie.size_px, movie.block_px);
  movie.order = movie::BlockOrder::panels;
  movie.source = "bench wall";
  movie.complete = true;
  const movie::PlanarPicture tile =
      make_bench_picture(BenchContent::photographic, movie::Chroma::yuv420,
                         {std::max(2, panel.width / 2 * 2), std::max(2, panel.height / 2 * 2)});
  movie::PlanarPicture picture = repeated(tile, movie.size_px);
  movie::FrameWriter writer(movie, panel);
  for (int frame = 0; frame < frames; ++frame) {
    mark(picture, panel, frame);
    writer.write(picture, folder / movie::frame_file_name(frame));
  }
  movie::save_manifest(folder, movie);
}

}  // namespace tilewall::bench
