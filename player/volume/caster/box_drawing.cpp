#include "player/volume/caster/box_drawing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>

#include "player/volume/caster/axis_ticks.hpp"

namespace tilewall::volume {
namespace {

constexpr double aside_letters = 0.5;       // by which numbers go aside from frames
constexpr double most_aside_letters = 2.5;  // beside half of the number

/// Where places of the world lie in the picture.
class Projection {
 public:
  explicit Projection(const render::CastView& view)
      : view_(view),
        ahead_(normalized(view.camera.look_at - view.camera.eye)),
        right_(normalized(cross(ahead_, view.camera.up))),
        up_(cross(right_, ahead_)),
        focus_(length(view.camera.look_at - view.camera.eye)),
        px_per_unit_(1 / render::pixel_side_at_focus(view.camera, view.picture_px)) {}

  /// Empty for a place at the eye or behind it.
  [[nodiscard]] std::optional<PointF> of(Vec3d world) const {
    const Vec3d from_eye = world - view_.camera.eye;
    const double depth = dot(from_eye, ahead_);
    if (depth < nearest_share * focus_) return std::nullopt;
    const double scale = view_.camera.lens == render::Lens::perspective
                             ? px_per_unit_ * focus_ / depth
                             : px_per_unit_;
    const PointF flat{view_.picture_px.width / 2.0 + view_.camera.centre_offset_px.x +
                          scale * dot(from_eye, right_),
                      view_.picture_px.height / 2.0 + view_.camera.centre_offset_px.y -
                          scale * dot(from_eye, up_)};
    return view_.tilt ? view_.tilt->to_panel(flat) : flat;
  }

 private:
  static constexpr double nearest_share = 1e-2;  // of the distance to what the camera looks at

  const render::CastView& view_;
  const Vec3d ahead_;
  const Vec3d right_;
  const Vec3d up_;
  const double focus_;
  const double px_per_unit_;
};

/// The box of the whole volume: corner i has bit a set where it lies at the far end of axis a.
struct Outline {
  explicit Outline(const VolumeWhole& whole) : axes(whole.place.axes), origin(whole.place.origin) {
    sides[0] = whole.place.spacing.x * (whole.size.x - 1);
    sides[1] = whole.place.spacing.y * (whole.size.y - 1);
    sides[2] = whole.place.spacing.z * (whole.size.z - 1);
  }
  [[nodiscard]] Vec3d corner(unsigned number) const {
    Vec3d at = origin;
    for (unsigned axis = 0; axis < 3; ++axis)
      if ((number >> axis & 1U) != 0) at = at + sides[axis] * axes[axis];
    return at;
  }

  std::array<Vec3d, 3> axes;
  Vec3d origin;
  std::array<double, 3> sides{};
};

/// An edge of the outline, from the corner `from` along an axis.
struct Edge {
  unsigned from = 0;
  unsigned axis = 0;
};

/// Whether a direction points against the world's axis that it mostly lies along.
bool points_back(Vec3d along) {
  const double parts[] = {along.x, along.y, along.z};
  return *std::ranges::max_element(parts, {}, [](double part) { return std::abs(part); }) < 0;
}

/// Numbers and a name along one edge, beside it and away from the picture of the box.
void label_edge(AnnotationSheet& sheet, const Projection& projection, const Outline& outline,
                const Annotations& annotations, Edge edge, PointF middle) {
  const Vec3d begin = outline.corner(edge.from);
  const Vec3d along = outline.axes[edge.axis];
  const double side = outline.sides[edge.axis];
  const auto a = projection.of(begin);
  const auto b = projection.of(begin + side * along);
  if (!a || !b) return;
  const double stretches[] = {annotations.whole.stretch.x, annotations.whole.stretch.y,
                              annotations.whole.stretch.z};
  const double stretch = stretches[edge.axis];
  // The file's coordinates along the edge: `factor` times those of the world, which grow along it
  // or fall.
  const render::AxisScale& scale = annotations.words.axis_scales[edge.axis];
  const double factor = points_back(along) ? -scale.factor : scale.factor;
  const double first = dot(outline.origin, along);
  const double least = factor * (factor < 0 ? first + side / stretch : first);
  const double greatest = factor * (factor < 0 ? first : first + side / stretch);
  const double length_px = std::hypot(b->x - a->x, b->y - a->y);
  AxisTicks ticks;
  if (factor != 0) ticks = bar_ticks({}, least, greatest, length_px / (5 * sheet.letter_px()));
  // Perpendicular to the edge, and away from the middle of the box.
  PointF out{-(b->y - a->y) / std::max(length_px, 1.0), (b->x - a->x) / std::max(length_px, 1.0)};
  const PointF edge_middle{(a->x + b->x) / 2, (a->y + b->y) / 2};
  if (out.x * (edge_middle.x - middle.x) + out.y * (edge_middle.y - middle.y) < 0)
    out = {-out.x, -out.y};
  const PointF ahead{(b->x - a->x) / std::max(length_px, 1.0),
                     (b->y - a->y) / std::max(length_px, 1.0)};
  const auto place = [&](PointF from, double letters, double along_letters,
                         const std::string& text) {
    const PointF at{from.x + along_letters * sheet.letter_px() * ahead.x,
                    from.y + along_letters * sheet.letter_px() * ahead.y};
    const int width = sheet.width_of(text);
    const double reach = letters * sheet.letter_px();
    const double half = std::copysign(width / 2.0, reach);
    const RectPx rect{static_cast<int>(std::lround(at.x + out.x * (reach + half) - width / 2.0)),
                      static_cast<int>(std::lround(at.y + out.y * reach)) - sheet.letters(0.5),
                      width, sheet.letters(1)};
    const int margin = sheet.letters(0.3);
    const RectPx room{rect.x - margin, rect.y - margin, rect.width + 2 * margin,
                      rect.height + 2 * margin};
    if (!sheet.is_free(room)) return false;
    sheet.text({rect.x, rect.y}, text);
    sheet.take(room);
    return true;
  };
  const int width = sheet.letters(0.14);
  for (const AxisTick& tick : ticks.ticks) {
    const auto at = projection.of(begin + (tick.value / factor - first) * stretch * along);
    if (!at) continue;
    const PointF end{at->x + 0.5 * sheet.letter_px() * out.x,
                     at->y + 0.5 * sheet.letter_px() * out.y};
    sheet.line(*at, end, width, sheet.ink());
    // A number that a frame would cut stands a little to the side, farther away, or within the box.
    const double most_along =
        std::abs(ahead.x) * sheet.width_of(tick.text) / sheet.letter_px() / 2 + most_aside_letters;
    const auto is_placed = [&](double letters) {
      for (int i = 0; i * aside_letters <= most_along; ++i)
        for (const double side : {1, -1})
          if (place(*at, letters, side * i * aside_letters, tick.text)) return true;
      return false;
    };
    for (const double letters : {1.4, 2.4, 3.4, -1.4, -2.4})
      if (is_placed(letters)) break;
  }
  // The name stands beside the numbers where it is free.
  const std::string& own_unit = scale.unit.empty() ? annotations.words.length_unit : scale.unit;
  const std::string unit = bracketed(ticks.factor, factor == 0 ? "" : own_unit);
  const std::string name = std::string(axis_names[edge.axis]) + (unit.empty() ? "" : " ") + unit;
  for (const double letters : {3.4, 5.0, -3.4})
    for (const double share : {0.5, 0.35, 0.65, 0.2, 0.8})
      if (place({std::lerp(a->x, b->x, share), std::lerp(a->y, b->y, share)}, letters, 0, name))
        return;
}

/// The outline box as the camera sees it.
class BoxDrawing {
 public:
  BoxDrawing(const render::CastView& view, const Annotations& annotations)
      : projection_(view), outline_(annotations.whole), annotations_(annotations) {
    const auto distance = [&](unsigned corner) {
      return length(outline_.corner(corner) - view.camera.eye);
    };
    for (unsigned corner = 1; corner < 8; ++corner)
      if (distance(corner) < distance(nearest_)) nearest_ = corner;
  }

  void draw_edges(const AnnotationSheet& sheet) const {
    const int width = sheet.letters(0.12);
    for_edges([&](Edge, bool is_behind, PointF a, PointF b) {
      if (is_behind) sheet.line(a, b, width, sheet.faint());
    });
    for (const bool is_rim : {true, false})
      for_edges([&](Edge, bool is_behind, PointF a, PointF b) {
        if (is_behind) return;
        sheet.line(a, b, is_rim ? sheet.letters(0.34) : width,
                   is_rim ? sheet.ground() : sheet.ink());
      });
  }

  void draw_numbers(AnnotationSheet& sheet) const {
    const auto middle = projection_.of(0.5 * (outline_.corner(0) + outline_.corner(7)));
    if (!middle) return;
    std::optional<Edge> best[3];
    double scores[3] = {};
    for_edges([&](Edge edge, bool is_behind, PointF a, PointF b) {
      const double score = a.y + b.y - 0.6 * (a.x + b.x);
      if (is_behind || (best[edge.axis] && score <= scores[edge.axis])) return;
      best[edge.axis] = edge;
      scores[edge.axis] = score;
    });
    for (const std::optional<Edge>& edge : best)
      if (edge && outline_.sides[edge->axis] > 0)
        label_edge(sheet, projection_, outline_, annotations_, *edge, *middle);
  }

 private:
  /// Calls visit(edge, whether it ends at the farthest corner, its ends) for the edges that do not
  /// end at the nearest corner, and lie ahead of the eye.
  template <typename Visit>
  void for_edges(const Visit& visit) const {
    const unsigned farthest = nearest_ ^ 7U;
    for (unsigned axis = 0; axis < 3; ++axis)
      for (unsigned from = 0; from < 8; ++from) {
        const unsigned to = from | 1U << axis;
        if (to == from || from == nearest_ || to == nearest_) continue;
        const auto a = projection_.of(outline_.corner(from));
        const auto b = projection_.of(outline_.corner(to));
        if (a && b) visit(Edge{from, axis}, from == farthest || to == farthest, *a, *b);
      }
  }

  const Projection projection_;
  const Outline outline_;
  const Annotations& annotations_;
  unsigned nearest_ = 0;
};

}  // namespace

void draw_box_edges(const AnnotationSheet& sheet, const render::CastView& view,
                    const Annotations& annotations) {
  BoxDrawing(view, annotations).draw_edges(sheet);
}

void draw_box_numbers(AnnotationSheet& sheet, const render::CastView& view,
                      const Annotations& annotations) {
  BoxDrawing(view, annotations).draw_numbers(sheet);
}

}  // namespace tilewall::volume
