#include <algorithm>
#include <cmath>
#include <cstddef>

#include "wallconfigs/advice.hpp"

namespace tilewall::wall {
namespace {

constexpr double native_tolerance = 0.005;

bool close(double a, double b) noexcept { return std::abs(a - b) <= native_tolerance * b; }

}  // namespace

Density density_of(const Panel& panel) noexcept {
  const SizePx viewed = panel.viewed_size_px();
  return {viewed.width / panel.size_mm.width, viewed.height / panel.size_mm.height};
}

bool is_native(const Panel& panel, Density density) noexcept {
  const Density own = density_of(panel);
  return close(own.x_px_per_mm, density.x_px_per_mm) && close(own.y_px_per_mm, density.y_px_per_mm);
}

Density commonest_density(std::span<const Panel> panels) {
  Density best = density_of(panels.front());
  std::ptrdiff_t best_count = 0;
  for (const Panel& candidate : panels) {
    const Density density = density_of(candidate);
    const auto count = std::count_if(panels.begin(), panels.end(),
                                     [&](const Panel& panel) { return is_native(panel, density); });
    if (count <= best_count) continue;
    best = density;
    best_count = count;
    if (best_count == std::ssize(panels)) break;  // most walls: one pass over a thousand panels
  }
  return best;
}

}  // namespace tilewall::wall
