// What the tests of wall movies share: pictures whose every pixel is known, and their movies.
#pragma once

#include <cmath>
#include <random>

#include "player/movie/frames/block_layout.hpp"
#include "player/movie/frames/frame_writer.hpp"
#include "player/movie/frames/manifest.hpp"
#include "player/movie/frames/wall_movie.hpp"
#include "player/picture/picture_source.hpp"
#include "tests/support/temporary_folder.hpp"

namespace tilewall::test {

/// Smooth waves of another frequency in each plane, so that JPEG keeps them well and a shift shows.
inline movie::PlanarPicture wave_picture(SizePx size, movie::Chroma chroma) {
  movie::PlanarPicture picture(size, chroma);
  for (std::size_t p = 0; p < picture.planes.size(); ++p) {
    movie::Plane& plane = picture.planes[p];
    const double step = 0.02 + 0.01 * static_cast<double>(p);
    const double full = static_cast<double>(size.width) / plane.size_px.width;
    for (int y = 0; y < plane.size_px.height; ++y)
      for (int x = 0; x < plane.size_px.width; ++x)
        plane.row(y)[x] = static_cast<std::uint8_t>(128 + 50 * std::sin(x * full * step) +
                                                    50 * std::cos(y * full * step * 1.3));
  }
  return picture;
}

inline movie::PlanarPicture noise_picture(SizePx size, movie::Chroma chroma, unsigned seed) {
  movie::PlanarPicture picture(size, chroma);
  std::mt19937 random(seed);
  for (movie::Plane& plane : picture.planes)
    for (int y = 0; y < plane.size_px.height; ++y)
      for (int x = 0; x < plane.size_px.width; ++x)
        plane.row(y)[x] = static_cast<std::uint8_t>(random());
  return picture;
}

inline movie::MovieManifest movie_of(SizePx size, movie::Chroma chroma, SizePx block) {
  movie::MovieManifest movie;
  movie.size_px = size;
  movie.frames = 1;
  movie.chroma = chroma;
  movie.compression = movie::can_hold(movie::BlockCompression::jpeg, chroma)
                          ? movie::BlockCompression::jpeg
                          : movie::BlockCompression::deflate;
  movie.quality = 95;
  movie.block_px = block;
  movie.levels = movie::pyramid_levels(size, block);
  movie.complete = true;
  return movie;
}

inline RectF whole(SizePx size) {
  return {0, 0, static_cast<double>(size.width), static_cast<double>(size.height)};
}

/// One pixel for one, the movie's (x, y) in the picture's corner.
inline picture::Placement crop_at(double x, double y, SizePx size) {
  return {{x, y, double(size.width), double(size.height)}, whole(size)};
}

/// A wall movie of one frame, in a folder of its own.
struct Movie {
  TemporaryFolder folder;
  movie::MovieManifest manifest;

  Movie(const movie::MovieManifest& movie, const movie::PlanarPicture& picture,
        SizePx panel_px = {})
      : manifest(movie) {
    movie::save_manifest(folder.path(), movie);
    movie::FrameWriter(movie, panel_px).write(picture, file());
  }
  Movie(SizePx size, movie::Chroma chroma, SizePx block)
      : Movie(movie_of(size, chroma, block), wave_picture(size, chroma)) {}
  [[nodiscard]] std::filesystem::path file() const {
    return folder.path() / movie::frame_file_name(0);
  }
  [[nodiscard]] std::unique_ptr<picture::PictureSource> open() const {
    return movie::open_wall_movie(folder.path(), 2);
  }
};

inline double psnr_db(double squared_error, double samples) {
  return squared_error == 0 ? 99 : 10 * std::log10(255.0 * 255.0 * samples / squared_error);
}

inline double plane_psnr_db(const movie::Plane& a, const movie::Plane& b) {
  double sum = 0;
  for (int y = 0; y < a.size_px.height; ++y)
    for (int x = 0; x < a.size_px.width; ++x) {
      const double difference = a.row(y)[x] - b.row(y)[x];
      sum += difference * difference;
    }
  return psnr_db(sum, static_cast<double>(a.size_px.width) * a.size_px.height);
}

}  // namespace tilewall::test
