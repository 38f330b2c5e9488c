#include "player/present/correction/edge_mask.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "player/present/correction/copy_picture.hpp"

namespace tilewall::present {
namespace {

double smoothstep(double t) noexcept {
  const double x = std::clamp(t, 0.0, 1.0);
  return x * x * (3 - 2 * x);
}

/// Brightness at a distance from a fading edge; 1 where nothing fades.
double faded(double from_edge_px, double width_px) noexcept {
  return width_px > 0 ? smoothstep(from_edge_px / width_px) : 1;
}

/// Brightness of a panel at a place; 0 outside of its rectangle.
double brightness(const wall::FadedRect& panel, PointF at) noexcept {
  const RectF& rect = panel.rect_px;
  const bool outside =
      at.x < rect.x || at.y < rect.y || at.x > rect.right() || at.y > rect.bottom();
  if (outside) return 0;
  return faded(at.x - rect.x, panel.left_px) * faded(rect.right() - at.x, panel.right_px) *
         faded(at.y - rect.y, panel.top_px) * faded(rect.bottom() - at.y, panel.bottom_px);
}

/// A table of factors for shares in 65535ths: factor_of[share].
std::vector<std::uint16_t> encoded_shares(double gamma) {
  std::vector<std::uint16_t> factors(std::size_t{whole_factor} + 1);
  for (std::size_t share = 0; share < factors.size(); ++share)
    factors[share] = static_cast<std::uint16_t>(
        std::lround(whole_factor * std::pow(static_cast<double>(share) / whole_factor, 1 / gamma)));
  return factors;
}

/// The whole pixels around the common part of `a` and `b`.
RectPx shared_px(const RectF& a, const RectF& b) {
  const RectF shared = intersection(a, b);
  const int left = static_cast<int>(std::floor(shared.x));
  const int top = static_cast<int>(std::floor(shared.y));
  return {left, top, static_cast<int>(std::ceil(shared.right())) - left,
          static_cast<int>(std::ceil(shared.bottom())) - top};
}

std::uint8_t product(std::uint8_t value, std::uint16_t factor) noexcept {
  return static_cast<std::uint8_t>((std::uint32_t{value} * factor + whole_factor / 2) /
                                   whole_factor);
}

}  // namespace

double light_share(const wall::PanelBlend& blend, PointF at_px) noexcept {
  const double own = brightness(blend.own, at_px);
  double all = own;
  for (const wall::FadedRect& other : blend.others) all += brightness(other, at_px);
  return all > 0 ? own / all : 1;
}

std::vector<std::uint16_t> blend_factors(const wall::PanelBlend& blend, SizePx frame_buffer_px,
                                         wall::Rotation rotation) {
  const auto width = static_cast<std::size_t>(frame_buffer_px.width);
  std::vector<std::uint16_t> factors(width * static_cast<std::size_t>(frame_buffer_px.height),
                                     whole_factor);
  const std::vector<std::uint16_t> encoded = encoded_shares(blend.gamma);
  const SizePx viewed = turned_size_px(frame_buffer_px, rotation);
  for (const wall::FadedRect& other : blend.others) {
    const RectPx shared = intersection(shared_px(blend.own.rect_px, other.rect_px),
                                       {0, 0, viewed.width, viewed.height});
    const RectPx place = frame_buffer_place(shared, frame_buffer_px, rotation);
    for (int y = place.y; y < place.bottom(); ++y)
      for (int x = place.x; x < place.right(); ++x) {
        const PointPx from = viewed_place({x, y}, frame_buffer_px, rotation);
        const double share = light_share(blend, {from.x + 0.5, from.y + 0.5});
        factors[static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x)] =
            encoded[static_cast<std::size_t>(std::lround(share * whole_factor))];
      }
  }
  return factors;
}

EdgeMask::EdgeMask(const wall::PanelBlend& blend, SizePx frame_buffer_px, wall::Rotation rotation) {
  const std::vector<std::uint16_t> all = blend_factors(blend, frame_buffer_px, rotation);
  const auto changes = [](std::uint16_t factor) { return factor != whole_factor; };
  for (int y = 0; y < frame_buffer_px.height; ++y) {
    const auto row = all.begin() + std::ptrdiff_t{y} * frame_buffer_px.width;
    const auto row_end = row + frame_buffer_px.width;
    for (auto first = std::find_if(row, row_end, changes); first != row_end;) {
      const auto end = std::find_if_not(first, row_end, changes);
      runs_.push_back(
          {{static_cast<int>(first - row), y}, static_cast<int>(end - first), factors_.size()});
      factors_.insert(factors_.end(), first, end);
      first = std::find_if(end, row_end, changes);
    }
  }
}

void EdgeMask::apply(const ImageView& frame_buffer) const noexcept {
  for (const Run& run : runs_) {
    std::uint8_t* pixel = frame_buffer.pixel(run.at_px.x, run.at_px.y);
    const std::uint16_t* factor = factors_.data() + run.first_factor;
    for (int i = 0; i < run.length_px; ++i, pixel += 4)
      for (int channel = 0; channel < 3; ++channel)
        pixel[channel] = product(pixel[channel], factor[i]);
  }
}

}  // namespace tilewall::present
