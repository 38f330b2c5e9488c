#include <csetjmp>
#include <cstdio>  // jpeglib.h needs it first
#include <utility>

// clang-format off
#include <jpeglib.h>
// clang-format on

#include "player/movie/codecs/image_rows.hpp"
#include "sync/base/error.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::movie {
namespace {

// libjpeg reports errors by longjmp, so every call that may fail is made under a setjmp, in a
// function that has no destructors to run.
struct JpegErrors {
  jpeg_error_mgr base = {};  // first: libjpeg hands back a pointer to it
  std::jmp_buf jump = {};
  char text[JMSG_LENGTH_MAX] = {};
};

[[noreturn]] void jump_out(j_common_ptr jpeg) {
  auto* errors = reinterpret_cast<JpegErrors*>(jpeg->err);
  errors->base.format_message(jpeg, errors->text);
  std::longjmp(errors->jump, 1);
}

void keep_quiet(j_common_ptr) {}

bool start(jpeg_decompress_struct& jpeg, JpegErrors& errors, std::FILE* file) {
  if (setjmp(errors.jump) != 0) return false;
  jpeg_create_decompress(&jpeg);
  jpeg_stdio_src(&jpeg, file);
  jpeg_read_header(&jpeg, TRUE);
  jpeg.out_color_space = jpeg.jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_calc_output_dimensions(&jpeg);
  return true;
}

// Decoding starts with the first row, not on opening: libjpeg then reads a progressive JPEG to its
// end, and keeps all of it as coefficients.
bool read_one(jpeg_decompress_struct& jpeg, JpegErrors& errors, bool first, std::uint8_t* out) {
  if (setjmp(errors.jump) != 0) return false;
  if (first) jpeg_start_decompress(&jpeg);
  JSAMPROW row = out;
  return jpeg_read_scanlines(&jpeg, &row, 1) == 1;
}

class JpegRows final : public ImageRows {
 public:
  explicit JpegRows(const std::filesystem::path& file)
      : name_(file.string()), file_(std::fopen(file.c_str(), "rb")) {
    if (file_.empty()) throw InputError({name_}, "", "a readable file", "none");
    jpeg_.err = jpeg_std_error(&errors_.base);
    errors_.base.error_exit = &jump_out;
    errors_.base.output_message = &keep_quiet;
    if (!start(jpeg_, errors_, file_.get())) {
      jpeg_destroy_decompress(&jpeg_);
      throw InputError({name_}, "", "a JPEG", errors_.text);
    }
    size_px_ = {static_cast<int>(jpeg_.output_width), static_cast<int>(jpeg_.output_height)};
    channels_ = jpeg_.out_color_space == JCS_GRAYSCALE ? 1 : 3;
    halved_chroma_ = jpeg_.num_components == 3 && jpeg_.comp_info[0].h_samp_factor == 2 &&
                     jpeg_.comp_info[0].v_samp_factor == 2;
    refuse_large_progressive();
  }
  ~JpegRows() override { jpeg_destroy_decompress(&jpeg_); }

  void read_row(std::uint8_t* out) override {
    if (!read_one(jpeg_, errors_, !std::exchange(started_, true), out))
      throw InputError({name_}, "row " + std::to_string(jpeg_.output_scanline), "pixels",
                       errors_.text);
  }

 private:
  void refuse_large_progressive() {
    constexpr std::size_t coefficient_bytes = 2;
    const std::size_t held = static_cast<std::size_t>(size_px_.width) *
                             static_cast<std::size_t>(size_px_.height) * coefficient_bytes *
                             (halved_chroma_ ? 3 : 2 * static_cast<std::size_t>(channels_)) / 2;
    if (jpeg_has_multiple_scans(&jpeg_) != 0 && held > 4 * max_row_store_bytes) {
      jpeg_destroy_decompress(&jpeg_);
      throw InputError({name_}, "", "a baseline JPEG, as one of this size is read by rows",
                       "a progressive one");
    }
  }

  const std::string name_;
  bool started_ = false;
  UniqueFile file_;
  JpegErrors errors_;
  jpeg_decompress_struct jpeg_ = {};
};

}  // namespace

std::unique_ptr<ImageRows> open_jpeg_rows(const std::filesystem::path& file) {
  return std::make_unique<JpegRows>(file);
}

}  // namespace tilewall::movie
