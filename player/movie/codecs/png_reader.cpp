#include "player/movie/codecs/png_reader.hpp"

#include <png.h>
#include <unistd.h>

#include <csetjmp>
#include <cstdio>

#include "sync/base/check.hpp"

namespace tilewall::movie {
namespace {

constexpr png_uint_32 max_png_side_px = 1'000'000;

}  // namespace

struct PngReader::Callbacks {
  static void read(png_structp png, png_bytep bytes, size_t size) {
    auto& reader = *static_cast<PngReader*>(png_get_io_ptr(png));
    while (size > 0) {
      const ssize_t got = retry_eintr(
          [&] { return ::pread(reader.fd_, bytes, size, static_cast<off_t>(reader.read_bytes_)); });
      if (got <= 0) png_error(png, "Read Error");
      reader.read_bytes_ += static_cast<std::uint64_t>(got);
      bytes += got;
      size -= static_cast<size_t>(got);
    }
  }

  [[noreturn]] static void leave(png_structp png, png_const_charp message) {
    auto& reader = *static_cast<PngReader*>(png_get_error_ptr(png));
    std::snprintf(reader.error_text_, sizeof reader.error_text_, "%s", message);
    png_longjmp(png, 1);
  }

  static void ignore(png_structp, png_const_charp) {}
};

// Runs `work`, which calls libpng; false if libpng found an error. libpng then jumps back here, so
// `work` may have no objects with destructors.
template <typename Work>
bool PngReader::guarded(const Work& work) noexcept {
  if (info_ == nullptr || setjmp(png_jmpbuf(png_)) != 0) return false;
  work();
  return true;
}

PngReader::PngReader(int fd) noexcept
    : fd_(fd),
      png_(png_create_read_struct(PNG_LIBPNG_VER_STRING, this, &Callbacks::leave,
                                  &Callbacks::ignore)) {
  if (png_ != nullptr) info_ = png_create_info_struct(png_);
}

PngReader::~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }

bool PngReader::read_header() noexcept {
  return guarded([this] {
    png_set_read_fn(png_, this, &Callbacks::read);
    png_set_user_limits(png_, max_png_side_px, max_png_side_px);
    png_read_info(png_, info_);
    has_alpha_ = (png_get_color_type(png_, info_) & PNG_COLOR_MASK_ALPHA) != 0 ||
                 png_get_valid(png_, info_, PNG_INFO_tRNS) != 0;
  });
}

bool PngReader::convert_to(PngSamples samples) noexcept {
  return guarded([this, samples] {
    png_set_expand(png_);
    png_set_scale_16(png_);
    if (samples == PngSamples::bgra) {
      png_set_gray_to_rgb(png_);
      png_set_bgr(png_);
      png_set_add_alpha(png_, 255, PNG_FILLER_AFTER);
      passes_ = png_set_interlace_handling(png_);
    }
    png_read_update_info(png_, info_);
  });
}

SizePx PngReader::size_px() const noexcept {
  return {static_cast<int>(png_get_image_width(png_, info_)),
          static_cast<int>(png_get_image_height(png_, info_))};
}

bool PngReader::interlaced() const noexcept {
  return png_get_interlace_type(png_, info_) != PNG_INTERLACE_NONE;
}

bool PngReader::has_alpha() const noexcept { return has_alpha_; }

int PngReader::channels() const noexcept { return png_get_channels(png_, info_); }

std::size_t PngReader::row_bytes() const noexcept { return png_get_rowbytes(png_, info_); }

bool PngReader::read_row(std::uint8_t* row) noexcept {
  return guarded([this, row] { png_read_row(png_, row, nullptr); });
}

bool PngReader::read_rows(const ImageView& pixels) noexcept {
  return guarded([this, &pixels] {
    for (int pass = 0; pass < passes_; ++pass)
      for (int y = 0; y < pixels.size_px.height; ++y) png_read_row(png_, pixels.row(y), nullptr);
    png_read_end(png_, nullptr);
  });
}

}  // namespace tilewall::movie
