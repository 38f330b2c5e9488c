#include "render/volume/needed_cells.hpp"

#include <cmath>

namespace tilewall {

Occupancy needed_cells(const Volume& volume, const TransferTable& table, const CastStyle& style,
                       int threads) {
  const auto iso = static_cast<float>(style.iso_value);
  return {volume, threads, [&](const ValueRange& values) {
            switch (style.mode) {
              case CastMode::composite:
                return table.any_opacity(values.min, values.max);
              case CastMode::isosurface: {
                // Rounding may take a sample just past its cell's range.
                const float slack = 1e-5F * (std::abs(values.min) + std::abs(values.max));
                return values.min - slack <= iso && iso <= values.max + slack;
              }
              case CastMode::maximum:
              case CastMode::average:
                break;
            }
            return true;
          }};
}

}  // namespace tilewall
