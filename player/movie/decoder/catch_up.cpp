#include "player/movie/decoder/catch_up.hpp"

#include <algorithm>

namespace tilewall::movie {
namespace {

constexpr double hurry_behind_s = 0.5;  // the hurry begins when the decoder is so far behind
constexpr double calm_behind_s = 0.1;   // the hurry ends here, well below its begin
constexpr double jump_ahead_s = 0.5;    // a jump may lead so far beyond the wanted frame
constexpr std::size_t most_left_out = 128;

}  // namespace

void CatchUp::look(std::span<const FrameRequest> requests) {
  allowed_ = !requests.empty() &&
             std::all_of(requests.begin(), requests.end(), [](const FrameRequest& request) {
               return request.catches_up && request.direction > 0;
             });
  if (allowed_) return;
  in_a_hurry_ = false;
  left_out_.clear();
}

void CatchUp::go(std::int64_t target, std::int64_t position) {
  const double behind_s = static_cast<double>(target - position) / rate_fps_;
  if (behind_s < 0) left_out_.clear();  // a loop begins again, and so all frames come once more
  if (behind_s < calm_behind_s) in_a_hurry_ = false;
  if (allowed_ && behind_s > hurry_behind_s) in_a_hurry_ = true;
}

std::int64_t CatchUp::farthest_for(std::int64_t target, std::int64_t frames) const noexcept {
  if (!in_a_hurry_ || frames <= 0) return target;
  const auto ahead = target + static_cast<std::int64_t>(jump_ahead_s * rate_fps_);
  return std::max(target, std::min(ahead, frames - 1));
}

void CatchUp::leave_out(const FrameReach& frames) {
  if (frames.first >= frames.end) return;
  left_out_.push_back(frames);
  if (left_out_.size() > most_left_out) left_out_.pop_front();
}

}  // namespace tilewall::movie
