#include "player/movie/codecs/png_writer.hpp"

#include <png.h>

#include <csetjmp>
#include <cstdio>

#include "sync/base/error.hpp"
#include "sync/base/file.hpp"

namespace tilewall::movie {
namespace {

constexpr int png_level = 3;                        // deflate's level
constexpr png_uint_32 widest_png_px = 0x7fff'ffff;  // PNG stores a side in 31 bits

// One PNG in the making.
class PngWriter {
 public:
  PngWriter() : png_(png_create_write_struct(PNG_LIBPNG_VER_STRING, this, &leave, &ignore)) {
    if (png_ != nullptr) info_ = png_create_info_struct(png_);
  }
  ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  // libpng reports errors by longjmp, so write() has no objects with destructors.
  bool encode(const PngPicture& picture) {
    if (info_ == nullptr || setjmp(png_jmpbuf(png_)) != 0) return false;
    write(picture);
    return true;
  }
  [[nodiscard]] std::string take_bytes() { return std::move(bytes_); }
  [[nodiscard]] const char* error_text() const { return error_text_; }

 private:
  [[noreturn]] static void leave(png_structp png, png_const_charp message) {
    auto& writer = *static_cast<PngWriter*>(png_get_error_ptr(png));
    std::snprintf(writer.error_text_, sizeof writer.error_text_, "%s", message);
    png_longjmp(png, 1);
  }
  static void ignore(png_structp, png_const_charp) {}
  static void append(png_structp png, png_bytep bytes, png_size_t count) {
    static_cast<PngWriter*>(png_get_io_ptr(png))
        ->bytes_.append(reinterpret_cast<char*>(bytes), count);
  }
  static void flush(png_structp) {}

  void write(const PngPicture& picture) {
    png_set_write_fn(png_, this, &append, &flush);
    png_set_user_limits(png_, widest_png_px, widest_png_px);
    png_set_IHDR(png_, info_, static_cast<png_uint_32>(picture.size_px.width),
                 static_cast<png_uint_32>(picture.size_px.height), 8,
                 picture.layout == PngPixels::gray ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (picture.is_srgb) png_set_sRGB(png_, info_, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png_, info_);
    // Before the header is written, libpng would take "no filters" for "choose them".
    png_set_filter(png_, PNG_FILTER_TYPE_BASE,
                   picture.is_filtered ? PNG_FILTER_SUB : PNG_NO_FILTERS);
    png_set_compression_level(png_, png_level);
    if (picture.layout == PngPixels::bgrx) {
      png_set_bgr(png_);
      png_set_filler(png_, 0, PNG_FILLER_AFTER);
    }
    for (int y = 0; y < picture.size_px.height; ++y)
      png_write_row(png_, picture.pixels + static_cast<std::size_t>(y) * picture.stride_bytes);
    png_write_end(png_, info_);
  }

  std::string bytes_;
  char error_text_[128] = "out of memory";
  png_structp png_ = nullptr;
  png_infop info_ = nullptr;
};

}  // namespace

std::string encode_png(const PngPicture& picture, const std::string& name) {
  PngWriter writer;
  if (!writer.encode(picture)) throw JobError(name + ": " + writer.error_text());
  return writer.take_bytes();
}

std::string encode_snapshot(const ImageView& picture, const std::string& name) {
  if (picture.pixels == nullptr || picture.size_px.width <= 0 || picture.size_px.height <= 0)
    throw JobError(name + ": there is no picture to write");
  PngPicture snapshot{picture.pixels, picture.size_px, picture.stride_bytes, PngPixels::bgrx};
  snapshot.is_filtered = true;
  return encode_png(snapshot, name);
}

void write_snapshot(const ImageView& picture, const std::filesystem::path& file) {
  rewrite_file_atomically(file, encode_snapshot(picture, file.string()));
}

}  // namespace tilewall::movie
