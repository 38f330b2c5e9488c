#include <utility>

#include "player/movie/codecs/image_rows.hpp"
#include "player/movie/codecs/libjpeg.hpp"
#include "sync/base/error.hpp"
#include "sync/base/handle.hpp"

namespace tilewall::movie {
namespace {

void start_rows(jpeg_decompress_struct& jpeg, std::FILE* file) {
  jpeg_stdio_src(&jpeg, file);
  jpeg_read_header(&jpeg, TRUE);
  jpeg.out_color_space = jpeg.jpeg_color_space == JCS_GRAYSCALE ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_calc_output_dimensions(&jpeg);
}

class JpegRows final : public ImageRows {
 public:
  explicit JpegRows(const std::filesystem::path& file)
      : name_(file.string()), file_(std::fopen(file.c_str(), "rb")) {
    if (file_.empty()) throw InputError({name_}, "", "a readable file", "none");
    bool is_progressive = false;
    const bool read = jpeg_.guarded([&](jpeg_decompress_struct& jpeg) {
      start_rows(jpeg, file_.get());
      is_progressive = jpeg_has_multiple_scans(&jpeg) != 0;
    });
    if (!read) throw InputError({name_}, "", "a JPEG", jpeg_.error_text());
    const jpeg_decompress_struct& jpeg = jpeg_.state();
    size_px_ = {static_cast<int>(jpeg.output_width), static_cast<int>(jpeg.output_height)};
    channels_ = jpeg.out_color_space == JCS_GRAYSCALE ? 1 : 3;
    halved_chroma_ = jpeg.num_components == 3 && jpeg.comp_info[0].h_samp_factor == 2 &&
                     jpeg.comp_info[0].v_samp_factor == 2;
    if (is_progressive) refuse_large_progressive();
  }

  // Decoding starts with the first row, not on opening: libjpeg then reads a progressive JPEG to
  // its end, and keeps all of it as coefficients.
  void read_row(std::uint8_t* out) override {
    const bool is_first = !std::exchange(started_, true);
    JDIMENSION rows = 0;
    const bool read = jpeg_.guarded([&](jpeg_decompress_struct& jpeg) {
      if (is_first) jpeg_start_decompress(&jpeg);
      JSAMPROW row = out;
      rows = jpeg_read_scanlines(&jpeg, &row, 1);
    });
    if (!read || rows != 1)
      throw InputError({name_}, "row " + std::to_string(jpeg_.state().output_scanline), "pixels",
                       jpeg_.error_text());
  }

 private:
  void refuse_large_progressive() const {
    constexpr std::size_t coefficient_bytes = 2;
    const std::size_t held = static_cast<std::size_t>(size_px_.width) *
                             static_cast<std::size_t>(size_px_.height) * coefficient_bytes *
                             (halved_chroma_ ? 3 : 2 * static_cast<std::size_t>(channels_)) / 2;
    if (held > 4 * max_row_store_bytes)
      throw InputError({name_}, "", "a baseline JPEG, as one of this size is read by rows",
                       "a progressive one");
  }

  const std::string name_;
  bool started_ = false;
  const UniqueFile file_;
  JpegDecompressor jpeg_;
};

}  // namespace

std::unique_ptr<ImageRows> open_jpeg_rows(const std::filesystem::path& file) {
  return std::make_unique<JpegRows>(file);
}

}  // namespace tilewall::movie
