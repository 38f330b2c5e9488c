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
  }

  /// Empty until a timestep with different values has been read.
  [[nodiscard]] const std::optional<render::ValueRange>& known() const noexcept { return known_; }

  /// The timestep that must be read before `timestep`, so that colours do not depend on where a
  /// show begins; empty if there is none.
  [[nodiscard]] std::optional<std::int64_t> unread_before(std::int64_t timestep) const noexcept {
    return !known_ && alike_ < timestep ? std::optional(alike_) : std::nullopt;
  }

  /// Notes the range of a timestep's values; empty if it cannot be read.
  void note(std::int64_t timestep, const std::optional<render::ValueRange>& values) noexcept {
    if (known_) return;
    if (values && is_wide(*values))
      known_ = values;
    else
      alike_ = std::max(alike_, timestep + 1);
  }

 private:
  std::optional<render::ValueRange> known_;
  std::int64_t alike_ = 0;  // the first timesteps that have one value or cannot be read
};

}  // namespace tilewall::volume
