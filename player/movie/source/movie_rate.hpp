// The constant rate that fits a movie best.
#pragma once

#include "sync/base/rational.hpp"

namespace tilewall {

/// `average`: pictures over duration; `lowest`: the lowest rate at which every time stamp falls on
/// a frame (FFmpeg's r_frame_rate). num 0 = unknown. The result lies in [1/60, 240].
[[nodiscard]] Rational constant_rate(Rational average, Rational lowest) noexcept;

}  // namespace tilewall
