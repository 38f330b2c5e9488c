// Spaces what is sent in time: a token bucket over instants. One owner.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sync/global_time.hpp"

namespace tilewall {

class Pacer {
 public:
  /// When the next packets may go.
  [[nodiscard]] LocalInstant next() const noexcept { return next_; }
  [[nodiscard]] bool may_send(LocalInstant now) const noexcept { return next_ <= now; }

  /// So much went at `now`, on a way of `bytes_s` (infinity: nothing is spaced).
  void sent(LocalInstant now, std::size_t bytes, double bytes_s) noexcept {
    if (std::isinf(bytes_s)) return;
    // A sender that woke late makes up for it, but for no more than this.
    const LocalInstant from = std::max(next_, now - catch_up);
    next_ = from + Nanos(static_cast<std::int64_t>(static_cast<double>(bytes) * 1e9 / bytes_s));
  }

  /// Nothing goes before `until`.
  void hold(LocalInstant until) noexcept { next_ = std::max(next_, until); }

 private:
  static constexpr Nanos catch_up =
      std::chrono::milliseconds(16);  // a machine that is busy stops so long
  LocalInstant next_;
};

}  // namespace tilewall
