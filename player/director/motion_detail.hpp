// How coarse volumes are drawn while they move, from how long panels take: so fine that the wall
// follows a hand, and no finer. Pure; one owner.
#pragma once

#include <optional>
#include <vector>

#include "player/scene/late.hpp"
#include "sync/global_time.hpp"

namespace tilewall {

class MotionDetail {
 public:
  static constexpr Nanos picture_time = std::chrono::milliseconds(33);
  static constexpr int coarsest = 4;

  explicit MotionDetail(std::size_t panels) : paces_(panels) {}

  void take(std::size_t panel, const DrawPace& pace) { paces_.at(panel) = pace; }

  /// In levels below full, at least one; a level has a quarter of the one above's rays.
  [[nodiscard]] int coarser_by() const;

  /// The same where a picture in full takes `full`.
  [[nodiscard]] static int level_within(Nanos picture_time, Nanos full);

 private:
  std::vector<DrawPace> paces_;
};

}  // namespace tilewall
