#include "player/rendering/logo.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "player/movie/frames/image_reader.hpp"
#include "sync/base/error.hpp"

namespace tilewall::rendering {
namespace {

constexpr double margin_share = 0.02;  // of the panel's height, on all sides

/// The panels' parts of the picture, without their rounded edges; the whole picture alone, where
/// the logo may cross bezels.
std::vector<RectF> areas_of(const path::PathLogo& logo, const wall::Canvas& canvas, SizePx whole) {
  if (logo.is_across) return {{0, 0, double(whole.width), double(whole.height)}};
  const double across = whole.width / static_cast<double>(canvas.size_px().width);
  const double down = whole.height / static_cast<double>(canvas.size_px().height);
  std::vector<RectF> areas;
  for (std::size_t i = 0; i < canvas.panel_count(); ++i) {
    const RectF panel = canvas.panel_rect_px(i);
    areas.push_back({panel.x * across, panel.y * down, panel.width * across, panel.height * down});
  }
  return areas;
}

/// The begin of a length about `middle` within [begin, end].
int begin_within(double middle, int length, double begin, double end) {
  const double last = end - length;
  return static_cast<int>(
      std::lround(std::clamp(middle - length / 2.0, std::min(begin, last), std::max(begin, last))));
}

/// The mean of the pixels of an image that a target pixel covers, by channel.
void mean_of(const ImageView& image, const RectPx& part, std::uint8_t* rgb) {
  std::uint64_t sums[3] = {};
  for (int y = part.y; y < part.bottom(); ++y) {
    const std::uint8_t* bgrx = image.row(y) + std::ptrdiff_t{4} * part.x;
    for (int x = 0; x < part.width; ++x, bgrx += 4)
      for (int channel = 0; channel < 3; ++channel) sums[channel] += bgrx[2 - channel];
  }
  const auto count =
      static_cast<std::uint64_t>(part.width) * static_cast<std::uint64_t>(part.height);
  for (int channel = 0; channel < 3; ++channel)
    rgb[channel] = static_cast<std::uint8_t>((sums[channel] + count / 2) / count);
}

/// Pixels [first, end) of `source` that pixel `at` of `target` covers; at least one.
struct Span {
  int first = 0;
  int count = 1;
};
Span covered(int at, int target, int source) {
  const auto place = [&](int edge) {
    return static_cast<int>(std::int64_t{edge} * source / target);
  };
  return {place(at), std::max(1, place(at + 1) - place(at))};
}

}  // namespace

RectPx logo_place(const path::PathLogo& logo, SizePx image_px, const wall::Canvas& canvas,
                  SizePx picture_px) {
  const double px_per_mm =
      canvas.px_per_mm() * picture_px.width / static_cast<double>(canvas.size_px().width);
  const double x = logo.is_in_mm ? logo.x * px_per_mm : logo.x * picture_px.width;
  const double y = logo.is_in_mm ? logo.y * px_per_mm : logo.y * picture_px.height;
  const double wanted =
      logo.width_is_in_mm ? logo.width * px_per_mm : logo.width * picture_px.width;
  const std::vector<RectF> areas = areas_of(logo, canvas, picture_px);
  const RectF area = *std::ranges::min_element(areas, {}, [&](const RectF& one) {
    return std::hypot(x - std::clamp(x, one.x, one.right()),
                      y - std::clamp(y, one.y, one.bottom()));
  });
  const double margin = margin_share * area.height;
  const double room_across = std::max(1.0, area.width - 2 * margin);
  const double room_down = std::max(1.0, area.height - 2 * margin);
  const double aspect = static_cast<double>(image_px.height) / image_px.width;
  const double width = std::min({wanted, room_across, room_down / aspect});
  RectPx place{0, 0, std::max(1, static_cast<int>(width)),
               std::max(1, static_cast<int>(width * aspect))};
  place.x = begin_within(x, place.width, area.x + margin, area.right() - margin);
  place.y = begin_within(y, place.height, area.y + margin, area.bottom() - margin);
  return intersection(place, {0, 0, picture_px.width, picture_px.height});
}

LogoJob logo_of(const path::PathLogo& logo, const wall::Canvas& canvas, SizePx picture_px) {
  movie::ImageReader reader;
  try {
    const movie::ImageInfo info = reader.read_info(logo.file);
    LogoJob job{logo.file, logo_place(logo, info.size_px, canvas, picture_px)};
    static_cast<void>(Logo(job));  // it can be decoded, too
    return job;
  } catch (const InputError& error) {
    throw InputError(logo.place + ": " + error.what());
  }
}

Logo::Logo(const LogoJob& job) : place_px_(job.place_px) {
  if (job.file.empty()) return;
  movie::ImageReader reader;
  const movie::ImageInfo info = reader.read_info(job.file);
  if (!reader.decode(job.file, info, 0))
    throw InputError({job.file}, "", "an image that can be decoded", "a damaged one");
  const SizePx size = info.size_px;
  rgb_.resize(static_cast<std::size_t>(place_px_.width) *
              static_cast<std::size_t>(place_px_.height) * 3);
  std::uint8_t* to = rgb_.data();
  for (int y = 0; y < place_px_.height; ++y) {
    const Span rows = covered(y, place_px_.height, size.height);
    for (int x = 0; x < place_px_.width; ++x, to += 3) {
      const Span columns = covered(x, place_px_.width, size.width);
      mean_of(reader.pixels(), {columns.first, rows.first, columns.count, rows.count}, to);
    }
  }
}

void Logo::draw(PointPx first_px, std::span<std::uint8_t> rgb) const noexcept {
  const RectPx row{first_px.x, first_px.y, static_cast<int>(rgb.size() / 3), 1};
  const RectPx shown = intersection(place_px_, row);
  if (rgb_.empty() || shown.empty()) return;
  const auto from = std::ptrdiff_t{3} * ((shown.y - place_px_.y) * std::ptrdiff_t{place_px_.width} +
                                         shown.x - place_px_.x);
  std::memcpy(rgb.data() + std::ptrdiff_t{3} * (shown.x - row.x), rgb_.data() + from,
              static_cast<std::size_t>(shown.width) * 3);
}

}  // namespace tilewall::rendering
