// Annotations in pixels of the whole picture. Every text lies within one panel, so no frame cuts
// it; only the lines of the outline box go from panel to panel.

#include "player/volume/caster/annotations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "player/volume/caster/axis_ticks.hpp"
#include "render/text.hpp"

namespace tilewall::volume {
namespace {

constexpr double default_letter_share = 7.0 / 360;  // of the picture's height
constexpr double largest_letter_share = 1.0 / 14;   // of a panel's height
constexpr double largest_picture_share = 1.0 / 28;  // of the picture's
constexpr double smallest_letter_px = 7;
constexpr double most_bar_ticks = 8;
constexpr double bar_share = 0.65;     // of its panel's height
constexpr double heading_share = 0.4;  // of its panel's width, at most; 8 letters always fit
constexpr std::size_t most_heading_lines = 3;
constexpr std::size_t most_title_lines = 3;
constexpr std::size_t most_caption_lines = 8;
constexpr double aside_letters = 0.5;       // by which numbers go aside from frames
constexpr double most_aside_letters = 2.5;  // beside half of the number
constexpr double ground_share = 0.85;
constexpr double most_along_share = 0.9;  // cosine to the line of sight
constexpr std::string_view hidden_word = "hidden";
constexpr render::Rgb dark = {14, 16, 22};
constexpr render::Rgb light = {236, 238, 242};
constexpr render::Rgb axis_inks[] = {{235, 90, 90}, {80, 190, 90}, {110, 150, 250}};
constexpr std::string_view axis_names[] = {"x", "y", "z"};
// Directions of a patient: right and left, anterior and posterior, superior and inferior.
constexpr std::string_view patient_names[][2] = {{"R", "L"}, {"A", "P"}, {"S", "I"}};

/// The picture's part of one panel, in which drawings are cut off, and what all parts share: the
/// panels' places, the size of letters, and colours that stand out from the background.
class Sheet {
 public:
  Sheet(const ImageView& to, const RectPx& part, SizePx whole_px, const scene::VolumeStyle& style)
      : to_(to), part_(part), whole_px_(whole_px), is_light_(luminance(style.background) > 0.5) {
    if (style.screens)
      for (const RectF& screen : style.screens->panels) {
        const auto left = static_cast<int>(std::ceil(screen.x * whole_px.width - 1e-3));
        const auto top = static_cast<int>(std::ceil(screen.y * whole_px.height - 1e-3));
        const RectPx panel{left, top,
                           static_cast<int>(screen.right() * whole_px.width + 1e-3) - left,
                           static_cast<int>(screen.bottom() * whole_px.height + 1e-3) - top};
        if (!panel.empty()) panels_.push_back(panel);
      }
    if (panels_.empty()) panels_.push_back({0, 0, whole_px.width, whole_px.height});
    int lowest = whole_px.height;
    for (const RectPx& panel : panels_) lowest = std::min(lowest, panel.height);
    letter_px_ = default_letter_share * whole_px.height;
    const double letter_mm = style.annotations.letter_mm;
    if (letter_mm > 0 && style.screens && style.screens->height_mm > 0)
      letter_px_ = letter_mm * whole_px.height / style.screens->height_mm;
    letter_px_ = std::clamp(
        letter_px_, smallest_letter_px,
        std::max(smallest_letter_px,
                 std::min(largest_letter_share * lowest, largest_picture_share * whole_px.height)));
  }

  [[nodiscard]] SizePx whole_px() const noexcept { return whole_px_; }
  [[nodiscard]] double letter_px() const noexcept { return letter_px_; }
  /// A length of so many letters' height, in whole pixels.
  [[nodiscard]] int letters(double count) const noexcept {
    return std::max(1, static_cast<int>(std::lround(count * letter_px_)));
  }
  [[nodiscard]] render::Rgb ink() const noexcept { return is_light_ ? dark : light; }
  [[nodiscard]] render::Rgb ground() const noexcept { return is_light_ ? render::white : dark; }
  [[nodiscard]] render::Rgb faint() const noexcept { return render::mixed(ink(), ground(), 0.5); }
  [[nodiscard]] int width_of(std::string_view text) const {
    return render::text_size_px(text, letter_px_).width;
  }

  /// The panel nearest to a place of the picture, which is given in shares of its sides.
  [[nodiscard]] const RectPx& panel_at(double across, double down) const {
    const auto distance = [&](const RectPx& panel) {
      const double x = across * whole_px_.width;
      const double y = down * whole_px_.height;
      return std::hypot(x - std::clamp(x, double(panel.x), double(panel.right())),
                        y - std::clamp(y, double(panel.y), double(panel.bottom())));
    };
    return *std::min_element(panels_.begin(), panels_.end(), [&](const RectPx& a, const RectPx& b) {
      return distance(a) < distance(b);
    });
  }

  /// Whether a rectangle lies within one panel, clear of what was drawn there.
  [[nodiscard]] bool is_free(const RectPx& rect) const {
    const auto holds = [&](const RectPx& panel) { return intersection(panel, rect) == rect; };
    const auto overlaps = [&](const RectPx& other) { return !intersection(other, rect).empty(); };
    return std::ranges::any_of(panels_, holds) && std::ranges::none_of(taken_, overlaps);
  }
  [[nodiscard]] bool is_taken(const RectPx& rect) const {
    return std::ranges::any_of(
        taken_, [&](const RectPx& other) { return !intersection(other, rect).empty(); });
  }
  void take(const RectPx& rect) { taken_.push_back(rect); }

  void rectangle(const RectPx& rect, render::Rgb color) const {
    render::fill(to_, here(rect), color);
  }
  /// A ground of its own for a drawing, which hides most of the picture.
  void ground(const RectPx& rect) const { render::tint(to_, here(rect), ground(), ground_share); }
  /// Text with a rim, which is legible on any ground.
  void text(PointPx at, std::string_view text, std::optional<render::Rgb> color = {}) const {
    render::draw_text(
        to_, {at.x - part_.x, at.y - part_.y}, text, letter_px_,
        render::TextInk{color.value_or(ink()), ground(), std::max(1.0, letter_px_ / 7)});
  }
  void line(PointF from, PointF to, int width, render::Rgb color) const {
    // The share of the line that may touch this part.
    double first = 0;
    double last = 1;
    const auto cut = [&](double at, double by, double low, double high) {
      if (std::abs(by) < 1e-9) return at >= low && at <= high;
      const double a = (low - at) / by;
      const double b = (high - at) / by;
      first = std::max(first, std::min(a, b));
      last = std::min(last, std::max(a, b));
      return true;
    };
    if (!cut(from.x, to.x - from.x, part_.x - width, part_.right() + width) ||
        !cut(from.y, to.y - from.y, part_.y - width, part_.bottom() + width))
      return;
    const double length = std::max(std::hypot(to.x - from.x, to.y - from.y), 1.0);
    // Steps count from the line's own beginning, so that all parts draw the same pixels.
    const auto end = static_cast<std::int64_t>(std::floor(last * length));
    for (auto step = static_cast<std::int64_t>(std::floor(first * length)); step <= end; ++step) {
      const double share = static_cast<double>(step) / length;
      const auto x = static_cast<int>(std::lround(from.x + share * (to.x - from.x)));
      const auto y = static_cast<int>(std::lround(from.y + share * (to.y - from.y)));
      rectangle({x - width / 2, y - width / 2, width, width}, color);
    }
  }

 private:
  static double luminance(const render::Rgba& color) noexcept {
    return 0.299 * color.r + 0.587 * color.g + 0.114 * color.b;
  }
  [[nodiscard]] RectPx here(RectPx rect) const noexcept {
    rect.x -= part_.x;
    rect.y -= part_.y;
    return rect;
  }

  const ImageView& to_;
  const RectPx part_;
  const SizePx whole_px_;
  const bool is_light_;
  std::vector<RectPx> panels_;
  std::vector<RectPx> taken_;
  double letter_px_ = 0;
};

render::Rgb colour_of(const render::Rgba& from) {
  const auto channel = [](float value) {
    return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0F, 1.0F) * 255));
  };
  return {channel(from.r), channel(from.g), channel(from.b)};
}

/// Whether a unit is that of longitudes, which other axes do not share.
bool is_angle(const std::string& unit) { return unit.starts_with("degree"); }

/// The text's beginning that is not wider than `most_px`, with dots where it is cut.
std::string fitted(const Sheet& sheet, std::string text, int most_px) {
  if (sheet.width_of(text) <= most_px) return text;
  while (!text.empty() && sheet.width_of(text + "…") > most_px) {
    while (text.size() > 1 && (static_cast<unsigned char>(text.back()) >> 6) == 0b10)
      text.pop_back();
    text.pop_back();
  }
  return text + "…";
}

/// A name in lines that are not wider than `most_px`, which end after an underscore, a slash or a
/// space. The last one has dots where there would be more lines than `most`, or a part is too long.
std::vector<std::string> name_lines(const Sheet& sheet, std::string_view name, int most_px,
                                    std::size_t most) {
  std::vector<std::string> lines;
  while (!name.empty()) {
    std::size_t end = name.size();
    if (lines.size() + 1 < most)
      while (end > 0 && end != std::string_view::npos &&
             sheet.width_of(name.substr(0, end)) > most_px) {
        const std::size_t before =
            end < 2 ? std::string_view::npos : name.find_last_of("_/ ", end - 2);
        end = before == std::string_view::npos ? 0 : before + 1;
      }
    if (end == 0) end = name.size();
    lines.push_back(fitted(sheet, std::string(name.substr(0, end)), most_px));
    name.remove_prefix(end);
  }
  return lines;
}

/// The colour bar, its heading and its ticks on a ground of their own, at the right of the panel in
/// the middle of the right edge.
void draw_bar(Sheet& sheet, const Annotations& annotations) {
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
       name_lines(sheet, annotations.words.quantity, most_px, most_heading_lines))
    heading.push_back(line_of_name);
  const std::string unit = bracketed(ticks.factor, annotations.words.value_unit);
  if (!unit.empty()) heading.push_back(fitted(sheet, unit, most_px));
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

/// The longest beginning of the text that ends before such a gap and is not wider than `most_px`; 0
/// for none.
std::size_t end_before_gap(const Sheet& sheet, std::string_view text, std::string_view gap,
                           int most_px) {
  std::size_t end = text.rfind(gap);
  while (end != std::string_view::npos && end > 0 && sheet.width_of(text.substr(0, end)) > most_px)
    end = text.rfind(gap, end - 1);
  return end == std::string_view::npos ? 0 : end;
}

/// The text in lines that are not wider than `most_px`. They end where the text has two spaces,
/// else one; the last one has dots where there would be more lines than `most`, or a word is too
/// long.
std::vector<std::string> lines_of(const Sheet& sheet, std::string_view text, int most_px,
                                  std::size_t most) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t end = text.size();
    if (sheet.width_of(text) > most_px && lines.size() + 1 < most) {
      end = end_before_gap(sheet, text, "  ", most_px);
      if (end == 0) end = end_before_gap(sheet, text, " ", most_px);
      if (end == 0) end = text.size();
    }
    lines.push_back(fitted(sheet, std::string(text.substr(0, end)), most_px));
    text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
  }
  return lines;
}

/// Title and date, in the panel at the upper left.
void draw_title(Sheet& sheet, const Annotations& annotations) {
  const RectPx& panel = sheet.panel_at(0, 0);
  const int gap = sheet.letters(1);
  const std::string& title = annotations.style.annotations.title;
  std::vector<std::string> lines = lines_of(sheet, title.empty() ? annotations.label : title,
                                            panel.width - 2 * gap, most_title_lines);
  lines.push_back(fitted(sheet, annotations.style.annotations.date, panel.width - 2 * gap));
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
void draw_caption(Sheet& sheet, const Annotations& annotations) {
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
      lines_of(sheet, shown.caption, area.width - 4 * gap, std::min(most_caption_lines, rows));
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
void draw_scale_bar(Sheet& sheet, const render::CastView& view, const Annotations& annotations) {
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
void draw_axes(Sheet& sheet, const render::VolumeCamera& camera, bool is_anatomical) {
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
void label_edge(Sheet& sheet, const Projection& projection, const Outline& outline,
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

  /// Draws the edges that bound the box in the picture, and faintly those behind it. The three at
  /// the corner nearest to the eye are left out, because they would lie before the volume.
  void draw_edges(const Sheet& sheet) const {
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

  /// Writes numbers along one bounding edge of each axis, the lowest and leftmost.
  void draw_numbers(Sheet& sheet) const {
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

void annotate(const ImageView& to, const RectPx& part, const render::CastView& view,
              const Annotations& annotations) {
  const scene::AnnotationSwitches& shown = annotations.style.annotations;
  if (!shown.any()) return;
  Sheet sheet(to, part, view.picture_px, annotations.style);
  std::optional<BoxDrawing> box;
  if (shown.box) box.emplace(view, annotations);
  // Its lines lie under the other drawings, and its numbers go where these leave room.
  if (box) box->draw_edges(sheet);
  if (shown.colour_bar && !annotations.range.empty()) draw_bar(sheet, annotations);
  if (shown.label) draw_title(sheet, annotations);
  if (shown.scale_bar) draw_scale_bar(sheet, view, annotations);
  if (shown.axes) draw_axes(sheet, view.camera, annotations.words.is_anatomical);
  if (!shown.caption.empty()) draw_caption(sheet, annotations);
  if (box) box->draw_numbers(sheet);
}

}  // namespace tilewall::volume
