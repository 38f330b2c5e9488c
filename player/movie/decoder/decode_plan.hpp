// Chooses the frame that a movie's decoder goes towards next, from the frames that panels request.
// Pure: the arguments hold all state.
//
// The distance from a request to a frame is the number of draws until that panel shows the frame.
// The movie's end is followed by its start, as in a loop. A frame that no panel will show is
// far_away. Frames just behind a request are kept for some time: a panel that has drawn ahead draws
// them again where the scene changes.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace tilewall::movie {

/// The frame that one panel draws next.
struct FrameRequest {
  std::int64_t frame = 0;
  int direction = 1;                  ///< 1 or -1
  std::int64_t waiting_since_ns = 0;  ///< CLOCK_MONOTONIC; 0: the panel does not wait
  bool catches_up = false;            ///< the panel shows late pictures; frames may be left out
  /// So many frames before it may be drawn again: they count as `kept_distance` frames ahead.
  int kept_behind = 0;
  std::int64_t kept_distance = 0;
};

/// Consecutive frames [first, end), such as those that one picture fills.
struct FrameReach {
  std::int64_t first = 0;
  std::int64_t end = 0;
  [[nodiscard]] bool contains(std::int64_t frame) const noexcept {
    return frame >= first && frame < end;
  }
};

struct DecodeState {
  std::int64_t frames = 0;    ///< length of the movie; 0 = unknown, and then it is no loop
  std::int64_t position = 0;  ///< the frame that comes next without a jump
  bool at_end = false;        ///< no frame comes without a jump
  int slots = 0;              ///< pictures that the memory holds
  std::int64_t now_ns = 0;    ///< CLOCK_MONOTONIC
};

inline constexpr std::int64_t far_away = std::numeric_limits<std::int64_t>::max();

/// The smallest distance from any request to a frame of the picture. `frames`: length of the movie;
/// 0 if unknown.
[[nodiscard]] std::int64_t distance_of(const FrameReach& picture,
                                       std::span<const FrameRequest> requests,
                                       std::int64_t frames) noexcept;

/// The same for a picture that is not stored yet, so that there is nothing to keep behind a
/// request.
[[nodiscard]] std::int64_t distance_ahead(const FrameReach& picture,
                                          std::span<const FrameRequest> requests,
                                          std::int64_t frames);

/// The frame to decode towards; empty if enough is decoded ahead. `held`: frames in slots. `lost`:
/// frames that will never come.
[[nodiscard]] std::optional<std::int64_t> next_target(const DecodeState& state,
                                                      std::span<const FrameRequest> requests,
                                                      std::span<const FrameReach> held,
                                                      std::span<const FrameReach> lost);

}  // namespace tilewall::movie
