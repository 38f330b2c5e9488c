#include <algorithm>
#include <cstring>

#include "player/bench/content.hpp"
#include "player/bench/wall_parts.hpp"
#include "player/movie/convert/movie_size.hpp"
#include "player/movie/frames/block_layout.hpp"
#include "player/movie/frames/frame_writer.hpp"

namespace tilewall {
namespace {

/// Makes frame `frame` another picture on every panel: a patch of another gray in each panel's
/// corner.
void mark(PlanarPicture& picture, SizePx panel, int frame) {
  constexpr int patch_px = 64;
  for (int y = 0; y < picture.size_px.height; ++y) {
    if (y % panel.height >= patch_px) continue;
    for (int x = 0; x < picture.size_px.width; x += panel.width)
      std::memset(picture.planes[0].row(y) + x, (frame * 37) % 256,
                  static_cast<std::size_t>(std::min(patch_px, picture.size_px.width - x)));
  }
}

}  // namespace

void write_bench_movie(const Wall& wall, BezelMode bezels, int frames,
                       const std::filesystem::path& folder) {
  const SizePx panel = wall.panels.front().viewed_size_px();
  MovieManifest movie;
  movie.size_px = Canvas(wall, bezels).size_px();
  movie.frames = frames;
  movie.quality = bench_movie_quality;
  movie.block_px = choose_block_px(movie.size_px, wall_target_of(wall, bezels).panels_px);
  movie.levels = pyramid_levels(movie.size_px, movie.block_px);
  movie.order = BlockOrder::panels;
  movie.source = "bench wall";
  movie.complete = true;
  const PlanarPicture tile =
      make_bench_picture(BenchContent::photographic, Chroma::yuv420,
                         {std::max(2, panel.width / 2 * 2), std::max(2, panel.height / 2 * 2)});
  PlanarPicture picture = repeated(tile, movie.size_px);
  FrameWriter writer(movie, panel);
  for (int frame = 0; frame < frames; ++frame) {
    mark(picture, panel, frame);
    writer.write(picture, folder / frame_file_name(frame));
  }
  save_manifest(folder, movie);
}

}  // namespace tilewall
