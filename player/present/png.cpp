#include "player/present/png.hpp"

#include <fmt/format.h>
#include <png.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "sync/base/check.hpp"
#include "sync/base/file.hpp"

namespace tilewall::present {
namespace {

/// Frees libpng's writing state on every path.
struct PngWriter {
  png_structp png = nullptr;
  png_infop info = nullptr;
  ~PngWriter() { png_destroy_write_struct(&png, &info); }
};

[[noreturn]] void on_error(png_structp png, png_const_charp message) {
  throw JobError(
      fmt::format("{}: {}", *static_cast<const std::string*>(png_get_error_ptr(png)), message));
}

void on_warning(png_structp, png_const_charp) {}

void on_write(png_structp png, png_bytep bytes, png_size_t count) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<char*>(bytes), count);
}

void on_flush(png_structp) {}

std::string encode_png(const ImageView& picture, std::string& name) {
  std::string bytes;
  PngWriter writer;
  writer.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &name, on_error, on_warning);
  if (writer.png != nullptr) writer.info = png_create_info_struct(writer.png);
  if (writer.info == nullptr) throw JobError(name + ": out of memory");
  png_set_write_fn(writer.png, &bytes, on_write, on_flush);
  png_set_compression_level(writer.png, 3);
  png_set_filter(writer.png, PNG_FILTER_TYPE_BASE, PNG_FILTER_SUB);
  png_set_user_limits(writer.png, 0x7fffffff, 0x7fffffff);
  png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(picture.size_px.width),
               static_cast<png_uint_32>(picture.size_px.height), 8, PNG_COLOR_TYPE_RGB,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(writer.png, writer.info);
  png_set_bgr(writer.png);
  png_set_filler(writer.png, 0, PNG_FILLER_AFTER);
  for (int y = 0; y < picture.size_px.height; ++y) png_write_row(writer.png, picture.row(y));
  png_write_end(writer.png, writer.info);
  return bytes;
}

}  // namespace

void write_png(const ImageView& picture, const std::filesystem::path& file) {
  std::string name = file.string();
  if (picture.pixels == nullptr || picture.size_px.width <= 0 || picture.size_px.height <= 0)
    throw JobError(name + ": there is no picture to write");
  write_file_atomically(file, encode_png(picture, name));
}

}  // namespace tilewall::present
