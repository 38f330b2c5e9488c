#include "player/movie/remote/sound_range.hpp"

#include <cstring>

#include "player/movie/remote/block_request.hpp"
#include "sync/base/error.hpp"

namespace tilewall {

bool asks_for_sound(std::span<const std::byte> bytes) noexcept {
  std::uint32_t magic = 0;
  if (bytes.size() < sizeof magic) return false;
  std::memcpy(&magic, bytes.data(), sizeof magic);
  return magic == sound_range_magic;
}

std::vector<std::byte> to_bytes(const SoundRange& range) {
  const SoundRangeHeader header{sound_range_magic,
                                range.size_bytes,
                                range.offset_bytes,
                                static_cast<std::uint16_t>(range.name.size()),
                                {}};
  std::vector<std::byte> bytes(sizeof header + range.name.size());
  std::memcpy(bytes.data(), &header, sizeof header);
  std::memcpy(bytes.data() + sizeof header, range.name.data(), range.name.size());
  return bytes;
}

SoundRange parse_sound_range(std::span<const std::byte> bytes) {
  const auto refuse = [](const char* field, const char* expected) {
    throw InputError({"sound request"}, field, expected, "another value");
  };
  SoundRangeHeader header = {};
  if (bytes.size() < sizeof header) refuse("size", "a header of 24 bytes");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.magic != sound_range_magic) refuse("magic", "TWSR");
  if (header.name_bytes == 0 || header.name_bytes > longest_movie_name)
    refuse("name_bytes", "1 to 255");
  if (bytes.size() != sizeof header + header.name_bytes)
    refuse("size", "as many bytes as the name has");
  if (header.size_bytes == 0 || header.size_bytes > largest_sound_range)
    refuse("size_bytes", "1 to 1048576");
  if (header.offset_bytes >= largest_sound_bytes) refuse("offset_bytes", "below 2^30");
  return {{reinterpret_cast<const char*>(bytes.data()) + sizeof header, header.name_bytes},
          header.offset_bytes,
          header.size_bytes};
}

}  // namespace tilewall
