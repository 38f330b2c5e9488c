#include "player/volume/caster/outliers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace tilewall::volume {
namespace {

constexpr std::size_t most_sampled = std::size_t{1} << 16;
constexpr std::size_t fewest_sampled = 64;
constexpr std::size_t far_off = 1000;       // one value in so many is left out at each end
constexpr double narrow_share = 0.02;       // share of the colours' range
constexpr double same_around_share = 0.75;  // share of labels with equal neighbours

/// The i-th of places that are spread evenly over [0, count). Multiples of the golden ratio do not
/// fall into step with the length of rows or slices, as equal distances could.
std::size_t sampled_place(std::size_t i, std::size_t count) {
  constexpr std::uint64_t golden = 0x9E3779B97F4A7C15;
  return static_cast<std::size_t>((static_cast<unsigned __int128>(i * golden) * count) >> 64);
}

template <typename Voxel>
std::vector<float> sampled(std::span<const Voxel> voxels) {
  const std::size_t count = std::min(voxels.size(), most_sampled);
  std::vector<float> sample;
  sample.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = count == voxels.size() ? i : sampled_place(i, voxels.size());
    const auto number = static_cast<float>(voxels[at]);
    if (!std::isnan(number)) sample.push_back(number);
  }
  return sample;
}

/// Whether the volume has labels: most voxels, except those of the commonest number, have a
/// neighbour of the same number along every axis.
template <typename Voxel>
bool are_labels(std::span<const Voxel> voxels, render::VolumeSize size,
                const std::vector<float>& sorted) {
  const bool whole =
      std::all_of(sorted.begin(), sorted.end(), [](float v) { return v == std::floor(v); });
  if (!whole) return false;
  float commonest = sorted.front();
  std::size_t most = 0;
  for (auto at = sorted.begin(); at != sorted.end();) {
    const auto end = std::upper_bound(at, sorted.end(), *at);
    if (static_cast<std::size_t>(end - at) > most) commonest = *at;
    most = std::max(most, static_cast<std::size_t>(end - at));
    at = end;
  }
  const std::size_t row = static_cast<std::size_t>(size.x);
  const std::size_t steps[] = {1, row, row * static_cast<std::size_t>(size.y)};
  std::size_t looked_at = 0;
  std::size_t same[3] = {};
  for (std::size_t i = 0; i < most_sampled; ++i) {
    const std::size_t at = sampled_place(i, voxels.size() - steps[2]);
    if (static_cast<float>(voxels[at]) == commonest) continue;
    ++looked_at;
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (voxels[at] == voxels[at + steps[axis]]) ++same[axis];
  }
  return static_cast<double>(std::min({same[0], same[1], same[2]})) >=
         same_around_share * static_cast<double>(looked_at);
}

/// The range, widened a little to numbers that are easy to type.
render::ValueRange rounded(double min, double max) {
  const double step = std::pow(10, std::floor(std::log10((max - min) / 5)));
  return {static_cast<float>(std::floor(min / step) * step),
          static_cast<float>(std::ceil(max / step) * step)};
}

template <typename Voxel>
std::optional<render::ValueRange> without_outliers(const render::Volume& volume,
                                                   render::ValueRange shown) {
  const std::span<const Voxel> voxels = volume.voxels<Voxel>();
  std::vector<float> sample = sampled(voxels);
  if (sample.size() < fewest_sampled) return std::nullopt;
  std::sort(sample.begin(), sample.end());
  const auto outside =
      static_cast<std::ptrdiff_t>(std::max<std::size_t>(sample.size() / far_off, 1));
  sample = {sample.begin() + outside, sample.end() - outside};
  const render::ValueScale scale = volume.scale();
  const double min = scale.offset + scale.scale * static_cast<double>(sample.front());
  const double max = scale.offset + scale.scale * static_cast<double>(sample.back());
  const double width = static_cast<double>(shown.max) - static_cast<double>(shown.min);
  if (!(min < max && max - min < narrow_share * width)) return std::nullopt;
  if (are_labels(voxels, volume.size(), sample)) return std::nullopt;
  const render::ValueRange round = rounded(min, max);
  if (!(round.min < round.max)) return std::nullopt;  // equal when rounded to float
  return round;
}

}  // namespace

std::optional<render::ValueRange> range_without_outliers(const render::Volume& volume,
                                                         render::ValueRange shown) {
  if (volume.tiles() != nullptr || shown.empty()) return std::nullopt;
  switch (volume.type()) {
    case render::VoxelType::u8:
      return without_outliers<std::uint8_t>(volume, shown);
    case render::VoxelType::u16:
      return without_outliers<std::uint16_t>(volume, shown);
    case render::VoxelType::f32:
      return without_outliers<float>(volume, shown);
  }
  return std::nullopt;
}

std::string outlier_line(const std::string& volume, render::ValueRange shown,
                         render::ValueRange without_outliers) {
  return fmt::format(
      "{}: colours are for {:.7g} to {:.7g}, and nearly all values lie in {:.7g} to {:.7g}: "
      "--range {:.7g},{:.7g} shows these",
      volume, shown.min, shown.max, without_outliers.min, without_outliers.max,
      without_outliers.min, without_outliers.max);
}

}  // namespace tilewall::volume
