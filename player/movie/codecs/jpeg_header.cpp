#include "player/movie/codecs/jpeg_header.hpp"

namespace tilewall::movie {
namespace {

constexpr std::uint8_t start_of_image = 0xd8;
constexpr std::uint8_t end_of_image = 0xd9;
constexpr std::uint8_t start_of_scan = 0xda;
constexpr std::uint8_t first_frame_header = 0xc0;  // SOF0
constexpr std::uint8_t last_frame_header = 0xcf;

// A block of 8x8 samples takes at least one bit. A file with more pixels than that ends early, and
// is refused before it costs time and memory.
constexpr std::uint64_t max_px_per_byte = 512;

// SOF0 to SOF15; DHT, JPG and DAC lie between them.
bool is_frame_header(std::uint8_t marker) noexcept {
  return marker >= first_frame_header && marker <= last_frame_header && marker != 0xc4 &&
         marker != 0xc8 && marker != 0xcc;
}

// `frame` is a frame header after its length: precision, height, width, components.
std::optional<JpegHeader> parse_frame(std::span<const std::uint8_t> frame, bool baseline) noexcept {
  if (frame.size() < 6) return std::nullopt;
  JpegHeader header;
  header.size_px = {frame[3] << 8 | frame[4], frame[1] << 8 | frame[2]};
  header.baseline = baseline && frame[0] == 8;
  const std::size_t components = frame[5];
  header.components = frame[5];
  if (header.size_px.width == 0 || header.size_px.height == 0 || frame.size() < 6 + 3 * components)
    return std::nullopt;
  const auto sampling = [&](std::size_t component) { return frame[7 + 3 * component]; };
  if (components == 1) {
    header.chroma = Chroma::gray;
  } else if (components == 3 && sampling(1) == 0x11 && sampling(2) == 0x11) {
    if (sampling(0) == 0x22) header.chroma = Chroma::yuv420;
    if (sampling(0) == 0x11) header.chroma = Chroma::yuv444;
  }
  return header;
}

}  // namespace

std::optional<JpegHeader> read_jpeg_header(std::span<const std::uint8_t> bytes) noexcept {
  if (bytes.size() < 4 || bytes[0] != 0xff || bytes[1] != start_of_image) return std::nullopt;
  std::size_t at = 2;
  while (at + 4 <= bytes.size()) {
    if (bytes[at] != 0xff) return std::nullopt;
    const std::uint8_t marker = bytes[at + 1];
    if (marker == 0xff) {  // fill byte
      ++at;
      continue;
    }
    if (marker == start_of_scan || marker == end_of_image) return std::nullopt;
    const std::size_t length = static_cast<std::size_t>(bytes[at + 2]) << 8 | bytes[at + 3];
    if (length < 2 || length > bytes.size() - at - 2) return std::nullopt;
    if (is_frame_header(marker))
      return parse_frame(bytes.subspan(at + 4, length - 2), marker == first_frame_header);
    at += 2 + length;
  }
  return std::nullopt;
}

std::optional<SizePx> jpeg_size_px(std::span<const std::uint8_t> bytes) noexcept {
  const auto header = read_jpeg_header(bytes);
  if (!header || (header->components != 1 && header->components != 3)) return std::nullopt;
  const auto pixels = static_cast<std::uint64_t>(header->size_px.width) *
                      static_cast<std::uint64_t>(header->size_px.height);
  if (pixels / max_px_per_byte > bytes.size()) return std::nullopt;
  return header->size_px;
}

}  // namespace tilewall::movie
