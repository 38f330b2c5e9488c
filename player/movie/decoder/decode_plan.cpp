#include "player/movie/decoder/decode_plan.hpp"

#include <algorithm>

namespace tilewall::movie {
namespace {

// A panel elsewhere in the movie waits at least so long while the others have little ahead.
constexpr std::int64_t seek_delay_ns = 150'000'000;
constexpr std::int64_t near_frames = 96;  // frames so far ahead count as on the way

/// The first frame of a request that is neither in a slot nor lost.
struct Miss {
  std::int64_t frame = 0;
  std::int64_t distance = 0;
  const FrameRequest* request = nullptr;
};

bool any_contains(std::span<const FrameReach> reaches, std::int64_t frame) {
  return std::any_of(reaches.begin(), reaches.end(),
                     [&](const FrameReach& reach) { return reach.contains(frame); });
}

std::int64_t wrapped(std::int64_t frame, std::int64_t frames) {
  if (frames <= 0) return frame;
  const std::int64_t rest = frame % frames;
  return rest < 0 ? rest + frames : rest;
}

/// Number of draws from `request` to `frame`, or what stands for it where it lies just behind;
/// far_away if it lies farther behind and the movie is no loop.
std::int64_t distance(const FrameRequest& request, std::int64_t frame, std::int64_t frames) {
  const std::int64_t steps = (frame - request.frame) * request.direction;
  if (steps >= 0) return steps;
  const std::int64_t next_round = frames > 0 ? steps + frames : far_away;
  return -steps <= request.kept_behind ? std::min(request.kept_distance, next_round) : next_round;
}

std::optional<Miss> miss_of(const FrameRequest& request, const DecodeState& state,
                            std::span<const FrameReach> held, std::span<const FrameReach> lost) {
  for (std::int64_t steps = 0; steps < state.slots; ++steps) {
    const std::int64_t frame = wrapped(request.frame + steps * request.direction, state.frames);
    if (frame < 0) return std::nullopt;
    if (!any_contains(held, frame) && !any_contains(lost, frame))
      return Miss{frame, steps, &request};
  }
  return std::nullopt;
}

bool on_the_way(const Miss& miss, const DecodeState& state) {
  return !state.at_end && miss.frame >= state.position &&
         miss.frame - state.position <= near_frames;
}

/// Where decoding begins for a missing frame. Backwards that is half the slots earlier, so that one
/// jump fetches a block of frames.
std::int64_t start_of_block(const Miss& miss, const DecodeState& state) {
  if (miss.request->direction > 0) return miss.frame;
  return std::max<std::int64_t>(0, miss.frame - state.slots / 2 + 1);
}

/// The miss of the panel that waits longest for the frame it draws next, of those that wait since
/// `since_before_ns` or earlier; null if there is none.
const Miss* longest_waiting(const std::vector<Miss>& misses, std::int64_t since_before_ns) {
  const Miss* longest = nullptr;
  for (const Miss& miss : misses) {
    const std::int64_t since_ns = miss.request->waiting_since_ns;
    if (miss.distance > 0 || since_ns == 0 || since_ns > since_before_ns) continue;
    if (longest == nullptr || since_ns < longest->request->waiting_since_ns) longest = &miss;
  }
  return longest;
}

}  // namespace

std::int64_t distance_of(const FrameReach& picture, std::span<const FrameRequest> requests,
                         std::int64_t frames) noexcept {
  std::int64_t least = far_away;
  for (const FrameRequest& request : requests) {
    if (picture.contains(request.frame)) return 0;
    const std::int64_t nearest = request.direction > 0 ? picture.first : picture.end - 1;
    least = std::min(least, distance(request, nearest, frames));
  }
  return least;
}

std::int64_t distance_ahead(const FrameReach& picture, std::span<const FrameRequest> requests,
                            std::int64_t frames) {
  std::vector<FrameRequest> ahead(requests.begin(), requests.end());
  for (FrameRequest& request : ahead) request.kept_behind = 0;
  return distance_of(picture, ahead, frames);
}

std::optional<std::int64_t> next_target(const DecodeState& state,
                                        std::span<const FrameRequest> requests,
                                        std::span<const FrameReach> held,
                                        std::span<const FrameReach> lost) {
  std::vector<Miss> misses;
  for (const FrameRequest& request : requests)
    if (const auto miss = miss_of(request, state, held, lost)) misses.push_back(*miss);
  if (misses.empty()) return std::nullopt;
  const auto nearer = [](const Miss& a, const Miss& b) { return a.distance < b.distance; };
  const auto far_misses = std::partition(misses.begin(), misses.end(),
                                         [&](const Miss& miss) { return on_the_way(miss, state); });
  if (far_misses != misses.begin()) {
    // Every jump costs the pictures from a key picture on, so the frames on the way come first. A
    // panel elsewhere would starve if it always had to wait. If it never had to, two panels far
    // apart would make the decoder jump for every frame. Hence the delay, and a turn for the panel
    // that waits longest.
    const std::vector<Miss> elsewhere(far_misses, misses.end());
    const Miss& next = *std::min_element(misses.begin(), far_misses, nearer);
    // With a quarter of the slots ahead the jump makes nobody late, so it need not wait.
    const bool enough_ahead = next.distance >= state.slots / 4;
    const Miss* const waiting =
        longest_waiting(elsewhere, state.now_ns - (enough_ahead ? 0 : seek_delay_ns));
    if (waiting == nullptr || (next.distance == 0 && next.request->waiting_since_ns != 0 &&
                               next.request->waiting_since_ns < waiting->request->waiting_since_ns))
      return next.frame;
    return start_of_block(*waiting, state);
  }
  const Miss& next = *std::min_element(misses.begin(), misses.end(), nearer);
  // Backwards, each block of half the slots costs a jump. Waiting until less than a quarter is left
  // avoids a jump for every single frame.
  if (next.request->direction < 0 && next.distance >= state.slots / 4) return std::nullopt;
  return start_of_block(next, state);
}

}  // namespace tilewall::movie
