#include "tests/support/numbered_movie.hpp"

#include <xxhash.h>

#include <cstring>
#include <vector>

#include "player/movie/frames/frame_writer.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/picture/bgrx.hpp"
#include "render/sync_strip.hpp"

namespace tilewall::test {

using namespace movie;
using namespace picture;
using namespace render;
namespace {

constexpr SizePx block_px = {64, 48};
constexpr Bgrx black = {0, 0, 0, 255};

std::uint8_t level(int value) { return static_cast<std::uint8_t>(value & 255); }

PlanarPicture planes_of(const TestPicture& picture) {
  const ImageView view = picture.view();
  PlanarPicture planes(view.size_px, Chroma::rgb);
  for (int y = 0; y < view.size_px.height; ++y)
    unpack_bgrx_row(view.row(y), planes.planes[0].row(y), planes.planes[1].row(y),
                    planes.planes[2].row(y), view.size_px.width);
  return planes;
}

}  // namespace

TestPicture numbered_picture(SizePx size_px, std::int64_t number) {
  TestPicture picture(size_px);
  const int shift = static_cast<int>(number) * 11;
  for (int y = 0; y < size_px.height; ++y)
    for (int x = 0; x < size_px.width; ++x) {
      const Bgrx pixel = {level(3 * x + shift), level(5 * y - shift), level(x + 2 * y + shift),
                          255};
      std::memcpy(picture.view().pixel(x, y), pixel.data(), 4);
    }
  paint_count_code(number, picture.view());
  return picture;
}

void write_numbered_movie(const std::filesystem::path& folder, SizePx size_px, int frames) {
  write_numbered_frames(folder, size_px, 0, frames, true);
}

void write_numbered_frames(const std::filesystem::path& folder, SizePx size_px, int first, int end,
                           bool complete) {
  std::filesystem::create_directories(folder);
  MovieManifest movie;
  movie.size_px = size_px;
  movie.frames = end;
  movie.chroma = Chroma::rgb;
  movie.compression = BlockCompression::deflate;
  movie.block_px = block_px;
  movie.levels = pyramid_levels(size_px, block_px);
  movie.complete = complete;
  FrameWriter writer(movie, {});
  for (std::int64_t frame = first; frame < end; ++frame)
    writer.write(planes_of(numbered_picture(size_px, frame)), folder / frame_file_name(frame));
  save_manifest(folder, movie);
}

TestPicture cropped(const TestPicture& picture, PointPx at, SizePx size_px) {
  const ImageView from = picture.view();
  TestPicture part(size_px);
  for (int y = 0; y < size_px.height; ++y)
    for (int x = 0; x < size_px.width; ++x) {
      const PointPx source = {at.x + x, at.y + y};
      const bool inside = source.x >= 0 && source.y >= 0 && source.x < from.size_px.width &&
                          source.y < from.size_px.height;
      std::memcpy(part.view().pixel(x, y), inside ? from.pixel(source.x, source.y) : black.data(),
                  4);
    }
  return part;
}

std::uint64_t hash_of(const TestPicture& picture) {
  const ImageView view = picture.view();
  const auto row_bytes = static_cast<std::size_t>(view.size_px.width) * 4;
  std::vector<std::uint8_t> rows;
  for (int y = 0; y < view.size_px.height; ++y)
    rows.insert(rows.end(), view.row(y), view.row(y) + row_bytes);
  for (std::size_t x = 3; x < rows.size(); x += 4) rows[x] = 255;
  return XXH3_64bits(rows.data(), rows.size());
}

}  // namespace tilewall::test
