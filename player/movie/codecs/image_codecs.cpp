#include "player/movie/codecs/image_codecs.hpp"

#include <unistd.h>

#include <array>
#include <string_view>

#include "player/movie/codecs/png_reader.hpp"
#include "sync/base/check.hpp"

namespace tilewall::movie {
namespace {

void lay_over_black(const ImageView& pixels) {
  for (int y = 0; y < pixels.size_px.height; ++y) {
    std::uint8_t* pixel = pixels.row(y);
    for (int x = 0; x < pixels.size_px.width; ++x, pixel += 4) {
      const unsigned alpha = pixel[3];
      for (int i = 0; i < 3; ++i)
        pixel[i] = static_cast<std::uint8_t>((pixel[i] * alpha + 127) / 255);
      pixel[3] = 255;
    }
  }
}

bool read_bgrx(PngReader& png, const ImageView& pixels) {
  if (!png.read_header() || png.size_px() != pixels.size_px) return false;
  if (!png.convert_to(PngSamples::bgra) ||
      png.row_bytes() != static_cast<std::size_t>(pixels.size_px.width) * 4)
    return false;
  if (!png.read_rows(pixels)) return false;
  if (png.has_alpha()) lay_over_black(pixels);
  return true;
}

}  // namespace

std::optional<ImageKind> kind_of_image(int fd) noexcept {
  using namespace std::string_view_literals;
  std::array<char, 8> head = {};
  const ssize_t got = retry_eintr([&] { return ::pread(fd, head.data(), head.size(), 0); });
  const std::string_view bytes(head.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  if (bytes.starts_with("\xff\xd8\xff"sv)) return ImageKind::jpeg;
  if (bytes == "\x89PNG\r\n\x1a\n"sv) return ImageKind::png;
  for (const auto tiff : {"II*\0"sv, "II+\0"sv, "MM\0*"sv, "MM\0+"sv})
    if (bytes.starts_with(tiff)) return ImageKind::tiff;
  return std::nullopt;
}

std::optional<SizePx> png_size_px(ImageFile& file) noexcept {
  PngReader png(file.fd);
  std::optional<SizePx> size;
  if (png.read_header()) size = png.size_px();
  file.read_bytes += png.read_bytes();
  return size;
}

bool decode_png(ImageFile& file, const ImageView& pixels) noexcept {
  PngReader png(file.fd);
  const bool whole = read_bgrx(png, pixels);
  file.read_bytes += png.read_bytes();
  return whole;
}

}  // namespace tilewall::movie
