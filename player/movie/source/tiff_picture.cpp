#include "player/movie/source/tiff_picture.hpp"

#include <vector>

#include "player/movie/frames/tiff_handle.hpp"
#include "player/movie/source/packed_picture.hpp"

namespace tilewall {
namespace {

constexpr std::uint64_t max_rgba_px = 64'000'000;

// libtiff packs R, G, B, A from the low byte up and premultiplies; opaque here, so black lies under
// it.
void unpack_row(const std::uint32_t* pixels, int width, std::uint8_t* row) {
  for (int x = 0; x < width; ++x) {
    row[4 * x + 0] = static_cast<std::uint8_t>(TIFFGetR(pixels[x]));
    row[4 * x + 1] = static_cast<std::uint8_t>(TIFFGetG(pixels[x]));
    row[4 * x + 2] = static_cast<std::uint8_t>(TIFFGetB(pixels[x]));
    row[4 * x + 3] = 255;
  }
}

}  // namespace

SharedFrame try_read_tiff(const std::filesystem::path& file) {
  const Tiff tiff = open_tiff_quietly(file);
  if (tiff.empty()) return nullptr;
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  if (TIFFGetField(tiff.get(), TIFFTAG_IMAGEWIDTH, &width) != 1 ||
      TIFFGetField(tiff.get(), TIFFTAG_IMAGELENGTH, &height) != 1 || width == 0 || height == 0 ||
      std::uint64_t{width} * height > max_rgba_px)
    return nullptr;
  std::vector<std::uint32_t> pixels(std::size_t{width} * height);
  if (TIFFReadRGBAImageOriented(tiff.get(), width, height, pixels.data(), ORIENTATION_TOPLEFT, 1) !=
      1)
    return nullptr;
  AvFrame frame =
      new_packed_picture(AV_PIX_FMT_RGBA, {static_cast<int>(width), static_cast<int>(height)});
  for (std::uint32_t y = 0; y < height; ++y)
    unpack_row(pixels.data() + std::size_t{y} * width, static_cast<int>(width),
               packed_row(frame, static_cast<int>(y)));
  return share(std::move(frame));
}

}  // namespace tilewall
