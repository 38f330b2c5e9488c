// What a decoder that is behind leaves out, where all panels show what comes late: pictures that no
// other needs, and everything up to a key picture a little ahead.
//
// Pure. Threads: one owner.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "player/movie/decoder/decode_plan.hpp"

namespace tilewall::movie {

class CatchUp {
 public:
  explicit CatchUp(double rate_fps) noexcept : rate_fps_(rate_fps) {}

  /// Told before each decision. Frames that were left out count as lost to those who catch up only.
  void look(std::span<const FrameRequest> requests);

  /// Told of each decision: `target` comes next, the decoder is at `position`.
  void go(std::int64_t target, std::int64_t position);

  /// Whether to leave out pictures that no other needs.
  [[nodiscard]] bool in_a_hurry() const noexcept { return in_a_hurry_; }

  /// The frame to which a jump for `target` may lead at most, of `frames` (0 = unknown).
  [[nodiscard]] std::int64_t farthest_for(std::int64_t target, std::int64_t frames) const noexcept;

  void leave_out(const FrameReach& frames);
  [[nodiscard]] const std::deque<FrameReach>& left_out() const noexcept { return left_out_; }

 private:
  double rate_fps_;
  bool allowed_ = false;
  bool in_a_hurry_ = false;
  std::deque<FrameReach> left_out_;  // bounded: older ones lie too far behind to be asked for
};

}  // namespace tilewall::movie
