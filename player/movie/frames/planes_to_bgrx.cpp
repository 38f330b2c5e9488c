#include "player/movie/frames/planes_to_bgrx.hpp"

#include <algorithm>

#include "player/movie/frames/ycc_rows.hpp"
#include "player/picture/bgrx.hpp"

namespace tilewall {
namespace {

constexpr int piece_px = 512;  // of a row, so that what lies between the kernels stays in cache
static_assert(piece_px / 2 + 1 <= max_upsampled_columns);

struct Rows {
  const std::uint8_t* luma;
  const std::uint8_t* cb;
  const std::uint8_t* cr;
};

void write_pixels(const Rows& from, std::uint8_t* dst, int width) noexcept {
  std::uint8_t red[piece_px];
  std::uint8_t green[piece_px];
  std::uint8_t blue[piece_px];
  ycc_to_rgb(from.luma, from.cb, from.cr, red, green, blue, width);
  pack_bgrx_row(red, green, blue, dst, width);
}

// Pixels [x, x + width) of row y, at most piece_px.
void write_halved_chroma(const PlanarPicture& planes, int x, int y, int width,
                         std::uint8_t* dst) noexcept {
  std::uint8_t chroma[2][piece_px + 2];
  const int first = x / 2;
  const int count = (x + width - 1) / 2 - first + 1;
  for (std::size_t p = 0; p < 2; ++p) {
    const Plane& plane = planes.planes[p + 1];
    const int other = std::clamp(y % 2 == 0 ? y / 2 - 1 : y / 2 + 1, 0, plane.size_px.height - 1);
    upsample_chroma(plane.row(y / 2), plane.row(other), plane.size_px.width, first, count,
                    chroma[p]);
  }
  const int skipped = x - 2 * first;
  write_pixels({planes.planes[0].row(y) + x, chroma[0] + skipped, chroma[1] + skipped}, dst, width);
}

void write_piece(const PlanarPicture& planes, int x, int y, int width, std::uint8_t* dst) noexcept {
  if (planes.chroma == Chroma::yuv420) return write_halved_chroma(planes, x, y, width, dst);
  const auto row = [&](std::size_t p) { return planes.planes[p].row(y) + x; };
  if (planes.chroma == Chroma::yuv444) return write_pixels({row(0), row(1), row(2)}, dst, width);
  const bool gray = planes.chroma == Chroma::gray;
  pack_bgrx_row(row(0), row(gray ? 0 : 1), row(gray ? 0 : 2), dst, width);
}

}  // namespace

void planes_to_bgrx(const PlanarPicture& planes, const RectPx& part,
                    const ImageView& dst) noexcept {
  for (int y = 0; y < part.height; ++y)
    for (int x = 0; x < part.width; x += piece_px)
      write_piece(planes, part.x + x, part.y + y, std::min(piece_px, part.width - x),
                  dst.row(y) + std::ptrdiff_t{4} * x);
}

}  // namespace tilewall
