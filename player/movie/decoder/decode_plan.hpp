// What the decoder of a movie does next, from what the panels want. Pure: told everything, asks
// nobody.
//
// A frame's distance from a request is how many draws later that panel wants it; the movie's end is
// followed by its start, as in a loop. What nobody wants is far away.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace tilewall::movie {

/// What one panel draws next.
struct FrameRequest {
  std::int64_t frame = 0;
  int direction = 1;                  ///< 1 or -1
  std::int64_t waiting_since_ns = 0;  ///< 0: it is not waiting for it
  bool catches_up = false;            ///< shows what comes late; frames may be left out
};

/// Frames [first, end) of one picture.
struct FrameReach {
  std::int64_t first = 0;
  std::int64_t end = 0;
  [[nodiscard]] bool contains(std::int64_t frame) const noexcept {
    return frame >= first && frame < end;
  }
};

struct DecodeState {
  std::int64_t frames = 0;    ///< of the movie; 0 = unknown: no loop
  std::int64_t position = 0;  ///< what comes next without a jump
  bool at_end = false;        ///< nothing comes without a jump
  int slots = 0;
  std::int64_t now_ns = 0;
};

inline constexpr std::int64_t far_away = std::numeric_limits<std::int64_t>::max();

/// The least distance of a picture's frames from any request.
[[nodiscard]] std::int64_t distance_of(const FrameReach& picture,
                                       std::span<const FrameRequest> requests,
                                       std::int64_t frames) noexcept;

/// The frame to decode towards; empty: there is enough ahead. `held`: what slots hold. `lost`:
/// frames that cannot be had.
[[nodiscard]] std::optional<std::int64_t> next_target(const DecodeState& state,
                                                      std::span<const FrameRequest> requests,
                                                      std::span<const FrameReach> held,
                                                      std::span<const FrameReach> lost);

}  // namespace tilewall::movie
