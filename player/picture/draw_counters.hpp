// What drawing a picture came to.
#pragma once

#include <atomic>
#include <cstdint>

#include "player/scene/source_status.hpp"

namespace tilewall::picture {

/// What a picture source did so far. Written by the drawing threads, read by any.
struct DrawCounters {
  std::atomic<std::uint64_t> read_bytes{0};      ///< from files, indexes included
  std::atomic<std::uint64_t> decoded_px{0};      ///< pixels that came out of a decoder
  std::atomic<std::uint64_t> decode_ns{0};       ///< thread time spent decoding and scaling
  std::atomic<std::uint64_t> damaged_blocks{0};  ///< that could not be read or decoded
  std::atomic<std::uint64_t> damaged_frames{0};  ///< with at least one such block, or missing whole
  std::atomic<std::uint64_t> received_bytes{0};  ///< from servers
  std::atomic<std::uint64_t> lost_packets{0};    ///< on the way from there
  std::atomic<std::uint64_t> repaired_packets{0};    ///< that came again, in time or not
  std::atomic<std::uint64_t> window_bytes{0};        ///< TCP may have under way; 0: not by TCP
  std::atomic<std::uint64_t> staged_bytes{0};        ///< of frames to come, in memory now
  std::atomic<std::uint64_t> stage_budget_bytes{0};  ///< of the panel; 0: nothing is staged
  std::atomic<std::uint64_t> samples{0};             ///< of volumes
  // Of what draws volumes for all panels of the host, since it was started.
  std::atomic<int> level{0};  ///< of the pyramid, that the newest picture was drawn from
  /// Of the newest picture; never black, which is for those who have the picture before.
  std::atomic<scene::FrameDamage> damage{scene::FrameDamage::none};
};

/// finer_available: a better one could be drawn, but DrawParameters::defers. provisional: a better
/// one is being made ready; DrawParameters::awaits_best gets it. damaged: (a part of) the last good
/// picture was drawn in place of the frame. abandoned: the picture was not drawn, because nobody
/// waits for it any more. Of several parts of a picture the greatest is the picture's.
enum class DrawStatus { whole, finer_available, provisional, damaged, abandoned };

}  // namespace tilewall::picture
