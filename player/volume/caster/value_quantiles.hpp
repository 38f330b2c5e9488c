// Quantiles of the values of all timesteps, exact to a thousandth of their number.
//
// Values are counted by the upper half of their bits, in one pass. A quantile whose bin holds more
// than a thousandth of the values needs a second pass, which counts that bin's lower halves.
//
// Threads: one owner; no locking.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "render/volume/value_curve.hpp"
#include "render/volume/volume.hpp"

namespace tilewall::volume {

/// Counts of floats by 16 of their bits, ordered like the floats.
class ValueCounts {
 public:
  static constexpr std::size_t bins = std::size_t{1} << 16;

  ValueCounts() : counts_(bins) {}
  void add(std::size_t bin, std::uint64_t count = 1) noexcept { counts_[bin] += count; }
  [[nodiscard]] std::uint64_t count(std::size_t bin) const noexcept { return counts_[bin]; }

 private:
  std::vector<std::uint64_t> counts_;
};

/// Shares of the values, and the ones that a scale leaves out.
struct QuantileQuestion {
  std::array<double, 2> percent = {0, 100};
  render::ValueCurve scale;  ///< values that it does not take do not count
  bool operator==(const QuantileQuestion&) const = default;
};

class ValueQuantiles {
 public:
  /// Number of the pass that the question needs next: 0, 1; empty once range_of() can answer.
  [[nodiscard]] std::optional<int> needed_pass(const QuantileQuestion& question) const;

  /// Begins a pass, after needed_pass(). All timesteps' voxels must be given to add().
  void begin_pass(const QuantileQuestion& question);
  /// Counts voxels, which are stored numbers of a scale. @pre begin_pass()
  void add(std::span<const std::byte> voxels, render::VoxelType type,
           const render::ValueScale& scale);
  void end_pass();

  /// The range; empty if no value counts. @pre needed_pass() is empty
  [[nodiscard]] std::optional<render::ValueRange> range_of(const QuantileQuestion& question) const;

 private:
  struct Place {
    std::size_t bin = 0;
    std::uint64_t rank_in_bin = 0;  ///< Number of the bin's values below the quantile
    std::uint64_t limit = 0;        ///< Most values of a bin that is exact enough
  };
  [[nodiscard]] std::optional<Place> place_of(const QuantileQuestion& question,
                                              double percent) const;
  [[nodiscard]] std::vector<std::size_t> heavy_bins(const QuantileQuestion& question) const;
  template <typename Voxel>
  void count(std::span<const std::byte> voxels, const render::ValueScale& scale);

  bool has_coarse_ = false;
  ValueCounts coarse_;
  std::map<std::size_t, ValueCounts> fine_;      // by the coarse bin, of passes that have ended
  std::map<std::size_t, ValueCounts> counting_;  // of the pass that runs
};

}  // namespace tilewall::volume
