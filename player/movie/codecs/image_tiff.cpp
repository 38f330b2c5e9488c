#include <fcntl.h>

#include "player/movie/codecs/image_codecs.hpp"
#include "player/movie/codecs/tiff_stream.hpp"
#include "sync/base/check.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::movie {
namespace {

constexpr std::int64_t max_alloc_bytes = std::int64_t{512} << 20;  // one strip or tile, decoded

std::optional<SizePx> size_of(TIFF* tiff) {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  if (TIFFGetField(tiff, TIFFTAG_IMAGEWIDTH, &width) != 1 ||
      TIFFGetField(tiff, TIFFTAG_IMAGELENGTH, &height) != 1)
    return std::nullopt;
  if (width == 0 || height == 0 || width > INT32_MAX || height > INT32_MAX) return std::nullopt;
  return SizePx{static_cast<int>(width), static_cast<int>(height)};
}

// Converts libtiff's R, G, B, A, whose colour is multiplied by alpha already, to B, G, R, 255.
void swap_red_and_blue(const ImageView& pixels) {
  for (int y = 0; y < pixels.size_px.height; ++y) {
    std::uint8_t* pixel = pixels.row(y);
    for (int x = 0; x < pixels.size_px.width; ++x, pixel += 4) {
      std::swap(pixel[0], pixel[2]);
      pixel[3] = 255;
    }
  }
}

// Reads pixels of the image's size: R, G, B, A, from the upper left corner on.
bool read_rgba(TIFF* tiff, SizePx size, std::uint32_t* pixels) {
  constexpr int stop_on_error = 1;
  return TIFFReadRGBAImageOriented(tiff, static_cast<std::uint32_t>(size.width),
                                   static_cast<std::uint32_t>(size.height), pixels,
                                   ORIENTATION_TOPLEFT, stop_on_error) != 0;
}

bool read_bgrx(TIFF* tiff, const ImageView& pixels) {
  char reason[1024] = "";
  if (size_of(tiff) != pixels.size_px || TIFFRGBAImageOK(tiff, reason) == 0 ||
      !read_rgba(tiff, pixels.size_px, reinterpret_cast<std::uint32_t*>(pixels.pixels)))
    return false;
  swap_red_and_blue(pixels);
  return true;
}

}  // namespace

std::optional<SizePx> tiff_size_px(ImageFile& file) {
  TiffStream stream(file.fd, "rm", max_alloc_bytes);
  std::optional<SizePx> size;
  if (stream.get() != nullptr) size = size_of(stream.get());
  file.read_bytes += stream.read_bytes();
  return size;
}

bool decode_tiff(ImageFile& file, const ImageView& pixels) {
  TiffStream stream(file.fd, "rm", max_alloc_bytes);
  const bool whole =
      stream.get() != nullptr && read_bgrx(stream.get(), pixels) && stream.error_text().empty();
  file.read_bytes += stream.read_bytes();
  return whole;
}

std::optional<RgbaPicture> read_tiff(const std::filesystem::path& file, std::uint64_t max_px) {
  const UniqueFd fd(retry_eintr([&] { return ::open(file.c_str(), O_RDONLY | O_CLOEXEC); }));
  if (fd.empty()) return std::nullopt;
  TiffStream stream(fd.get(), "rm", 0);
  const auto size = stream.get() != nullptr ? size_of(stream.get()) : std::nullopt;
  if (!size) return std::nullopt;
  const std::uint64_t pixels =
      static_cast<std::uint64_t>(size->width) * static_cast<std::uint64_t>(size->height);
  if (pixels > max_px) return std::nullopt;
  RgbaPicture picture{*size, std::vector<std::uint32_t>(pixels)};
  if (!read_rgba(stream.get(), *size, picture.pixels.data())) return std::nullopt;
  return picture;
}

}  // namespace tilewall::movie
