#include "render/demo/galaxy.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

#include "render/demo/noise.hpp"

namespace tilewall::render {
namespace {

constexpr float two_pi = 6.2831853F;
constexpr float winding = 3.4F;        // 1 / tan of the pitch angle, 16 degrees
constexpr float inner_radius = 0.02F;  // the logarithm ends here

constexpr Float4 old_stars = {1.00F, 0.66F, 0.34F, 0};
constexpr Float4 young_stars = {0.22F, 0.44F, 1.00F, 0};
constexpr Float4 bright_stars = {0.55F, 0.75F, 1.00F, 0};
constexpr Float4 hydrogen = {1.00F, 0.22F, 0.42F, 0};
constexpr Float4 dust = {0, 0, 0, 1};

float smooth_step(float low, float high, float value) noexcept {
  const float t = std::clamp((value - low) / (high - low), 0.0F, 1.0F);
  return t * t * (3 - 2 * t);
}

/// One place of the disc, and where its gas lies in the noise: x along the arms, y across them.
struct DiscPlace {
  float radius;
  float phase;  ///< Phase of the spiral, bent by turbulence
  NoisePlace gas;
};
// After half a turn both have gone through their period. 7 to 4 makes clouds twice as long as wide.
constexpr int along_period = 7;
constexpr int across_period = 4;

DiscPlace place_of(float x, float y) noexcept {
  DiscPlace place{};
  place.radius = std::max(std::hypot(x, y), inner_radius);
  // Logarithmic radius and angle, turned so that one axis follows the spiral: a conformal map, so
  // that clouds keep their shape from the core to the rim.
  const float along = std::log(place.radius) - winding * std::atan2(y, x);
  const float phase = spiral_phase(x, y);
  place.gas = {along / (winding * two_pi / 2) * along_period, phase / two_pi * across_period,
               along_period, across_period};
  const float bend = fractal_noise(place.gas, 4, 11);
  place.gas.x += 0.5F * bend;
  place.gas.y += 0.7F * bend;
  place.phase = phase + 1.4F * bend;
  return place;
}

/// Thin threads: where noise passes through zero.
float threads(const NoisePlace& at, std::uint32_t seed) noexcept {
  return std::exp(-9 * std::abs(fractal_noise(at, 6, seed)));
}

Float4 texel_at(float x, float y) noexcept {
  const DiscPlace place = place_of(x, y);
  const float r = place.radius;
  const float rim = 1 - smooth_step(0.55F, 0.98F, r);
  const float crest = 0.5F + 0.5F * std::cos(place.phase);
  const float arm = crest * crest;
  const float noise = fractal_noise(place.gas.times(2, 2), 8, 23);
  const float clouds = smooth_step(-0.45F, 0.60F, noise);
  const float disc = std::exp(-r / 0.55F) * rim;
  const float outer = smooth_step(0.05F, 0.26F, r) * rim;

  Float4 texel = old_stars * float4(0.9F * std::exp(-r / 0.13F) * rim * (0.5F + 0.5F * arm));
  const float gas = clouds * (0.20F + arm);
  texel += young_stars * float4(3.4F * disc * outer * gas * gas);
  texel += bright_stars *
           float4(3.2F * disc * outer * arm * arm * clouds * threads(place.gas.times(2, 2), 41));
  const float knot = smooth_step(0.20F, 0.60F, fractal_noise(place.gas.times(7, 7), 3, 57));
  texel += hydrogen * float4(5.0F * disc * outer * arm * clouds * knot);
  // Dust lies on the inner side of the arms.
  const float lane = 0.5F + 0.5F * std::cos(place.phase + 0.9F);
  texel += dust * float4(smooth_step(0.02F, 0.12F, r) * rim * (0.14F + lane * lane) *
                         (0.30F + 2.2F * threads(place.gas.times(2, 2), 71)));
  return texel;
}

}  // namespace

float spiral_phase(float x, float y) noexcept {
  const float radius = std::max(std::hypot(x, y), inner_radius);
  return 2 * (std::atan2(y, x) + winding * std::log(radius));
}

Galaxy::Galaxy(int side)
    : side_(side),
      half_side_(static_cast<float>(side) / 2),
      last_(static_cast<float>(side - 1)),
      texels_(static_cast<std::size_t>(side) * static_cast<std::size_t>(side)) {
  const int threads = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  const int rows = side / 2;
  std::vector<std::jthread> workers;
  workers.reserve(static_cast<std::size_t>(threads));
  for (int i = 0; i < threads; ++i)
    workers.emplace_back([=, this] { compute_rows(rows * i / threads, rows * (i + 1) / threads); });
}

void Galaxy::compute_rows(int begin, int end) {
  const std::size_t count = texels_.size();
  for (int row = begin; row < end; ++row) {
    for (int column = 0; column < side_; ++column) {
      const std::size_t index = static_cast<std::size_t>(row) * static_cast<std::size_t>(side_) +
                                static_cast<std::size_t>(column);
      const float x = (static_cast<float>(column) + 0.5F) / half_side_ - 1;
      const float y = (static_cast<float>(row) + 0.5F) / half_side_ - 1;
      texels_[index] = texel_at(x, y);
      texels_[count - 1 - index] = texels_[index];  // half a turn further
    }
  }
}

}  // namespace tilewall::render
