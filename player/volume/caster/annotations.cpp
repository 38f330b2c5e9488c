// Annotations in pixels of the whole picture. Every text lies within one panel, so no frame cuts
// it; only the lines of the outline box go from panel to panel.

#include "player/volume/caster/annotations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "player/volume/caster/annotation_sheet.hpp"
#include "player/volume/caster/axis_ticks.hpp"
#include "player/volume/caster/box_drawing.hpp"

namespace tilewall::volume {
namespace {

constexpr double most_bar_ticks = 8;
constexpr double bar_share = 0.65;     // of its panel's height
constexpr double heading_share = 0.4;  // of its panel's width, at most; 8 letters always fit
constexpr std::size_t most_heading_lines = 3;
constexpr std::size_t most_title_lines = 3;
constexpr std::size_t most_caption_lines = 8;
constexpr double most_along_share = 0.9;  // cosine to the line of sight
constexpr std::string_view hidden_word = "hidden";
constexpr render::Rgb axis_inks[] = {{235, 90, 90}, {80, 190, 90}, {110, 150, 250}};
// Directions of a patient: right and left, anterior and posterior, superior and inferior.
constexpr std::string_view patient_names[][2] = {{"R", "L"}, {"A", "P"}, {"S", "I"}};

render::Rgb colour_of(const render::Rgba& from) {
  const auto channel = [](float value) {
    return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0F, 1.0F) * 255));
  };
  return {channel(from.r), channel(from.g), channel(from.b)};
}

/// Whether a unit is that of longitudes, which other axes do not share.
bool is_angle(const std::string& unit) { return unit.starts_with("degree"); }

/// The colour bar, its heading and its ticks on a ground of their own, at the right of the panel in
/// the middle of the right edge.
void draw_bar(AnnotationSheet& sheet, const Annotations& annotations) {
  const render::ValueCurve& curve = annotations.function.curve();
  const double least = static_cast<double>(annotations.range.min);
  const double greatest = static_cast<double>(annotations.range.max);
  const double top = curve.place_of(greatest);
  const double span = top - curve.place_of(least);
  const RectPx& panel = sheet.panel_at(1, 0.5);
  const int gap = sheet.letters(0.6);
  const int line = sheet.letters(1.7);
  const int height = std::max(
      2, std::min(static_cast<int>(bar_share * panel.height), panel.height - 2 * line - 5 * gap));
  const AxisTicks ticks = bar_ticks(curve, least, greatest,
                                    std::min(most_bar_ticks, height / (2.2 * sheet.letter_px())));
  const int most_px = std::max(static_cast<int>(heading_share * panel.width), sheet.letters(8));
  std::vector<std::string> heading;
  for (const std::string& line_of_name :
       sheet.name_lines(annotations.words.quantity, most_px, most_heading_lines))
    heading.push_back(line_of_name);
  const std::string unit = bracketed(ticks.factor, annotations.words.value_unit);
  if (!unit.empty()) heading.push_back(sheet.fitted(unit, most_px));
  int label_width = sheet.width_of(hidden_word);
  for (const AxisTick& tick : ticks.ticks)
    label_width = std::max(label_width, sheet.width_of(tick.text));
  const int bar_width = sheet.letters(1.6);
  int width = label_width + 2 * gap + bar_width;
  for (const std::string& text : heading) width = std::max(width, sheet.width_of(text));
  const int heading_height = static_cast<int>(heading.size()) * line;
  RectPx ground{0, 0, width + 2 * gap, height + heading_height + 3 * gap};
  ground.x = panel.right() - gap - ground.width;
  ground.y = panel.y + (panel.height - ground.height) / 2;
  sheet.ground(ground);
  sheet.take(ground);
  int y = ground.y + gap;
  for (const std::string& text : heading) {
    sheet.text({ground.right() - gap - sheet.width_of(text), y}, text);
    y += line;
  }
  const RectPx bar{ground.right() - gap - bar_width, y + gap / 2, bar_width, height};
  const int rim = sheet.letters(0.08);
  sheet.rectangle({bar.x - rim, bar.y - rim, bar.width + 2 * rim, bar.height + 2 * rim},
                  sheet.ink());
  const auto value_at = [&](int row) {
    return curve.value_at(top - span * (row - bar.y) / std::max(height - 1, 1));
  };
  // Where values are hidden, dark stripes leave a quarter of the colour.
  const int period = sheet.letters(0.6);
  std::vector<RectPx> words;  // places of the word beside hidden intervals
  int hidden = 0;             // rows above this one whose values are hidden
  for (int row = bar.y; row < bar.bottom(); ++row) {
    const render::Rgba colour = annotations.function.at(value_at(row));
    sheet.rectangle({bar.x, row, bar.width, 1}, colour_of(colour));
    hidden = colour.a > 0 ? 0 : hidden + 1;
    if (colour.a <= 0)
      for (int x = bar.x; x < bar.right(); ++x)
        if (4 * ((x + row) % period) >= period) sheet.rectangle({x, row, 1, 1}, sheet.ground());
    const bool ends = row + 1 == bar.bottom() || annotations.function.at(value_at(row + 1)).a > 0;
    if (!ends || hidden < sheet.letters(2.4)) continue;
    const int word_width = sheet.width_of(hidden_word);
    const RectPx word{bar.x - gap - word_width, row - (hidden + sheet.letters(1)) / 2, word_width,
                      sheet.letters(1)};
    sheet.text({word.x, word.y}, hidden_word);
    words.push_back(word);
  }
  for (const AxisTick& tick : ticks.ticks) {
    const double share = span > 0 ? (top - curve.place_of(tick.value)) / span : 0.5;
    const int at = bar.y + static_cast<int>(std::lround(share * (height - 1)));
    sheet.rectangle({bar.x - gap / 2, at - rim / 2, gap / 2, rim}, sheet.ink());
    const int text_width = sheet.width_of(tick.text);
    const RectPx label{bar.x - gap - text_width, at - sheet.letters(0.5), text_width,
                       sheet.letters(1.3)};
    if (std::ranges::none_of(
            words, [&](const RectPx& word) { return !intersection(word, label).empty(); }))
      sheet.text({label.x, label.y}, tick.text);
  }
}

/// Title and date, in the panel at the upper left.
void draw_title(AnnotationSheet& sheet, const Annotations& annotations) {
  const RectPx& panel = sheet.panel_at(0, 0);
  const int gap = sheet.letters(1);
  const std::string& title = annotations.style.annotations.title;
  std::vector<std::string> lines = sheet.text_lines(title.empty() ? annotations.label : title,
                                                    panel.width - 2 * gap, most_title_lines);
  lines.push_back(sheet.fitted(annotations.style.annotations.date, panel.width - 2 * gap));
  int y = panel.y + gap;
  for (const std::string& shown : lines) {
    if (shown.empty()) continue;
    sheet.text({panel.x + gap, y}, shown);
    sheet.take({panel.x, y - gap / 2, sheet.width_of(shown) + 2 * gap, sheet.letters(2)});
    y += sheet.letters(1.8);
  }
}

/// The caption's lines, one under the other about its place, moved into the panel there. Above
/// other drawings, where it would lie over them.
void draw_caption(AnnotationSheet& sheet, const Annotations& annotations) {
  const scene::AnnotationSwitches& shown = annotations.style.annotations;
  const SizePx whole = sheet.whole_px();
  double across = shown.caption_at.x;
  double down = shown.caption_at.y;
  if (shown.caption_at.is_in_mm) {
    const auto& screens = annotations.style.screens;
    const double mm_high = screens ? screens->height_mm : 0;
    if (!(mm_high > 0)) return;  // no wall, no millimetres
    across *= whole.height / mm_high / whole.width;
    down /= mm_high;
  }
  const RectPx area = shown.caption_at.is_across ? RectPx{0, 0, whole.width, whole.height}
                                                 : sheet.panel_at(across, down);
  const int gap = sheet.letters(0.7);
  const int line = sheet.letters(1.8);
  const auto rows = static_cast<std::size_t>(std::max(1, (area.height - 4 * gap) / line));
  const std::vector<std::string> lines =
      sheet.text_lines(shown.caption, area.width - 4 * gap, std::min(most_caption_lines, rows));
  int width = 0;
  for (const std::string& text : lines) width = std::max(width, sheet.width_of(text));
  RectPx ground{0, 0, width + 2 * gap, static_cast<int>(lines.size()) * line + gap};
  const auto within = [&](double middle, int length, int begin, int end) {
    const int first = static_cast<int>(std::lround(middle)) - length / 2;
    return std::max(std::min(first, end - gap - length), begin + gap);
  };
  ground.x = within(across * whole.width, ground.width, area.x, area.right());
  ground.y = within(down * whole.height, ground.height, area.y, area.bottom());
  const int wanted = ground.y;
  while (sheet.is_taken(ground) && ground.y > area.y + gap)
    ground.y = std::max(ground.y - line, area.y + gap);
  if (sheet.is_taken(ground)) ground.y = wanted;
  sheet.ground(ground);
  sheet.take(ground);
  int y = ground.y + gap;
  for (const std::string& text : lines) {
    sheet.text({ground.x + (ground.width - sheet.width_of(text)) / 2, y}, text);
    y += line;
  }
}

/// A length of the world at the distance of what the camera looks at, in the panel at the lower
/// left.
void draw_scale_bar(AnnotationSheet& sheet, const render::CastView& view,
                    const Annotations& annotations) {
  const Vec3d stretch = annotations.whole.stretch;
  if (stretch.x != stretch.y || stretch.y != stretch.z) return;  // no length holds everywhere
  if (is_angle(annotations.words.length_unit)) return;
  const RectPx& panel = sheet.panel_at(0, 1);
  const double unit_px = stretch.x / render::pixel_side_at_focus(view.camera, view.picture_px);
  const double length = round_below(0.35 * panel.width / unit_px);
  if (!(length > 0)) return;
  const auto length_px = static_cast<int>(std::lround(length * unit_px));
  const std::string& unit = annotations.words.length_unit;
  const std::string text =
      fmt::format("{:g}{}{}", length, unit.empty() ? "" : " ", unit_text(unit));
  const int gap = sheet.letters(0.7);
  const int width = std::max(length_px, sheet.width_of(text));
  const RectPx ground{panel.x + gap, panel.bottom() - gap - sheet.letters(3.2), width + 2 * gap,
                      sheet.letters(3.2)};
  sheet.ground(ground);
  sheet.take(ground);
  const int line = sheet.letters(0.14);
  const int left = ground.x + gap + (width - length_px) / 2;
  const int y = ground.bottom() - sheet.letters(0.8);
  sheet.rectangle({left, y, length_px, line}, sheet.ink());
  for (const int x : {left, left + length_px - line})
    sheet.rectangle({x, y - sheet.letters(0.35), line, sheet.letters(0.7) + line}, sheet.ink());
  sheet.text({ground.x + gap + (width - sheet.width_of(text)) / 2, ground.y + sheet.letters(0.5)},
             text);
}

/// The directions of the axes, in the panel at the lower left.
void draw_axes(AnnotationSheet& sheet, const render::VolumeCamera& camera, bool is_anatomical) {
  const Vec3d ahead = normalized(camera.look_at - camera.eye);
  const Vec3d right = normalized(cross(ahead, camera.up));
  const Vec3d up = cross(right, ahead);
  const RectPx& panel = sheet.panel_at(0, 1);
  const double reach = 3.0 * sheet.letter_px();
  const PointF middle{panel.x + 5.2 * sheet.letter_px(), panel.bottom() - 9.5 * sheet.letter_px()};
  const auto side = static_cast<int>(10 * sheet.letter_px());
  sheet.take(
      {static_cast<int>(middle.x) - side / 2, static_cast<int>(middle.y) - side / 2, side, side});
  const auto draw = [&](Vec3d axis, std::string_view name, render::Rgb colour) {
    const PointF by{reach * dot(axis, right), -reach * dot(axis, up)};
    const PointF end{middle.x + by.x, middle.y + by.y};
    sheet.line(middle, end, sheet.letters(0.42), sheet.ground());
    sheet.line(middle, end, sheet.letters(0.28), colour);
    const PointPx at{static_cast<int>(std::lround(middle.x + 1.35 * by.x)) - sheet.letters(0.3),
                     static_cast<int>(std::lround(middle.y + 1.35 * by.y)) - sheet.letters(0.5)};
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

}  // namespace

void annotate(const ImageView& to, const RectPx& part, const render::CastView& view,
              const Annotations& annotations) {
  const scene::AnnotationSwitches& shown = annotations.style.annotations;
  if (!shown.any()) return;
  AnnotationSheet sheet(to, part, view.picture_px, annotations.style);
  if (shown.box) draw_box_edges(sheet, view, annotations);
  if (shown.colour_bar && !annotations.range.empty()) draw_bar(sheet, annotations);
  if (shown.label) draw_title(sheet, annotations);
  if (shown.scale_bar) draw_scale_bar(sheet, view, annotations);
  if (shown.axes) draw_axes(sheet, view.camera, annotations.words.is_anatomical);
  if (!shown.caption.empty()) draw_caption(sheet, annotations);
  if (shown.box) draw_box_numbers(sheet, view, annotations);
}

}  // namespace tilewall::volume
