#include "render/readers/formats/resampled_volume.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sync/base/check.hpp"

namespace tilewall::render {
namespace {

constexpr std::size_t most_per_coordinate = 4;
constexpr std::size_t least_limit = 128;

float between(float below, float above, float share) noexcept {
  if (share <= 0) return below;
  if (share >= 1) return above;
  if (std::isnan(below) || std::isnan(above)) return share < 0.5F ? below : above;
  return below + share * (above - below);
}

template <typename Whole>
Whole between(Whole below, Whole above, float share) noexcept {
  return static_cast<Whole>(
      std::lround(between(static_cast<float>(below), static_cast<float>(above), share)));
}

/// Resamples one axis of a box. `inner` voxels lie within a step along the axis, and `outer` such
/// boxes follow each other.
template <typename Voxel>
void resample_axis(const std::byte* from, std::byte* into, std::size_t inner, std::size_t outer,
                   std::size_t from_count, int from_first, const EvenSamples& samples, int begin,
                   int end) {
  const auto* const in = reinterpret_cast<const Voxel*>(from);
  auto* out = reinterpret_cast<Voxel*>(into);
  for (std::size_t box = 0; box < outer; ++box)
    for (int sample = begin; sample < end; ++sample) {
      const auto number = static_cast<std::size_t>(sample);
      const auto below = static_cast<std::size_t>(samples.below[number] - from_first);
      const Voxel* const low = in + (box * from_count + below) * inner;
      for (std::size_t i = 0; i < inner; ++i)
        *out++ = between(low[i], low[inner + i], samples.share[number]);
    }
}

class ResampledVolume final : public VolumeSource {
 public:
  ResampledVolume(VolumeSourcePtr volume, std::array<EvenSamples, 3> samples)
      : volume_(std::move(volume)), samples_(std::move(samples)) {
    info_ = volume_->info();
    TW_CHECK(info_.grids() == 1);
    info_.stored_size = info_.size;
    const std::array<int*, 3> sides = {&info_.size.x, &info_.size.y, &info_.size.z};
    const std::array<double*, 3> spacings = {&info_.place.spacing.x, &info_.place.spacing.y,
                                             &info_.place.spacing.z};
    const std::array<int*, 3> chunks = {&info_.tile_voxels[0], &info_.tile_voxels[1],
                                        &info_.slab_voxels};
    for (std::size_t i = 0; i < 3; ++i) {
      if (samples_[i].below.empty()) continue;
      const int before = *sides[i];
      *sides[i] = static_cast<int>(samples_[i].below.size());
      *spacings[i] *= static_cast<double>(before - 1) / (*sides[i] - 1);
      *chunks[i] = static_cast<int>(std::int64_t{*chunks[i]} * *sides[i] / before);
    }
  }

  void read(int timestep, int z_begin, int z_end, std::byte* into) override {
    read_box(0, timestep, {{0, 0, z_begin}, {info_.size.x, info_.size.y, z_end}}, into);
  }

  void read_box(int /*grid*/, int timestep, const GridBox& box, std::byte* into) override {
    GridBox stored = box;
    for (std::size_t i = 0; i < 3; ++i) {
      if (samples_[i].below.empty()) continue;
      stored.begin[i] = samples_[i].below[static_cast<std::size_t>(box.begin[i])];
      stored.end[i] = samples_[i].below[static_cast<std::size_t>(box.end[i]) - 1] + 2;
    }
    const auto voxel = static_cast<std::size_t>(bytes_of(info_.type));
    std::vector<std::byte> from(stored.size().voxels() * voxel);
    volume_->read_box(0, timestep, stored, from.data());
    GridBox done = stored;  // axes before `i` are those of `box`
    for (std::size_t i = 0; i < 3; ++i) {
      if (samples_[i].below.empty()) continue;
      GridBox next = done;
      next.begin[i] = box.begin[i];
      next.end[i] = box.end[i];
      std::vector<std::byte> made(next.size().voxels() * voxel);
      resample(i, done, box, from, made);
      from = std::move(made);
      done = next;
    }
    std::copy(from.begin(), from.end(), into);
  }

 private:
  void resample(std::size_t axis, const GridBox& done, const GridBox& box,
                const std::vector<std::byte>& from, std::vector<std::byte>& into) const {
    const auto count = [&](std::size_t i) {
      return static_cast<std::size_t>(done.end[i] - done.begin[i]);
    };
    std::size_t inner = 1, outer = 1;
    for (std::size_t i = 0; i < 3; ++i) {
      if (i < axis) inner *= count(i);
      if (i > axis) outer *= count(i);
    }
    const auto run = [&]<typename Voxel>(Voxel) {
      resample_axis<Voxel>(from.data(), into.data(), inner, outer, count(axis), done.begin[axis],
                           samples_[axis], box.begin[axis], box.end[axis]);
    };
    if (info_.type == VoxelType::u8) run(std::uint8_t{});
    if (info_.type == VoxelType::u16) run(std::uint16_t{});
    if (info_.type == VoxelType::f32) run(float{});
  }

  VolumeSourcePtr volume_;
  std::array<EvenSamples, 3> samples_;
};

}  // namespace

EvenSamples even_samples(const std::vector<double>& coordinates) {
  const double first = coordinates.front();
  const double range = coordinates.back() - first;
  double narrowest = 1;  // share of the range
  for (std::size_t i = 1; i < coordinates.size(); ++i)
    narrowest = std::min(narrowest, (coordinates[i] - coordinates[i - 1]) / range);
  const std::size_t limit = std::min<std::size_t>(
      max_file_side, std::max(most_per_coordinate * coordinates.size(), least_limit));
  // A gap of 0.099 of the range is taken for a tenth, as coordinates are rounded in files.
  const double wanted = std::ceil(1 / narrowest - 0.1) + 1;
  const auto count = static_cast<std::size_t>(
      std::clamp(wanted, static_cast<double>(coordinates.size()), static_cast<double>(limit)));
  EvenSamples samples;
  std::size_t below = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double at = static_cast<double>(i) / static_cast<double>(count - 1);
    const auto share_of = [&](std::size_t index) { return (coordinates[index] - first) / range; };
    while (below + 2 < coordinates.size() && share_of(below + 1) <= at) ++below;
    samples.below.push_back(static_cast<int>(below));
    samples.share.push_back(static_cast<float>(
        std::clamp((at - share_of(below)) / (share_of(below + 1) - share_of(below)), 0.0, 1.0)));
  }
  return samples;
}

VolumeSourcePtr resampled(VolumeSourcePtr volume, std::array<EvenSamples, 3> samples) {
  if (std::all_of(samples.begin(), samples.end(),
                  [](const EvenSamples& axis) { return axis.below.empty(); }))
    return volume;
  return std::make_unique<ResampledVolume>(std::move(volume), std::move(samples));
}

}  // namespace tilewall::render
