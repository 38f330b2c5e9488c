#include "render/demo/noise.hpp"

#include <cmath>

namespace tilewall::render {
namespace {

float fade(float t) noexcept { return t * t * t * (t * (t * 6 - 15) + 10); }  // Perlin 2002

float mix(float a, float b, float share) noexcept { return a + (b - a) * share; }

struct Gradient {
  float x;
  float y;
};
// Sixteen directions, evenly spread: sines for every lattice point would take most of the time.
constexpr Gradient gradients[16] = {
    {1.0000F, 0.0000F},  {0.9239F, 0.3827F},   {0.7071F, 0.7071F},   {0.3827F, 0.9239F},
    {0.0000F, 1.0000F},  {-0.3827F, 0.9239F},  {-0.7071F, 0.7071F},  {-0.9239F, 0.3827F},
    {-1.0000F, 0.0000F}, {-0.9239F, -0.3827F}, {-0.7071F, -0.7071F}, {-0.3827F, -0.9239F},
    {0.0000F, -1.0000F}, {0.3827F, -0.9239F},  {0.7071F, -0.7071F},  {0.9239F, -0.3827F}};

/// Dot product of the lattice point's gradient and (dx, dy).
float slope(int x, int y, std::uint32_t seed, float dx, float dy) noexcept {
  const std::uint32_t column = seed + 0x9e3779b9U * static_cast<std::uint32_t>(x);
  const std::uint32_t hash = hashed(column ^ 0x632be5abU * static_cast<std::uint32_t>(y));
  const Gradient gradient = gradients[hash >> 28];
  return gradient.x * dx + gradient.y * dy;
}

int wrapped(int step, int period) noexcept {
  const int rest = step % period;
  return rest < 0 ? rest + period : rest;
}

}  // namespace

float gradient_noise(const NoisePlace& at, std::uint32_t seed) noexcept {
  const float floor_x = std::floor(at.x);
  const float floor_y = std::floor(at.y);
  const int x0 = wrapped(static_cast<int>(floor_x), at.period_x);
  const int y0 = wrapped(static_cast<int>(floor_y), at.period_y);
  const int x1 = wrapped(x0 + 1, at.period_x);
  const int y1 = wrapped(y0 + 1, at.period_y);
  const float dx = at.x - floor_x;
  const float dy = at.y - floor_y;
  const float top = mix(slope(x0, y0, seed, dx, dy), slope(x1, y0, seed, dx - 1, dy), fade(dx));
  const float low =
      mix(slope(x0, y1, seed, dx, dy - 1), slope(x1, y1, seed, dx - 1, dy - 1), fade(dx));
  return 1.4F * mix(top, low, fade(dy));
}

float fractal_noise(NoisePlace at, int octaves, std::uint32_t seed) noexcept {
  float sum = 0;
  float height = 0.5F;
  for (int octave = 0; octave < octaves; ++octave) {
    sum += height * gradient_noise(at, seed + static_cast<std::uint32_t>(octave));
    at = at.times(2, 2);
    height *= 0.5F;
  }
  return sum;
}

}  // namespace tilewall::render
