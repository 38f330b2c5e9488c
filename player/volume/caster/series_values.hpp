// The range of values for the colours of all timesteps: the one that the file states, else that of
// the first timestep with more than one value.
//
// Threads: one owner; no locking.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "render/volume/volume.hpp"

namespace tilewall::volume {

class SeriesValues {
 public:
  /// Whether the range has two different finite ends, over which colours can be spread.
  [[nodiscard]] static bool is_wide(const render::ValueRange& values) noexcept {
    return values.min < values.max && std::isfinite(values.min) && std::isfinite(values.max);
  }

  SeriesValues() = default;
  /// `of_file`: the range of all timesteps, if the file states one.
  explicit SeriesValues(const std::optional<render::ValueRange>& of_file) {
    if (of_file && is_wide(*of_file)) known_ = of_file;
    if (known_ && known_->min > 0) least_above_zero_ = known_->min;
  }

  /// Empty until a timestep with different values has been read.
  [[nodiscard]] const std::optional<render::ValueRange>& known() const noexcept { return known_; }
  /// The least value above 0 for logarithms: of the range, or of the first timestep that has one;
  /// 0 until then.
  [[nodiscard]] float least_above_zero() const noexcept { return least_above_zero_; }

  /// The timestep that must be read before `timestep`, so that colours do not depend on where a
  /// show begins; empty if there is none.
  [[nodiscard]] std::optional<std::int64_t> unread_before(std::int64_t timestep) const noexcept {
    return !is_complete() && alike_ < timestep ? std::optional(alike_) : std::nullopt;
  }

  /// Notes the range of a timestep's values, and the least above 0; empty if it cannot be read.
  void note(std::int64_t timestep, const std::optional<render::ValueRange>& values,
            float least_above_zero) noexcept {
    if (is_complete()) return;
    if (!known_ && values && is_wide(*values)) known_ = values;
    if (known_ && least_above_zero_ <= 0) least_above_zero_ = least_above_zero;
    if (!is_complete()) alike_ = std::max(alike_, timestep + 1);
  }

 private:
  /// Whether no further timestep has to be read for the colours.
  [[nodiscard]] bool is_complete() const noexcept {
    return known_ && (known_->max <= 0 || least_above_zero_ > 0);
  }

  std::optional<render::ValueRange> known_;
  float least_above_zero_ = 0;
  // The first timesteps that have one value, none above 0, or cannot be read.
  std::int64_t alike_ = 0;
};

}  // namespace tilewall::volume
