// Percentiles of any number of values in a fixed amount of memory.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace tilewall {

struct Percentiles {
  double p50 = 0;
  double p99 = 0;
  double max = 0;
};

/// By nearest rank; all zero where there are no values. Reorders `values`.
[[nodiscard]] Percentiles percentiles(std::vector<std::int64_t>& values);

[[nodiscard]] Percentiles operator/(const Percentiles& values, double divisor) noexcept;

/// Counts values in buckets that are 1/32 of their value wide (below 32: exact). Values from 2^40
/// on (18 minutes of nanoseconds) share the last bucket, negative ones the first. 4.5 KiB; one
/// owner.
class LogHistogram {
 public:
  void add(std::int64_t value) noexcept;

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

  /// By nearest rank, each the upper end of its bucket, so at most 3.1 % too large; the largest
  /// value is exact. All zero where there are no values.
  [[nodiscard]] Percentiles percentiles() const noexcept;
  /// The least value, rounded up to its bucket's end, that `percent` (1 to 100) of the values do
  /// not exceed. 0 where there are none.
  [[nodiscard]] double percentile(std::uint64_t percent) const noexcept {
    return count_ == 0 ? 0 : rank(percent);
  }

  /// The counts as {"counts": [[bucket, count], ...], "max"}, for restored().
  [[nodiscard]] nlohmann::json checkpoint() const;
  /// The histogram of a checkpoint. Throws InputError where it is malformed.
  [[nodiscard]] static LogHistogram restored(const nlohmann::json& checkpoint);

 private:
  static constexpr int sub_bits = 5;
  static constexpr int value_bits = 40;
  static constexpr std::size_t buckets = (value_bits - sub_bits + 1) << sub_bits;

  [[nodiscard]] static std::size_t bucket_of(std::int64_t value) noexcept;
  [[nodiscard]] static std::int64_t upper_end(std::size_t bucket) noexcept;
  [[nodiscard]] double rank(std::uint64_t percent) const noexcept;

  std::array<std::uint32_t, buckets> counts_{};  // at 120 a second, a counter lasts for a year
  std::uint64_t count_ = 0;
  std::int64_t max_ = 0;
};

/// The values of the last 10 s, and at most 2048 of them. Instants are nanoseconds of any one axis.
/// One owner.
class RecentValues {
 public:
  void add(std::int64_t at_ns, std::int64_t value);

  /// Percentiles of the values that are not older than 10 s at `now_ns`.
  [[nodiscard]] Percentiles percentiles(std::int64_t now_ns) const;
  /// Number of values of the last 10 s, and the instant of the first one.
  struct Run {
    std::size_t count = 0;
    std::int64_t first_ns = 0;
  };
  [[nodiscard]] Run run(std::int64_t now_ns) const;
  [[nodiscard]] std::size_t size() const noexcept { return values_.size(); }

  static constexpr std::int64_t window_ns = 10'000'000'000;

 private:
  struct Value {
    std::int64_t at_ns;
    std::int64_t value;
  };
  std::deque<Value> values_;
};

}  // namespace tilewall
