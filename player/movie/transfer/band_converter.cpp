#include "player/movie/transfer/band_converter.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "player/movie/source/picture_converter.hpp"

namespace tilewall {
namespace {

constexpr std::size_t band_bytes = std::size_t{48} << 20;  // of source rows, about
constexpr int max_band_rows = 512;

std::size_t padded_row_bytes(const ImageRows& rows) {
  const std::size_t bytes =
      static_cast<std::size_t>(rows.size_px().width) * static_cast<std::size_t>(rows.channels());
  return (bytes + plane_alignment_bytes - 1) / plane_alignment_bytes * plane_alignment_bytes;
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

  PlanarPicture convert(int count) {
    const double top = target.crop_px.y + done * scale;
    const double height = count * scale;
    const int from = std::max(0, static_cast<int>(top) - margin);
    const int until =
        std::min(rows.size_px().height, static_cast<int>(std::ceil(top + height)) + margin);
    hold(from, until);
    const AvFrame frame = held_frame();
    PictureConverter converter({{rows.size_px().width, until - from},
                                {static_cast<double>(target.crop_px.x), top - from,
                                 static_cast<double>(target.crop_px.width), height},
                                {},
                                {target.size_px.width, count},
                                target.chroma},
                               name);
    return converter.convert(*frame.get());
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
