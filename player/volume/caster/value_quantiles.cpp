#include "player/volume/caster/value_quantiles.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tilewall::volume {
namespace {

constexpr std::uint64_t exact_to = 1000;  // one of so many values

/// Bits of a float as a whole number that rises with it.
std::uint32_t order_of(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value == 0 ? 0.0F : value);
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

float value_of_order(std::uint32_t order) noexcept {
  return std::bit_cast<float>((order & 0x80000000U) != 0 ? order & 0x7FFFFFFFU : ~order);
}

/// The first coarse bin whose values count. Both scales that leave values out begin at 0, whose bin
/// has no value below it. A logarithm leaves out 0 itself, with numbers too small to matter.
std::size_t first_bin(const render::ValueCurve& scale) noexcept {
  if (scale.takes(-1)) return 0;
  const std::size_t zero = order_of(0) >> 16;
  return scale.takes(0) ? zero : zero + 1;
}

}  // namespace

std::optional<ValueQuantiles::Place> ValueQuantiles::place_of(const QuantileQuestion& question,
                                                              double percent) const {
  std::uint64_t all = 0;
  const std::size_t first = first_bin(question.scale);
  for (std::size_t bin = first; bin < ValueCounts::bins; ++bin) all += coarse_.count(bin);
  if (all == 0) return std::nullopt;
  const auto rank =
      static_cast<std::uint64_t>(std::llround(percent / 100 * static_cast<double>(all - 1)));
  std::uint64_t below = 0;
  for (std::size_t bin = first;; ++bin) {
    if (below + coarse_.count(bin) > rank) return Place{bin, rank - below, all / exact_to};
    below += coarse_.count(bin);
  }
}

std::vector<std::size_t> ValueQuantiles::heavy_bins(const QuantileQuestion& question) const {
  std::vector<std::size_t> heavy;
  for (const double percent : question.percent) {
    const auto place = place_of(question, percent);
    if (place && coarse_.count(place->bin) > place->limit && !fine_.contains(place->bin))
      heavy.push_back(place->bin);
  }
  return heavy;
}

std::optional<int> ValueQuantiles::needed_pass(const QuantileQuestion& question) const {
  if (!has_coarse_) return 0;
  return heavy_bins(question).empty() ? std::nullopt : std::optional(1);
}

void ValueQuantiles::begin_pass(const QuantileQuestion& question) {
  counting_.clear();
  if (!has_coarse_)
    coarse_ = {};
  else
    for (const std::size_t bin : heavy_bins(question)) counting_.emplace(bin, ValueCounts());
}

template <typename Voxel>
void ValueQuantiles::count(std::span<const std::byte> voxels, const render::ValueScale& scale) {
  const auto* const first = reinterpret_cast<const Voxel*>(voxels.data());
  for (std::size_t i = 0; i < voxels.size() / sizeof(Voxel); ++i) {
    const auto value =
        static_cast<float>(scale.offset + scale.scale * static_cast<double>(first[i]));
    if (!std::isfinite(value)) continue;
    const std::uint32_t order = order_of(value);
    const std::size_t bin = order >> 16;
    if (!has_coarse_) {
      coarse_.add(bin);
    } else if (const auto counts = counting_.find(bin); counts != counting_.end()) {
      counts->second.add(order & 0xFFFFU);
    }
  }
}

void ValueQuantiles::add(std::span<const std::byte> voxels, render::VoxelType type,
                         const render::ValueScale& scale) {
  switch (type) {
    case render::VoxelType::u8:
      return count<std::uint8_t>(voxels, scale);
    case render::VoxelType::u16:
      return count<std::uint16_t>(voxels, scale);
    case render::VoxelType::f32:
      return count<float>(voxels, scale);
  }
}

void ValueQuantiles::end_pass() {
  has_coarse_ = true;
  fine_.merge(counting_);
  counting_.clear();
}

std::optional<render::ValueRange> ValueQuantiles::range_of(const QuantileQuestion& question) const {
  float ends[2] = {};
  for (std::size_t i = 0; i < 2; ++i) {
    const auto place = place_of(question, question.percent[i]);
    if (!place) return std::nullopt;
    auto order = static_cast<std::uint32_t>(place->bin << 16) | (i == 0 ? 0U : 0xFFFFU);
    if (const auto fine = fine_.find(place->bin); fine != fine_.end()) {
      std::uint64_t below = 0;
      std::uint32_t low = 0;
      while (low < 0xFFFFU && below + fine->second.count(low) <= place->rank_in_bin)
        below += fine->second.count(low++);
      order = static_cast<std::uint32_t>(place->bin << 16) | low;
    }
    ends[i] = value_of_order(order);
  }
  return render::ValueRange{ends[0], ends[1]};
}

}  // namespace tilewall::volume
