// Wire format of a client's request for a range of a movie's sound file. Little endian.
//
// Request: SoundRangeHeader, then the movie's name (UTF-8, no 0). Answer: the bytes of the sound
// file from the offset on, fewer than requested at the end of the file. An answer of 0 bytes: the
// server could not read the file or the request.
//
// Threads: any.
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
inline constexpr std::uint64_t largest_sound_bytes = std::uint64_t{1} << 30;  // size of a file

struct SoundRange {
  std::string name;
  std::uint64_t offset_bytes = 0;
  std::uint32_t size_bytes = 0;
};

/// Whether a request is for sound, by its magic number.
[[nodiscard]] bool asks_for_sound(std::span<const std::byte> bytes) noexcept;

/// Encodes a request. @pre a name of 1 to 255 bytes
[[nodiscard]] std::vector<std::byte> to_bytes(const SoundRange& range);

/// Decodes a request. Throws InputError for bytes that are no request for sound, and for values out
/// of bounds.
[[nodiscard]] SoundRange parse_sound_range(std::span<const std::byte> bytes);

/// Fetches the sound of a movie on a server, range by range, into a file in `folder`. The file has
/// no name, and is removed with its descriptor. Returns an empty descriptor after a request of
/// `stop`. Throws InputError if the movie has no sound or more than largest_sound_bytes, JobError
/// if the sound does not come for 20 s or cannot be written. Blocks until the sound is here.
[[nodiscard]] UniqueFd fetch_remote_sound(const std::string& url,
                                          const std::filesystem::path& folder,
                                          const std::stop_token& stop);

}  // namespace tilewall::movie
