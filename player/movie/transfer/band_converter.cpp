#include "player/movie/transfer/band_converter.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "player/movie/source/picture_converter.hpp"

namespace tilewall {
namespace {

constexpr std::size_t band_bytes = std::size_t{48} << 20;  // of source rows, about
constexpr int max_band_rows = 512;
constexpr int cut_rows = 8;  // even; a filter of the halved chroma reaches 4 of its rows

std::size_t padded_row_bytes(const ImageRows& rows) {
  const std::size_t bytes =
      static_cast<std::size_t>(rows.size_px().width) * static_cast<std::size_t>(rows.channels());
  return (bytes + plane_alignment_bytes - 1) / plane_alignment_bytes * plane_alignment_bytes;
}

// Rows [first, first + count) of a picture. @pre first is even
PlanarPicture rows_of(const PlanarPicture& picture, int first, int count) {
  PlanarPicture out({picture.size_px.width, count}, picture.chroma);
  for (std::size_t p = 0; p < out.planes.size(); ++p) {
    Plane& to = out.planes[p];
    const int skipped = p > 0 && picture.chroma == Chroma::yuv420 ? first / 2 : first;
    for (int y = 0; y < to.size_px.height; ++y)
      std::memcpy(to.row(y), picture.planes[p].row(skipped + y),
                  static_cast<std::size_t>(to.size_px.width));
  }
  return out;
}

}  // namespace

struct BandConverter::State {
  ImageRows& rows;
  const BandTarget target;
  const std::string name;
  const std::size_t row_bytes;
  const double scale;  // source rows per stored row
  const int
      margin;  // source rows that the filters reach beyond a band, chroma at half size included
  int band_rows = 2;
  SampleVector held;  // source rows [held_from, held_until)
  int held_from = 0;
  int held_until = 0;
  int done = 0;  // stored rows

  State(ImageRows& image, const BandTarget& band_target, std::string image_name)
      : rows(image),
        target(band_target),
        name(std::move(image_name)),
        row_bytes(padded_row_bytes(image)),
        scale(static_cast<double>(band_target.crop_px.height) / band_target.size_px.height),
        margin(static_cast<int>(std::ceil(4 * std::max(1.0, scale))) + 4) {
    const double fitting = static_cast<double>(band_bytes / row_bytes) / std::max(scale, 1.0 / 64);
    band_rows = std::clamp(static_cast<int>(std::min(fitting, 1e6)) / 2 * 2, 2, max_band_rows);
  }

  [[nodiscard]] std::uint8_t* held_row(int row) {
    return held.data() + static_cast<std::size_t>(row - held_from) * row_bytes;
  }

  // Keeps rows from `from` on and reads up to `until`. Rows before the first need are read and
  // forgotten.
  void hold(int from, int until) {
    const int kept = std::max(0, held_until - std::max(from, held_from));
    if (kept > 0)
      std::memmove(held.data(), held_row(held_until - kept),
                   static_cast<std::size_t>(kept) * row_bytes);
    held.resize(static_cast<std::size_t>(std::max(until - from, 1)) * row_bytes);
    while (held_until < from) {
      rows.read_row(held.data());
      ++held_until;
    }
    held_from = from;
    for (; held_until < until; ++held_until) rows.read_row(held_row(held_until));
  }

  // The held rows as a frame that owns nothing.
  [[nodiscard]] AvFrame held_frame() {
    AvFrame frame = new_frame();
    frame.get()->format = rows.channels() == 1 ? AV_PIX_FMT_GRAY8 : AV_PIX_FMT_RGB24;
    frame.get()->width = rows.size_px().width;
    frame.get()->height = held_until - held_from;
    frame.get()->color_range = AVCOL_RANGE_JPEG;
    frame.get()->data[0] = held.data();
    frame.get()->linesize[0] = static_cast<int>(row_bytes);
    return frame;
  }

  // Stored rows [done, done + count): a few more are made on either side and cut off, since zimg
  // halves the chroma after scaling and sees no rows beyond what it is asked for.
  PlanarPicture convert(int count) {
    const int first = std::max(0, done - cut_rows);
    const int end = std::min(target.size_px.height, done + count + cut_rows);
    const double top = target.crop_px.y + first * scale;
    const double height = (end - first) * scale;
    const int from = std::max(0, static_cast<int>(top) - margin);
    const int until =
        std::min(rows.size_px().height, static_cast<int>(std::ceil(top + height)) + margin);
    hold(from, until);
    const AvFrame frame = held_frame();
    PictureConverter converter({{rows.size_px().width, until - from},
                                {static_cast<double>(target.crop_px.x), top - from,
                                 static_cast<double>(target.crop_px.width), height},
                                {},
                                {target.size_px.width, end - first},
                                target.chroma},
                               name);
    return rows_of(converter.convert(*frame.get()), done - first, count);
  }
};

BandConverter::BandConverter(ImageRows& rows, const BandTarget& target, std::string name)
    : state_(std::make_unique<State>(rows, target, std::move(name))) {}
BandConverter::~BandConverter() = default;

PlanarPicture BandConverter::next() {
  const int count = std::min(state_->band_rows, state_->target.size_px.height - state_->done);
  if (count <= 0) return {};
  PlanarPicture band = state_->convert(count);
  state_->done += count;
  return band;
}

int BandConverter::rows_done() const noexcept { return state_->done; }

}  // namespace tilewall
