#include "render/transfer/transfer_curves.hpp"

#include <algorithm>
#include <cmath>

namespace tilewall::render {
namespace {

constexpr float close_enough = 1.0F / 1024;

Rgba mix(const Rgba& a, const Rgba& b, float part) noexcept {
  return {std::lerp(a.r, b.r, part), std::lerp(a.g, b.g, part), std::lerp(a.b, b.b, part),
          std::lerp(a.a, b.a, part)};
}

Rgba on_line(const TransferPoint& below, const TransferPoint& above, double value) noexcept {
  return mix(below.colour, above.colour,
             static_cast<float>((value - below.value) / (above.value - below.value)));
}

/// A line's values from below and from above, which differ at a step.
struct Sides {
  Rgba below;
  Rgba above;
};

Sides sides_at(std::span<const TransferPoint> line, double value) noexcept {
  const auto first = std::lower_bound(line.begin(), line.end(), value,
                                      [](const TransferPoint& p, double v) { return p.value < v; });
  const auto after = std::upper_bound(first, line.end(), value,
                                      [](double v, const TransferPoint& p) { return v < p.value; });
  if (first != after) return {first->colour, after[-1].colour};
  Rgba colour;
  if (first == line.begin())
    colour = line.front().colour;
  else if (first == line.end())
    colour = line.back().colour;
  else
    colour = on_line(first[-1], *first, value);
  return {colour, colour};
}

Rgba with_opacity(Rgba colour, const Rgba& opacity) noexcept {
  colour.a = opacity.a;
  return colour;
}

bool close(const Rgba& a, const Rgba& b) noexcept {
  return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b),
                   std::abs(a.a - b.a)}) <= close_enough;
}

/// Whether straight lines between that many pieces come close enough, tested at their quarters.
bool pieces_suffice(const std::function<Rgba(double)>& at, int pieces) {
  for (int i = 0; i < pieces; ++i) {
    const Rgba from = at(static_cast<double>(i) / pieces);
    const Rgba to = at(static_cast<double>(i + 1) / pieces);
    for (const double quarter : {0.25, 0.5, 0.75})
      if (!close(at((i + quarter) / pieces), mix(from, to, static_cast<float>(quarter))))
        return false;
  }
  return true;
}

/// Combines two lines with a point (two at a step) wherever either has one, made of the values of
/// both.
template <typename Combine>
std::vector<TransferPoint> of_both(std::span<const TransferPoint> a,
                                   std::span<const TransferPoint> b, Combine&& combine) {
  std::vector<double> values;
  for (const TransferPoint& p : a) values.push_back(p.value);
  for (const TransferPoint& p : b) values.push_back(p.value);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  std::vector<TransferPoint> points;
  for (const double value : values) {
    const Sides of_a = sides_at(a, value);
    const Sides of_b = sides_at(b, value);
    const Rgba below = combine(of_a.below, of_b.below);
    const Rgba above = combine(of_a.above, of_b.above);
    points.push_back({value, below});
    if (!(above == below)) points.push_back({value, above});
  }
  return points;
}

}  // namespace

std::vector<TransferPoint> joined(std::span<const TransferPoint> colours,
                                  std::span<const TransferPoint> opacities) {
  return of_both(colours, opacities, with_opacity);
}

std::vector<TransferPoint> blended(std::span<const TransferPoint> from,
                                   std::span<const TransferPoint> to, double share) {
  return of_both(
      from, to, [&](const Rgba& a, const Rgba& b) { return mix(a, b, static_cast<float>(share)); });
}

std::vector<TransferPoint> default_opacity(double first, double last) {
  return {
      {first, {0, 0, 0, 0}}, {std::lerp(first, last, 0.1), {0, 0, 0, 0}}, {last, {0, 0, 0, 0.8F}}};
}

float field_opacity(double share) noexcept {
  return static_cast<float>(std::lerp(0.2, 0.8, share));
}

void append_curve(std::vector<TransferPoint>& points, double value,
                  const std::function<Rgba(double)>& at, int max_pieces) {
  int pieces = 1;
  while (pieces < max_pieces && !pieces_suffice(at, pieces)) pieces *= 2;
  const double from = points.back().value;
  for (int i = 1; i <= pieces; ++i) {
    const double part = static_cast<double>(i) / pieces;
    points.push_back({std::lerp(from, value, part), at(part)});
  }
}

void append_step(std::vector<TransferPoint>& points, double value, const Rgba& below,
                 const Rgba& above) {
  points.push_back({value, below});
  points.push_back({value, above});
}

void stretch_to_shares(std::span<TransferPoint> points) {
  const double first = points.front().value;
  const double span = points.back().value - first;
  for (TransferPoint& point : points) point.value = (point.value - first) / span;
}

}  // namespace tilewall::render
