// Limits how often something may happen: a token bucket, and one for each of many keys.
//
// Threads: one owner.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <string>

namespace tilewall::console {

struct Rate {
  double per_s = 1;  ///< in the long run
  double burst = 1;  ///< at once, after a pause
};

class TokenBucket {
 public:
  using Time = std::chrono::steady_clock::time_point;

  TokenBucket(Rate rate, Time now) : rate_(rate), left_(rate.burst), at_(now) {}

  /// Whether one more may happen now.
  [[nodiscard]] bool take(Time now) noexcept {
    refill(now);
    if (left_ < 1) return false;
    left_ -= 1;
    return true;
  }

  /// Whether the bucket has its whole burst again, like a new one.
  [[nodiscard]] bool is_full(Time now) const noexcept {
    TokenBucket then = *this;
    then.refill(now);
    return then.left_ >= then.rate_.burst;
  }

 private:
  void refill(Time now) noexcept {
    const double passed_s = std::chrono::duration<double>(now - at_).count();
    left_ = std::min(rate_.burst, left_ + std::max(0.0, passed_s) * rate_.per_s);
    at_ = std::max(at_, now);
  }

  Rate rate_;
  double left_;
  Time at_;
};

/// A bucket for each key, such as an address. A key whose bucket is full again is forgotten.
class RateLimit {
 public:
  static constexpr std::size_t most_keys = 4096;

  explicit RateLimit(Rate rate) : rate_(rate) {}

  /// Whether `key` may do one more now. Where too many keys are known, a new one may not.
  [[nodiscard]] bool take(const std::string& key, TokenBucket::Time now) {
    auto found = buckets_.find(key);
    if (found == buckets_.end()) {
      if (buckets_.size() >= most_keys)
        std::erase_if(buckets_, [&](const auto& entry) { return entry.second.is_full(now); });
      if (buckets_.size() >= most_keys) return false;
      found = buckets_.emplace(key, TokenBucket(rate_, now)).first;
    }
    return found->second.take(now);
  }

 private:
  Rate rate_;
  std::map<std::string, TokenBucket> buckets_;
};

}  // namespace tilewall::console
