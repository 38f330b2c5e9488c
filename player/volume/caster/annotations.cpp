#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "player/volume/caster/picture_maker.hpp"
#include "render/paint.hpp"
#include "render/text.hpp"

namespace tilewall::volume {
namespace {

constexpr int heights_per_unit = 360;  // a unit is 1/360 of the picture's height, a letter 1/50
constexpr int letter_units = 7;
constexpr int bar_ticks = 5;
constexpr render::Rgb hatch_ink = {40, 40, 40};
constexpr double most_along_share = 0.9;  // cosine to the line of sight
constexpr std::string_view hidden_word = "hidden";
constexpr int least_hidden_units = 16;  // height of an interval with room for the word
constexpr render::Rgb ink = {225, 225, 225};
constexpr render::Rgb axis_inks[] = {{235, 90, 90}, {100, 210, 100}, {110, 150, 250}};
constexpr std::string_view axis_names[] = {"x", "y", "z"};
// Directions of a patient: right and left, anterior and posterior, superior and inferior.
constexpr std::string_view patient_names[][2] = {{"R", "L"}, {"A", "P"}, {"S", "I"}};

/// Draws in pixels of the whole picture; cuts off what lies outside of the panel's part.
class Sheet {
 public:
  Sheet(const ImageView& to, const RectPx& part, SizePx whole_px)
      : to_(to), origin_{part.x, part.y}, whole_px_(whole_px) {}

  /// Side of a letter's pixel, in pixels of the picture.
  [[nodiscard]] int unit() const noexcept {
    return std::max(1, (whole_px_.height + heights_per_unit / 2) / heights_per_unit);
  }
  [[nodiscard]] SizePx size() const noexcept { return whole_px_; }

  void rectangle(RectPx rect, render::Rgb color) const {
    rect.x -= origin_.x;
    rect.y -= origin_.y;
    render::fill(to_, rect, color);
  }
  /// Draws text with a dark rim, so that it can be read on any background.
  void text(PointPx at, std::string_view text) const { this->text(at, text, ink); }
  void text(PointPx at, std::string_view text, render::Rgb color) const {
    const PointPx here{at.x - origin_.x, at.y - origin_.y};
    render::draw_text(to_, here, text, letter_units * unit(),
                      render::TextInk{color, render::black, unit() * 1.0});
  }
  void line(PointF from, PointF to, int width, render::Rgb color) const {
    const double length = std::max(std::hypot(to.x - from.x, to.y - from.y), 1.0);
    for (int i = 0; i <= static_cast<int>(length); ++i) {
      const double share = i / length;
      const int x = static_cast<int>(std::lround(from.x + share * (to.x - from.x)));
      const int y = static_cast<int>(std::lround(from.y + share * (to.y - from.y)));
      rectangle({x - width / 2, y - width / 2, width, width}, color);
    }
  }

 private:
  const ImageView& to_;
  const PointPx origin_;
  const SizePx whole_px_;
};

render::Rgb colour_of(const render::Rgba& from) {
  const auto channel = [](float value) {
    return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0F, 1.0F) * 255));
  };
  return {channel(from.r), channel(from.g), channel(from.b)};
}

void draw_axes(const Sheet& sheet, const render::VolumeCamera& camera, bool is_anatomical) {
  const int unit = sheet.unit();
  const Vec3d ahead = normalized(camera.look_at - camera.eye);
  const Vec3d right = normalized(cross(ahead, camera.up));
  const Vec3d up = cross(right, ahead);
  const double reach = 22.0 * unit;
  const PointF middle{40.0 * unit, sheet.size().height - 50.0 * unit};
  const auto draw = [&](Vec3d axis, std::string_view name, render::Rgb colour) {
    const PointF by{reach * dot(axis, right), -reach * dot(axis, up)};
    sheet.line(middle, {middle.x + by.x, middle.y + by.y}, 2 * unit, colour);
    const PointPx at{static_cast<int>(std::lround(middle.x + 1.3 * by.x)) - 2 * unit,
                     static_cast<int>(std::lround(middle.y + 1.3 * by.y)) - 3 * unit};
    sheet.text(at, name, colour);
  };
  const Vec3d axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  if (!is_anatomical) {
    for (std::size_t i = 0; i < 3; ++i) draw(axes[i], axis_names[i], axis_inks[i]);
    return;
  }
  // An axis along the line of sight is drawn last, with the letter of its near end alone: both
  // would stand in one place.
  std::array<std::size_t, 3> order = {0, 1, 2};
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::abs(dot(axes[i], ahead)); });
  for (const std::size_t i : order) {
    const bool is_near = dot(axes[i], ahead) < 0;
    if (std::abs(dot(axes[i], ahead)) < most_along_share)
      draw(is_near ? -1.0 * axes[i] : axes[i], patient_names[i][is_near ? 1 : 0], axis_inks[i]);
    draw(is_near ? axes[i] : -1.0 * axes[i], patient_names[i][is_near ? 0 : 1], axis_inks[i]);
  }
}

/// Covers three quarters of a row with dark stripes, for values without opacity.
void hatch(const Sheet& sheet, const RectPx& row) {
  const int period = 4 * sheet.unit();
  for (int x = row.x; x < row.right(); ++x)
    if ((x + row.y) % period >= sheet.unit()) sheet.rectangle({x, row.y, 1, 1}, hatch_ink);
}

void draw_bar(const Sheet& sheet, const Annotations& annotations) {
  const int unit = sheet.unit();
  const int height = sheet.size().height / 2;
  const RectPx bar{sheet.size().width - 24 * unit, sheet.size().height / 4, 10 * unit, height};
  sheet.rectangle({bar.x - unit, bar.y - unit, bar.width + 2 * unit, bar.height + 2 * unit}, ink);
  const render::ValueCurve& scale = annotations.function.curve();
  const double top = scale.place_of(static_cast<double>(annotations.range.max));
  const double span = top - scale.place_of(static_cast<double>(annotations.range.min));
  const auto value_at = [&](int y) {
    return scale.value_at(top - span * (y - bar.y) / std::max(height - 1, 1));
  };
  int hidden = 0;  // rows above this one whose values are not shown
  for (int y = bar.y; y < bar.bottom(); ++y) {
    const render::Rgba colour = annotations.function.at(value_at(y));
    sheet.rectangle({bar.x, y, bar.width, 1}, colour_of(colour));
    hidden = colour.a > 0 ? 0 : hidden + 1;
    if (colour.a <= 0) hatch(sheet, {bar.x, y, bar.width, 1});
    const bool ends = y + 1 == bar.bottom() || annotations.function.at(value_at(y + 1)).a > 0;
    if (!ends || hidden < least_hidden_units * unit) continue;
    const SizePx size = render::text_size_px(hidden_word, letter_units * unit);
    sheet.text({bar.x - 4 * unit - size.width, y - (hidden + size.height) / 2}, hidden_word);
  }
  for (int i = 0; i < bar_ticks; ++i) {
    const int y = bar.y + (height - 1) * i / (bar_ticks - 1);
    const std::string text = fmt::format("{:.4g}", value_at(y));
    const SizePx size = render::text_size_px(text, letter_units * unit);
    sheet.text({bar.x - 4 * unit - size.width, y - size.height / 2}, text);
  }
  if (annotations.unit.empty()) return;
  const SizePx size = render::text_size_px(annotations.unit, letter_units * unit);
  sheet.text({bar.right() - size.width, bar.y - 12 * unit}, annotations.unit);
}

}  // namespace

void annotate(const ImageView& to, const RectPx& part, const render::CastView& view,
              const Annotations& annotations) {
  const Sheet sheet(to, part, view.picture_px);
  if (annotations.shown.axes) draw_axes(sheet, view.camera, annotations.is_anatomical);
  if (annotations.shown.colour_bar && !annotations.range.empty()) draw_bar(sheet, annotations);
  if (annotations.shown.label)
    sheet.text({12 * sheet.unit(), sheet.size().height - 14 * sheet.unit()}, annotations.label);
}

}  // namespace tilewall::volume
