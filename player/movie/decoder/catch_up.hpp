// Decides what a decoder that is behind leaves out, where all panels show late pictures: pictures
// that no other picture needs, and everything up to a key picture a little ahead.
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

  /// Notes the panels' requests; to be called before each decision. Frames may be left out only
  /// while every panel plays forwards and shows late pictures; else the list of them is cleared.
  void look(std::span<const FrameRequest> requests);

  /// Notes a decision: the decoder, which is at frame `position`, goes towards frame `target`.
  void go(std::int64_t target, std::int64_t position);

  /// Whether to leave out pictures that no other picture needs.
  [[nodiscard]] bool in_a_hurry() const noexcept { return in_a_hurry_; }

  /// The last frame that a jump for `target` may lead to: `target` itself, or one beyond it where
  /// the decoder is in a hurry and the movie's length `frames` is known (not 0).
  [[nodiscard]] std::int64_t farthest_for(std::int64_t target, std::int64_t frames) const noexcept;

  /// Remembers frames that were left out, so that the plan does not go back for them.
  void leave_out(const FrameReach& frames);
  [[nodiscard]] const std::deque<FrameReach>& left_out() const noexcept { return left_out_; }

 private:
  double rate_fps_;
  bool allowed_ = false;
  bool in_a_hurry_ = false;
  std::deque<FrameReach> left_out_;  // bounded: no panel requests older ones any more
};

}  // namespace tilewall::movie
