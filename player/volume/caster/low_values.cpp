#include "player/volume/caster/low_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "render/volume/shared_work.hpp"

namespace tilewall::volume {
namespace {

/// Finds them in one run of voxels. Compares stored numbers with that of the value 0.
template <typename Voxel>
LowValues low_in(std::span<const Voxel> voxels, const render::ValueScale& scale) {
  const auto zero = static_cast<float>(-scale.offset / scale.scale);
  float least = std::numeric_limits<float>::infinity();
  LowValues low;
  for (const Voxel voxel : voxels) {
    const auto stored = static_cast<float>(voxel);  // all comparisons are false for NaN
    if (stored > zero && stored < least) least = stored;
    low.below_zero += stored < zero ? 1U : 0U;
    low.zeros += stored == zero ? 1U : 0U;
    low.values += std::isnan(stored) ? 0U : 1U;
  }
  if (least < std::numeric_limits<float>::infinity())
    low.least_above_zero =
        static_cast<float>(scale.offset + scale.scale * static_cast<double>(least));
  return low;
}

template <typename Voxel>
LowValues low_of(const render::Volume& volume, int threads) {
  const render::VolumeSize size = volume.size();
  const std::size_t slice = static_cast<std::size_t>(size.x) * static_cast<std::size_t>(size.y);
  LowValues all;
  std::mutex mutex;
  render::share_work(size.z, threads, [&](int z) {
    const LowValues part = low_in(
        volume.voxels<Voxel>().subspan(static_cast<std::size_t>(z) * slice, slice), volume.scale());
    const std::scoped_lock lock(mutex);
    all.zeros += part.zeros;
    all.below_zero += part.below_zero;
    all.values += part.values;
    if (part.least_above_zero > 0 &&
        (all.least_above_zero <= 0 || part.least_above_zero < all.least_above_zero))
      all.least_above_zero = part.least_above_zero;
  });
  return all;
}

}  // namespace

LowValues find_low_values(const render::Volume& volume, int threads) {
  const render::ValueRange values = volume.value_range();
  if (values.empty() || values.min > 0) return {values.empty() ? 0 : values.min, 0, 0, 0};
  switch (volume.type()) {
    case render::VoxelType::u8:
      return low_of<std::uint8_t>(volume, threads);
    case render::VoxelType::u16:
      return low_of<std::uint16_t>(volume, threads);
    case render::VoxelType::f32:
      return low_of<float>(volume, threads);
  }
  return {};
}

std::string left_out_line(const std::string& volume, const LowValues& low,
                          const render::ValueCurve& scale) {
  const std::uint64_t count = low.left_out(scale);
  if (count == 0) return "";
  return fmt::format("{}: {} of {} values ({:.3g} %) are {} and empty on the scale {}", volume,
                     count, low.values,
                     100 * static_cast<double>(count) / static_cast<double>(low.values),
                     scale.takes(0) ? "below 0" : "0 or less", render::to_string(scale));
}

}  // namespace tilewall::volume
