#include "player/movie/codecs/jpeg_part.hpp"

#include <algorithm>
#include <cstring>

#include "player/movie/codecs/libjpeg.hpp"
#include "player/movie/codecs/planar_picture.hpp"

namespace tilewall::movie {
namespace {

constexpr int band_rows = 16;  // rows decoded at once: one row of 4:2:0 coding units

// Upsampled chroma is a mean of neighbours, so columns are decoded with these on both sides.
// Without them, the part's edge columns would differ from those of the whole image.
constexpr int neighbours_px = 2;

bool start_part(jpeg_decompress_struct& jpeg, std::span<const std::uint8_t> bytes,
                SizePx image_px) {
  jpeg_mem_src(&jpeg, bytes.data(), bytes.size());
  if (jpeg_read_header(&jpeg, TRUE) != JPEG_HEADER_OK) return false;
  if (jpeg.image_width != static_cast<JDIMENSION>(image_px.width) ||
      jpeg.image_height != static_cast<JDIMENSION>(image_px.height))
    return false;
  jpeg.out_color_space = JCS_EXT_BGRA;  // BGRX with the last byte guaranteed to be 255
  return jpeg_start_decompress(&jpeg) == TRUE;
}

// Limits decoding to the part's columns. Returns the column of the first decoded pixel, which
// libjpeg moves left to a coding unit.
int crop_columns(jpeg_decompress_struct& jpeg, int image_width, const RectPx& part) {
  if (part.width == image_width) return 0;
  const int left = std::max(0, part.x - neighbours_px);
  const int right = std::min(image_width, part.right() + neighbours_px);
  auto first = static_cast<JDIMENSION>(left);
  auto width = static_cast<JDIMENSION>(right - left);
  jpeg_crop_scanline(&jpeg, &first, &width);
  return static_cast<int>(first);
}

// Decodes rows of the full width straight into `dst`.
void read_whole_rows(jpeg_decompress_struct& jpeg, const ImageView& dst) {
  JSAMPROW rows[band_rows];
  for (int y = 0; y < dst.size_px.height;) {
    const int wanted = std::min(band_rows, dst.size_px.height - y);
    for (int i = 0; i < wanted; ++i) rows[i] = dst.row(y + i);
    y += static_cast<int>(jpeg_read_scanlines(&jpeg, rows, static_cast<JDIMENSION>(wanted)));
  }
}

// `band` has room for band_rows rows of the image's width.
void read_cut_rows(jpeg_decompress_struct& jpeg, std::uint8_t* band, int first_column,
                   const RectPx& part, const ImageView& dst) {
  const std::size_t row_bytes = static_cast<std::size_t>(jpeg.output_width) * 4;
  const std::size_t skipped_bytes = static_cast<std::size_t>(part.x - first_column) * 4;
  JSAMPROW rows[band_rows];
  for (std::size_t i = 0; i < band_rows; ++i) rows[i] = band + i * row_bytes;
  for (int y = 0; y < part.height;) {
    const int wanted = std::min(band_rows, part.height - y);
    const auto got =
        static_cast<int>(jpeg_read_scanlines(&jpeg, rows, static_cast<JDIMENSION>(wanted)));
    for (int i = 0; i < got; ++i)
      std::memcpy(dst.row(y + i), rows[i] + skipped_bytes,
                  static_cast<std::size_t>(part.width) * 4);
    y += got;
  }
}

}  // namespace

struct JpegPartDecoder::State {
  JpegDecompressor jpeg;
  SampleVector band;
};

JpegPartDecoder::JpegPartDecoder() : state_(std::make_unique<State>()) {}

JpegPartDecoder::~JpegPartDecoder() = default;

bool JpegPartDecoder::decode(std::span<const std::uint8_t> bytes, SizePx image_px,
                             const RectPx& part, const ImageView& dst) {
  State& state = *state_;
  const std::size_t band_bytes =
      std::size_t{4} * band_rows * static_cast<std::size_t>(image_px.width);
  if (state.band.size() < band_bytes) state.band.resize(band_bytes);
  bool has_size = false;
  const bool decoded = state.jpeg.guarded([&](jpeg_decompress_struct& jpeg) {
    has_size = start_part(jpeg, bytes, image_px);
    if (!has_size) return;
    const int first_column = crop_columns(jpeg, image_px.width, part);
    if (part.y > 0) jpeg_skip_scanlines(&jpeg, static_cast<JDIMENSION>(part.y));
    if (part.width == image_px.width)
      read_whole_rows(jpeg, dst);
    else
      read_cut_rows(jpeg, state.band.data(), first_column, part, dst);
  });
  const bool whole = decoded && has_size && state.jpeg.warnings() == 0;
  state.jpeg.abort();
  return whole;
}

}  // namespace tilewall::movie
