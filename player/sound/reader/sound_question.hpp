// What the sound process and its readers tell each other: one packet of a local socket each way.
// Both are of one build, so structs are sent as they are.
//
// The reader's first answer comes without a question, once it has opened its file.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

namespace tilewall::sound {

inline constexpr int lowest_rate_hz = 1000;  ///< Rate of a file's sound
inline constexpr int highest_rate_hz = 768'000;
inline constexpr int pcm_channels = 2;  ///< left, right, interleaved
inline constexpr std::int64_t chunk_frames = 4096;

/// Frames [index * chunk_frames, ...) of a file's sound; beyond its ends: silence.
using PcmChunk = std::array<float, chunk_frames * pcm_channels>;

struct SoundQuestion {
  std::int64_t chunk = 0;  ///< Index of the chunk that is wanted
};

enum class SoundOutcome : std::int32_t { done, bad_input, failed };

struct SoundAnswer {
  SoundOutcome outcome = SoundOutcome::done;
  std::int32_t rate_hz = 0;
  std::int64_t damaged_packets = 0;  ///< SoundFile::damaged_packets
  char line[1024] = {};              ///< The error's line where the outcome is not done
  PcmChunk chunk = {};               ///< Silence in the first answer
};
static_assert(std::is_trivially_copyable_v<SoundQuestion> &&
              std::is_trivially_copyable_v<SoundAnswer>);

}  // namespace tilewall::sound
