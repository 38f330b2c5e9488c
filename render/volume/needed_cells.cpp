#include "render/volume/needed_cells.hpp"

#include <cmath>

namespace tilewall {

bool is_needed(ValueRange values, const TransferTable& table, const CastStyle& style) noexcept {
  switch (style.mode) {
    case CastMode::composite:
      return table.any_opacity(values.min, values.max);
    case CastMode::isosurface: {
      const auto iso = static_cast<float>(style.iso_value);
      // Rounding may take a sample just past its cell's range.
      const float slack = 1e-5F * (std::abs(values.min) + std::abs(values.max));
      return values.min - slack <= iso && iso <= values.max + slack;
    }
    case CastMode::maximum:
    case CastMode::average:
      break;
  }
  return true;
}

Occupancy needed_cells(const Volume& volume, const TransferTable& table, const CastStyle& style,
                       int threads) {
  return {volume, threads,
          [&](const ValueRange& values) { return is_needed(values, table, style); }};
}

}  // namespace tilewall
