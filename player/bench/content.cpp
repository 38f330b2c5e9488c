#include "player/bench/content.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "player/movie/frames/scaler.hpp"

namespace tilewall::bench {
namespace {

// A field of heights about [-1, 1], row by row.
using Field = std::vector<float>;

// A random value in [-1, 1] for each point of each octave's lattice (Wang's integer hash).
float lattice_value(std::uint32_t x, std::uint32_t y, std::uint32_t octave) {
  std::uint32_t h = x * 0x9e3779b1U ^ y * 0x85ebca77U ^ octave * 0xc2b2ae3dU;
  h = (h ^ 61U ^ h >> 16U) * 9U;
  h = (h ^ h >> 4U) * 0x27d4eb2dU;
  h ^= h >> 15U;
  return static_cast<float>(h & 0xffffffU) / static_cast<float>(0x7fffff) - 1.0F;
}

float smooth_step(float t) { return t * t * (3 - 2 * t); }

void add_octave(Field& field, SizePx size, int cell_px, float amplitude) {
  const auto octave = static_cast<std::uint32_t>(cell_px);
  const float step = 1.0F / static_cast<float>(cell_px);
  const auto columns = static_cast<std::size_t>(size.width / cell_px) + 2;
  std::vector<float> upper(columns);
  std::vector<float> lower(columns);
  for (int y = 0; y < size.height; ++y) {
    const auto row = static_cast<std::uint32_t>(y / cell_px);
    if (y % cell_px == 0)
      for (std::size_t c = 0; c < columns; ++c) {
        upper[c] = lattice_value(static_cast<std::uint32_t>(c), row, octave);
        lower[c] = lattice_value(static_cast<std::uint32_t>(c), row + 1, octave);
      }
    const float v = smooth_step(static_cast<float>(y % cell_px) * step);
    float* out = field.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width);
    for (int x = 0; x < size.width; ++x) {
      const auto c = static_cast<std::size_t>(x / cell_px);
      const float u = smooth_step(static_cast<float>(x % cell_px) * step);
      const float left = upper[c] + v * (lower[c] - upper[c]);
      const float right = upper[c + 1] + v * (lower[c + 1] - upper[c + 1]);
      out[x] += amplitude * (left + u * (right - left));
    }
  }
}

// Octaves from `coarsest_px` cells down to `finest_px`; each half as wide weighs `persistence` of
// the last.
Field fractal_field(SizePx size, int coarsest_px, int finest_px, float persistence) {
  Field field(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height));
  float amplitude = 0.5F;
  for (int cell = coarsest_px; cell >= finest_px; cell /= 2, amplitude *= persistence)
    add_octave(field, size, cell, amplitude);
  return field;
}

struct Rgb {
  float red;
  float green;
  float blue;  // each in [0, 255]
};

std::uint8_t sample(float value) {
  return static_cast<std::uint8_t>(std::clamp(value + 0.5F, 0.0F, 255.0F));
}

// BT.601, full range.
void store(const Rgb& c, int x, int y, movie::PlanarPicture& picture) {
  picture.planes[0].row(y)[x] = sample(0.299F * c.red + 0.587F * c.green + 0.114F * c.blue);
  picture.planes[1].row(y)[x] =
      sample(128 - 0.168736F * c.red - 0.331264F * c.green + 0.5F * c.blue);
  picture.planes[2].row(y)[x] =
      sample(128 + 0.5F * c.red - 0.418688F * c.green - 0.081312F * c.blue);
}

template <typename Colour>
movie::PlanarPicture coloured(const Field& field, SizePx size, Colour&& colour) {
  movie::PlanarPicture picture(size, movie::Chroma::yuv444);
  const auto width = static_cast<std::size_t>(size.width);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x) {
      const std::size_t at = static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x);
      const std::size_t before = x > 0 ? at - 1 : at;
      store(colour(field[at], field[at] - field[before]), x, y, picture);
    }
  return picture;
}

movie::PlanarPicture terrain(SizePx size) {
  constexpr float persistence = 0.65F;
  constexpr float relief = 2050;  // gray levels per unit of slope
  return coloured(fractal_field(size, 512, 2, persistence), size, [](float height, float slope) {
    const float light = 120 + 70 * height + relief * slope;
    const float green = std::clamp(height + 0.5F, 0.0F, 1.0F);
    return Rgb{light * (1.1F - 0.25F * green), light, light * (0.9F - 0.4F * green)};
  });
}

movie::PlanarPicture rainbow(SizePx size) {
  constexpr float turns = 1.8F;  // through the hues from the lowest to the highest value
  return coloured(fractal_field(size, 256, 16, 0.45F), size, [](float value, float) {
    const auto channel = [&](float phase) {
      return 127.5F + 127.5F * std::cos(6.2831853F * (turns * value + phase));
    };
    return Rgb{channel(0), channel(1.0F / 3), channel(2.0F / 3)};
  });
}

movie::PlanarPicture with_halved_chroma(movie::PlanarPicture full) {
  movie::PlanarPicture picture;
  picture.size_px = full.size_px;
  picture.chroma = movie::Chroma::yuv420;
  const movie::PlanarPicture half = movie::halved(full);
  picture.planes = {std::move(full.planes[0]), half.planes[1], half.planes[2]};
  return picture;
}

}  // namespace

movie::PlanarPicture make_bench_picture(BenchContent content, movie::Chroma chroma,
                                        SizePx size_px) {
  movie::PlanarPicture full =
      content == BenchContent::photographic ? terrain(size_px) : rainbow(size_px);
  return chroma == movie::Chroma::yuv420 ? with_halved_chroma(std::move(full)) : full;
}

movie::PlanarPicture repeated(const movie::PlanarPicture& tile, SizePx size_px) {
  movie::PlanarPicture picture(size_px, tile.chroma);
  for (std::size_t p = 0; p < tile.planes.size(); ++p) {
    const movie::Plane& from = tile.planes[p];
    movie::Plane& to = picture.planes[p];
    for (int y = 0; y < to.size_px.height; ++y)
      for (int x = 0; x < to.size_px.width; x += from.size_px.width)
        std::memcpy(to.row(y) + x, from.row(y % from.size_px.height),
                    static_cast<std::size_t>(std::min(from.size_px.width, to.size_px.width - x)));
  }
  return picture;
}

}  // namespace tilewall::bench
