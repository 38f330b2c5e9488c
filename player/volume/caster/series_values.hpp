// The range of values that the colours of all timesteps are for: the file's own, or else that of
// the first timestep with more than one value.
//
// Pure; one owner.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "render/volume/volume.hpp"

namespace tilewall::volume {

class SeriesValues {
 public:
  /// Whether colours can be spread over it.
  [[nodiscard]] static bool is_wide(const render::ValueRange& values) noexcept {
    return values.min < values.max && std::isfinite(values.min) && std::isfinite(values.max);
  }

  SeriesValues() = default;
  /// `of_file`: what the file says of all timesteps.
  explicit SeriesValues(const std::optional<render::ValueRange>& of_file) {
    if (of_file && is_wide(*of_file)) known_ = of_file;
  }

  /// Empty until a timestep with different values has been read.
  [[nodiscard]] const std::optional<render::ValueRange>& known() const noexcept { return known_; }

  /// The timestep before `timestep` that has to be read first, so that colours do not depend on
  /// where a show begins; empty where none has to.
  [[nodiscard]] std::optional<std::int64_t> unread_before(std::int64_t timestep) const noexcept {
    return !known_ && alike_ < timestep ? std::optional(alike_) : std::nullopt;
  }

  /// The timestep has these values; empty: it cannot be read.
  void note(std::int64_t timestep, const std::optional<render::ValueRange>& values) noexcept {
    if (known_) return;
    if (values && is_wide(*values))
      known_ = values;
    else
      alike_ = std::max(alike_, timestep + 1);
  }

 private:
  std::optional<render::ValueRange> known_;
  std::int64_t alike_ = 0;  // the first ones: each has one value, or cannot be read
};

}  // namespace tilewall::volume
