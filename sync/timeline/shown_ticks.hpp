// Decimation: the ticks of a grid that are shown, all of them or every n-th.
//
// A wall whose panels cannot show every tick leaves out the same ticks on all panels. The choice is
// a list of strides, each valid from one tick number on, so that panels which know the list agree
// without a message per frame.
#pragma once

#include <cstdint>
#include <vector>

namespace tilewall::sync {

/// From tick `from` on, the ticks first, first + every, first + 2 * every, ... are shown.
struct TickStride {
  std::int64_t from = 0;   ///< >= 0
  std::int64_t first = 0;  ///< >= from; no tick between `from` and `first` is shown
  std::int64_t every = 1;  ///< >= 1

  bool operator==(const TickStride&) const = default;
};

class ShownTicks {
 public:
  /// The longest stride: far more than any wall leaves out.
  static constexpr std::int64_t max_every = 1'000'000'000;
  static constexpr std::size_t max_strides = 4;

  /// All ticks are shown.
  ShownTicks() = default;

  /// Changes the stride from `next.from` on. The oldest strides are forgotten, so ask only about
  /// ticks of the present and the future.
  void change(const TickStride& next);

  [[nodiscard]] bool shows(std::int64_t tick) const noexcept { return next(tick) == tick; }

  /// The first tick at `tick` or later that is shown. @pre tick >= 0
  [[nodiscard]] std::int64_t next(std::int64_t tick) const noexcept;

  /// Number of shown ticks in [begin, end). @pre 0 <= begin
  [[nodiscard]] std::int64_t count(std::int64_t begin, std::int64_t end) const noexcept;

  /// Length of the stride at that tick.
  [[nodiscard]] std::int64_t every_at(std::int64_t tick) const noexcept;

  /// Length of the last stride.
  [[nodiscard]] std::int64_t every() const noexcept {
    return strides_.empty() ? 1 : strides_.back().every;
  }

  [[nodiscard]] const std::vector<TickStride>& strides() const noexcept { return strides_; }

  /// Assigns strides that come from outside, if they are well formed. Returns whether they are.
  [[nodiscard]] bool assign(std::vector<TickStride> strides);

  bool operator==(const ShownTicks&) const = default;

 private:
  [[nodiscard]] std::size_t stride_end_at(std::int64_t tick) const noexcept;

  std::vector<TickStride> strides_;  // ascending; before the first one all ticks are shown
};

}  // namespace tilewall::sync
