#include "player/movie/convert/image_writer.hpp"

#include <string_view>

#include "player/movie/codecs/jpeg_codec.hpp"
#include "player/movie/codecs/png_writer.hpp"
#include "player/movie/convert/exr_writer.hpp"
#include "sync/base/file.hpp"

namespace tilewall::movie {
namespace {

constexpr int jpeg_quality = 95;

std::uint64_t write_bytes(const std::filesystem::path& file, std::string_view bytes) {
  write_file_atomically(file, bytes);
  return bytes.size();
}

}  // namespace

std::uint64_t write_png(const PlanarPicture& picture, const std::filesystem::path& file) {
  PngPicture png;
  png.size_px = picture.size_px;
  png.is_srgb = true;
  RgbPixels rgb;
  if (picture.chroma == Chroma::gray) {
    png.layout = PngPixels::gray;
    png.pixels = picture.planes[0].samples.data();
    png.stride_bytes = picture.planes[0].stride_bytes;
  } else {
    rgb = rgb_of(picture);
    png.pixels = rgb.data();
    png.stride_bytes = static_cast<std::size_t>(picture.size_px.width) * 3;
  }
  return write_bytes(file, encode_png(png, "PNG"));
}

std::uint64_t write_jpeg(const PlanarPicture& picture, const std::filesystem::path& file) {
  const std::vector<unsigned char> jpeg = encode_jpeg(picture, jpeg_quality);
  return write_bytes(file, {reinterpret_cast<const char*>(jpeg.data()), jpeg.size()});
}

std::uint64_t write_exr(const AVFrame& picture, const std::filesystem::path& file) {
  return write_bytes(file, encode_exr(picture));
}

}  // namespace tilewall::movie
