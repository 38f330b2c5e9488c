#include "player/movie/source/tiff_picture.hpp"

#include <vector>

#include "player/movie/source/tiff_handle.hpp"

namespace tilewall {
namespace {

constexpr std::uint64_t max_rgba_px = 64'000'000;

AvFrame allocate_rgba(int width, int height) {
  AvFrame frame = new_frame();
  frame.get()->format = AV_PIX_FMT_RGBA;
  frame.get()->width = width;
  frame.get()->height = height;
  if (av_frame_get_buffer(frame.get(), 0) < 0) return {};
  return frame;
}

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
  AvFrame frame = allocate_rgba(static_cast<int>(width), static_cast<int>(height));
  if (frame.empty()) return nullptr;
  for (std::uint32_t y = 0; y < height; ++y)
    unpack_row(pixels.data() + std::size_t{y} * width, static_cast<int>(width),
               frame.get()->data[0] + static_cast<std::ptrdiff_t>(y) * frame.get()->linesize[0]);
  return share(std::move(frame));
}

}  // namespace tilewall
