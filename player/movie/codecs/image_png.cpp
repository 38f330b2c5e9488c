#include <png.h>
#include <unistd.h>

#include <csetjmp>

#include "player/movie/codecs/image_codecs.hpp"
#include "sync/base/check.hpp"

namespace tilewall::movie {
namespace {

// libpng reports errors by longjmp, so nothing in these functions may have a destructor.
struct PngRead {
  ImageFile* file;
  off_t at = 0;
  png_structp png = nullptr;
  png_infop info = nullptr;
};

constexpr png_uint_32 max_side_px = 1'000'000;

void read_bytes(png_structp png, png_bytep bytes, size_t size) {
  auto& read = *static_cast<PngRead*>(png_get_io_ptr(png));
  while (size > 0) {
    const ssize_t got = retry_eintr([&] { return ::pread(read.file->fd, bytes, size, read.at); });
    if (got <= 0) png_error(png, "the file ends early");
    read.at += got;
    read.file->read_bytes += static_cast<std::uint64_t>(got);
    bytes += got;
    size -= static_cast<size_t>(got);
  }
}

void leave(png_structp png, png_const_charp) { png_longjmp(png, 1); }

void ignore(png_structp, png_const_charp) {}

bool open_png(PngRead& read) {
  read.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, &leave, &ignore);
  if (read.png != nullptr) read.info = png_create_info_struct(read.png);
  return read.info != nullptr;
}

void read_header(PngRead& read) {
  png_set_read_fn(read.png, &read, &read_bytes);
  png_set_user_limits(read.png, max_side_px, max_side_px);
  png_read_info(read.png, read.info);
}

bool has_size(const PngRead& read, SizePx size) {
  return png_get_image_width(read.png, read.info) == static_cast<png_uint_32>(size.width) &&
         png_get_image_height(read.png, read.info) == static_cast<png_uint_32>(size.height);
}

// Sets libpng up to give 8-bit B, G, R, A from any file; returns the number of passes.
int ask_for_bgra(const PngRead& read) {
  png_set_expand(read.png);
  png_set_scale_16(read.png);
  png_set_gray_to_rgb(read.png);
  png_set_bgr(read.png);
  png_set_add_alpha(read.png, 255, PNG_FILLER_AFTER);
  const int passes = png_set_interlace_handling(read.png);
  png_read_update_info(read.png, read.info);
  return passes;
}

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

// libpng jumps back into these functions on errors. They have no objects with destructors, and
// change no local variables after setjmp().
bool try_read_header(PngRead& read) {
  if (setjmp(png_jmpbuf(read.png)) != 0) return false;
  read_header(read);
  return true;
}

bool try_read_rows(PngRead& read, const ImageView& pixels, bool& has_alpha) {
  if (setjmp(png_jmpbuf(read.png)) != 0) return false;
  read_header(read);
  if (!has_size(read, pixels.size_px)) return false;
  has_alpha = (png_get_color_type(read.png, read.info) & PNG_COLOR_MASK_ALPHA) != 0 ||
              png_get_valid(read.png, read.info, PNG_INFO_tRNS) != 0;
  const int passes = ask_for_bgra(read);
  if (png_get_rowbytes(read.png, read.info) != static_cast<std::size_t>(pixels.size_px.width) * 4)
    return false;
  for (int pass = 0; pass < passes; ++pass)
    for (int y = 0; y < pixels.size_px.height; ++y) png_read_row(read.png, pixels.row(y), nullptr);
  png_read_end(read.png, nullptr);
  return true;
}

}  // namespace

std::optional<SizePx> png_size_px(ImageFile& file) noexcept {
  PngRead read{&file};
  std::optional<SizePx> size;
  if (open_png(read) && try_read_header(read))
    size = SizePx{static_cast<int>(png_get_image_width(read.png, read.info)),
                  static_cast<int>(png_get_image_height(read.png, read.info))};
  png_destroy_read_struct(&read.png, &read.info, nullptr);
  return size;
}

bool decode_png(ImageFile& file, const ImageView& pixels) noexcept {
  PngRead read{&file};
  bool has_alpha = false;
  const bool whole = open_png(read) && try_read_rows(read, pixels, has_alpha);
  png_destroy_read_struct(&read.png, &read.info, nullptr);
  if (whole && has_alpha) lay_over_black(pixels);
  return whole;
}

}  // namespace tilewall::movie
