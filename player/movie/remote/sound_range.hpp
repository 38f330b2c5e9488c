// A part of a movie's sound, as a client asks for it. Little endian.
//
// Request: SoundRangeHeader, then the movie's name (UTF-8, no 0). Answer: the bytes of its sound
// file from the offset on, fewer than asked for at its end; none: the server could not read it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <type_traits>
#include <vector>

#include "sync/base/handle.hpp"

namespace tilewall::movie {

struct SoundRangeHeader {      // offset
  std::uint32_t magic;         //  0  'TWSR'
  std::uint32_t size_bytes;    //  4
  std::uint64_t offset_bytes;  //  8
  std::uint16_t name_bytes;    // 16
  std::uint16_t reserved[3];   // 18  0
};
static_assert(sizeof(SoundRangeHeader) == 24 && offsetof(SoundRangeHeader, size_bytes) == 4 &&
              offsetof(SoundRangeHeader, offset_bytes) == 8 &&
              offsetof(SoundRangeHeader, name_bytes) == 16 &&
              offsetof(SoundRangeHeader, reserved) == 18);
static_assert(std::is_trivially_copyable_v<SoundRangeHeader> &&
              std::has_unique_object_representations_v<SoundRangeHeader>);

inline constexpr std::uint32_t sound_range_magic = 0x52535754;  // "TWSR" in memory order
inline constexpr std::uint32_t largest_sound_range = 1 << 20;
inline constexpr std::uint64_t largest_sound_bytes = std::uint64_t{1} << 30;  // of a movie

struct SoundRange {
  std::string name;
  std::uint64_t offset_bytes = 0;
  std::uint32_t size_bytes = 0;
};

/// Whether the bytes of a request ask for sound, rather than for blocks.
[[nodiscard]] bool asks_for_sound(std::span<const std::byte> bytes) noexcept;

/// @pre a name of 1 to 255 bytes
[[nodiscard]] std::vector<std::byte> to_bytes(const SoundRange& range);

/// Throws InputError for bytes that are no such request, or out of bounds.
[[nodiscard]] SoundRange parse_sound_range(std::span<const std::byte> bytes);

// The sound of a movie on a server, brought to this host.

/// Fetches it by ranges into a file in `folder` that has no name, and goes with the descriptor.
/// Throws InputError where there is none or it is too large, JobError where it does not come or
/// cannot be written; empty when `stop` was requested.
[[nodiscard]] UniqueFd fetch_remote_sound(const std::string& url,
                                          const std::filesystem::path& folder,
                                          const std::stop_token& stop);

}  // namespace tilewall::movie
