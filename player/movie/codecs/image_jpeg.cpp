#include "player/movie/codecs/image_codecs.hpp"
#include "player/movie/codecs/jpeg_header.hpp"

namespace tilewall::movie {
namespace {

// A block of 8x8 samples takes at least one bit. A file with more pixels than that ends early, and
// is refused before it costs time and memory.
constexpr std::uint64_t max_px_per_byte = 512;

}  // namespace

std::optional<SizePx> jpeg_size_px(std::span<const std::uint8_t> bytes) noexcept {
  const auto header = read_jpeg_header(bytes);
  if (!header || (header->components != 1 && header->components != 3)) return std::nullopt;
  const auto pixels = static_cast<std::uint64_t>(header->size_px.width) *
                      static_cast<std::uint64_t>(header->size_px.height);
  if (pixels / max_px_per_byte > bytes.size()) return std::nullopt;
  return header->size_px;
}

bool decode_jpeg(std::span<const std::uint8_t> bytes, tjhandle jpeg,
                 const ImageView& pixels) noexcept {
  return tjDecompress2(jpeg, bytes.data(), bytes.size(), pixels.pixels, pixels.size_px.width,
                       static_cast<int>(pixels.stride_bytes), pixels.size_px.height, TJPF_BGRA,
                       TJFLAG_LIMITSCANS) == 0;
}

}  // namespace tilewall::movie
