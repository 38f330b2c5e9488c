#include "player/movie/convert/image_writer.hpp"

#include <png.h>

#include <string_view>
#include <vector>

#include "player/movie/codecs/jpeg_planes.hpp"
#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::movie {
namespace {

constexpr int jpeg_quality = 95;

std::uint64_t write_bytes(const std::filesystem::path& file,
                          const std::vector<unsigned char>& bytes) {
  write_file_atomically(file, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  return bytes.size();
}

std::vector<unsigned char> png_bytes(const unsigned char* pixels, SizePx size,
                                     std::size_t stride_bytes, std::uint32_t format) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(size.width);
  image.height = static_cast<png_uint_32>(size.height);
  image.format = format;
  image.flags = PNG_IMAGE_FLAG_FAST;
  png_alloc_size_t bytes = 0;
  const auto stride = static_cast<png_int_32>(stride_bytes);
  std::vector<unsigned char> out(PNG_IMAGE_PNG_SIZE_MAX(image));
  bytes = out.size();
  if (png_image_write_to_memory(&image, out.data(), &bytes, 0, pixels, stride, nullptr) == 0)
    throw JobError(std::string("PNG: ") + image.message);
  out.resize(bytes);
  return out;
}

}  // namespace

std::uint64_t write_png(const PlanarPicture& picture, const std::filesystem::path& file) {
  if (picture.chroma == Chroma::gray) {
    const Plane& gray = picture.planes[0];
    return write_bytes(
        file, png_bytes(gray.samples.data(), picture.size_px, gray.stride_bytes, PNG_FORMAT_GRAY));
  }
  const RgbPixels rgb = rgb_of(picture);
  return write_bytes(
      file, png_bytes(rgb.data(), picture.size_px,
                      static_cast<std::size_t>(picture.size_px.width) * 3, PNG_FORMAT_RGB));
}

std::uint64_t write_jpeg(const PlanarPicture& picture, const std::filesystem::path& file) {
  return write_bytes(file, encode_jpeg(picture, jpeg_quality));
}

}  // namespace tilewall::movie
