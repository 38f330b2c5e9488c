#include "sync/base/log_histogram.hpp"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <utility>

#include "sync/base/json_fields.hpp"

namespace tilewall {
namespace {

constexpr std::size_t max_recent = 2048;

}  // namespace

Percentiles percentiles(std::vector<std::int64_t>& values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  const auto rank = [&](std::size_t percent) {
    const std::size_t index = (values.size() * percent + 99) / 100;
    return static_cast<double>(values[std::max<std::size_t>(index, 1) - 1]);
  };
  return {rank(50), rank(99), static_cast<double>(values.back())};
}

Percentiles operator/(const Percentiles& values, double divisor) noexcept {
  return {values.p50 / divisor, values.p99 / divisor, values.max / divisor};
}

std::size_t LogHistogram::bucket_of(std::int64_t value) noexcept {
  if (value < 0) return 0;
  const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(value)));
  if (bits > value_bits) return buckets - 1;
  if (bits <= sub_bits) return static_cast<std::size_t>(value);
  const int shift = bits - sub_bits - 1;  // leaves the leading bit and sub_bits more
  return (static_cast<std::size_t>(shift) << sub_bits) + static_cast<std::size_t>(value >> shift);
}

std::int64_t LogHistogram::upper_end(std::size_t bucket) noexcept {
  if (bucket < (std::size_t{1} << sub_bits)) return static_cast<std::int64_t>(bucket);
  const std::size_t shift = (bucket >> sub_bits) - 1;
  const std::size_t leading = bucket - (shift << sub_bits);
  return static_cast<std::int64_t>(((leading + 1) << shift) - 1);
}

void LogHistogram::add(std::int64_t value) noexcept {
  ++counts_[bucket_of(value)];
  ++count_;
  max_ = std::max(max_, value);
}

nlohmann::json LogHistogram::checkpoint() const {
  nlohmann::json counts = nlohmann::json::array();
  for (std::size_t bucket = 0; bucket < buckets; ++bucket)
    if (counts_[bucket] > 0) counts.push_back({bucket, counts_[bucket]});
  return {{"counts", std::move(counts)}, {"max", max_}};
}

LogHistogram LogHistogram::restored(const nlohmann::json& checkpoint) {
  LogHistogram histogram;
  using Pairs = std::vector<std::vector<std::uint32_t>>;
  for (const auto& pair : json_field<Pairs>(checkpoint, "counts")) {
    expect_field(pair.size() == 2 && pair[0] < buckets, "counts", "[bucket, count]");
    histogram.counts_[pair[0]] = pair[1];
    histogram.count_ += pair[1];
  }
  histogram.max_ = json_field<std::int64_t>(checkpoint, "max");
  return histogram;
}

double LogHistogram::rank(std::uint64_t percent) const noexcept {
  const std::uint64_t wanted = std::max<std::uint64_t>((count_ * percent + 99) / 100, 1);
  std::uint64_t seen = 0;
  for (std::size_t bucket = 0; bucket + 1 < buckets; ++bucket) {
    seen += counts_[bucket];
    if (seen >= wanted) return static_cast<double>(std::min(upper_end(bucket), max_));
  }
  return static_cast<double>(max_);
}

Percentiles LogHistogram::percentiles() const noexcept {
  if (count_ == 0) return {};
  return {rank(50), rank(99), static_cast<double>(max_)};
}

void RecentValues::add(std::int64_t at_ns, std::int64_t value) {
  values_.push_back({at_ns, value});
  while (values_.size() > max_recent || values_.front().at_ns < at_ns - window_ns)
    values_.pop_front();
}

Percentiles RecentValues::percentiles(std::int64_t now_ns) const {
  std::vector<std::int64_t> recent;
  for (const Value& value : values_)
    if (value.at_ns >= now_ns - window_ns) recent.push_back(value.value);
  return tilewall::percentiles(recent);
}

RecentValues::Run RecentValues::run(std::int64_t now_ns) const {
  const auto first = std::find_if(values_.begin(), values_.end(), [&](const Value& value) {
    return value.at_ns >= now_ns - window_ns;
  });
  if (first == values_.end()) return {};
  return {static_cast<std::size_t>(values_.end() - first), first->at_ns};
}

}  // namespace tilewall
