// Counters of what a picture source has read, decoded and received, and how a draw ended.
#pragma once

#include <atomic>
#include <cstdint>

#include "player/scene/source_status.hpp"

namespace tilewall::picture {

/// What a picture source has done since it was opened. Written by the drawing threads, read by any
/// thread.
struct DrawCounters {
  std::atomic<std::uint64_t> read_bytes{0};      ///< Bytes read from files, indexes included
  std::atomic<std::uint64_t> decoded_px{0};      ///< Pixels that came out of a decoder
  std::atomic<std::uint64_t> decode_ns{0};       ///< Thread time spent decoding and scaling
  std::atomic<std::uint64_t> damaged_blocks{0};  ///< Blocks that could not be read or decoded
  std::atomic<std::uint64_t> damaged_frames{0};  ///< Frames with a damaged block, or missing whole
  std::atomic<std::uint64_t> received_bytes{0};  ///< Bytes received from servers
  std::atomic<std::uint64_t> lost_packets{0};    ///< Packets lost on the way from servers
  std::atomic<std::uint64_t> repaired_packets{0};  ///< Lost packets that came again, in time or not
  std::atomic<std::uint64_t> window_bytes{0};  ///< Bytes that TCP may have in flight; 0: not by TCP
  std::atomic<std::uint64_t> staged_bytes{0};  ///< Bytes of coming frames in memory now
  /// Limit of staged_bytes; 0: nothing is staged.
  std::atomic<std::uint64_t> stage_budget_bytes{0};
  std::atomic<std::uint64_t> samples{0};  ///< Samples taken of volumes
  std::atomic<int> level{0};              ///< Pyramid level that the newest picture was drawn from
  /// Damage of the newest picture. Never `black`, which only the owner of the picture before can
  /// tell.
  std::atomic<scene::FrameDamage> damage{scene::FrameDamage::none};
};

/// How a draw ended. finer_available: a better picture could be drawn, but DrawParameters::defers
/// forbids it. provisional: a better picture is being made ready, and DrawParameters::awaits_best
/// would wait for it. damaged: the last good picture, or a part of it, was drawn in place of the
/// frame. abandoned: nothing was drawn, because nobody waits for the picture any more. A picture
/// drawn in parts has the greatest status of its parts.
enum class DrawStatus { whole, finer_available, provisional, damaged, abandoned };

}  // namespace tilewall::picture
