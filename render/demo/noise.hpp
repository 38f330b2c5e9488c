// Smooth noise that repeats in x and y, for textures around a centre.
#pragma once

#include <cstdint>

namespace tilewall::render {

/// A point of the noise's plane, in lattice steps, and after how many steps noise repeats.
struct NoisePlace {
  float x = 0;
  float y = 0;
  int period_x = 1;
  int period_y = 1;

  /// The same place of a finer noise.
  [[nodiscard]] constexpr NoisePlace times(int by_x, int by_y) const noexcept {
    return {x * static_cast<float>(by_x), y * static_cast<float>(by_y), period_x * by_x,
            period_y * by_y};
  }
};

/// Gradient noise in about [-1, 1].
[[nodiscard]] float gradient_noise(const NoisePlace& at, std::uint32_t seed) noexcept;

/// Sum of `octaves`, each of twice the frequency and half the height; in about [-1, 1].
[[nodiscard]] float fractal_noise(NoisePlace at, int octaves, std::uint32_t seed) noexcept;

/// A well mixed 32-bit value for each input (the finalizer of MurmurHash3).
[[nodiscard]] constexpr std::uint32_t hashed(std::uint32_t value) noexcept {
  value = (value ^ value >> 16) * 0x85ebca6bU;
  value = (value ^ value >> 13) * 0xc2b2ae35U;
  return value ^ value >> 16;
}

/// The next of a row of values in [0, 1); advances `state`.
[[nodiscard]] inline float next_random(std::uint32_t& state) noexcept {
  state += 0x9e3779b9U;
  return static_cast<float>(hashed(state) >> 8) * 0x1p-24F;
}

}  // namespace tilewall::render
