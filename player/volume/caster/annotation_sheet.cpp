#include "player/volume/caster/annotation_sheet.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tilewall::volume {
namespace {

constexpr double default_letter_share = 7.0 / 360;  // of the picture's height
constexpr double largest_letter_share = 1.0 / 14;   // of a panel's height
constexpr double largest_picture_share = 1.0 / 28;  // of the picture's
constexpr double smallest_letter_px = 7;
constexpr double ground_share = 0.85;
constexpr render::Rgb dark = {14, 16, 22};
constexpr render::Rgb light = {236, 238, 242};

double luminance(const render::Rgba& color) noexcept {
  return 0.299 * color.r + 0.587 * color.g + 0.114 * color.b;
}

}  // namespace

AnnotationSheet::AnnotationSheet(const ImageView& to, const RectPx& part, SizePx whole_px,
                                 const scene::VolumeStyle& style)
    : to_(to), part_(part), whole_px_(whole_px), is_light_(luminance(style.background) > 0.5) {
  if (style.screens)
    for (const RectF& screen : style.screens->panels) {
      const auto left = static_cast<int>(std::ceil(screen.x * whole_px.width - 1e-3));
      const auto top = static_cast<int>(std::ceil(screen.y * whole_px.height - 1e-3));
      const RectPx panel{left, top, static_cast<int>(screen.right() * whole_px.width + 1e-3) - left,
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

int AnnotationSheet::letters(double count) const noexcept {
  return std::max(1, static_cast<int>(std::lround(count * letter_px_)));
}

render::Rgb AnnotationSheet::ink() const noexcept { return is_light_ ? dark : light; }

render::Rgb AnnotationSheet::ground() const noexcept { return is_light_ ? render::white : dark; }

const RectPx& AnnotationSheet::panel_at(double across, double down) const {
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

bool AnnotationSheet::is_free(const RectPx& rect) const {
  const auto holds = [&](const RectPx& panel) { return intersection(panel, rect) == rect; };
  const auto overlaps = [&](const RectPx& other) { return !intersection(other, rect).empty(); };
  return std::ranges::any_of(panels_, holds) && std::ranges::none_of(taken_, overlaps);
}

bool AnnotationSheet::is_taken(const RectPx& rect) const {
  return std::ranges::any_of(
      taken_, [&](const RectPx& other) { return !intersection(other, rect).empty(); });
}

int AnnotationSheet::width_of(std::string_view text) const {
  return render::text_size_px(text, letter_px_).width;
}

std::string AnnotationSheet::fitted(std::string text, int most_px) const {
  if (width_of(text) <= most_px) return text;
  while (!text.empty() && width_of(text + "…") > most_px) {
    while (text.size() > 1 && (static_cast<unsigned char>(text.back()) >> 6) == 0b10)
      text.pop_back();
    text.pop_back();
  }
  return text + "…";
}

std::vector<std::string> AnnotationSheet::name_lines(std::string_view name, int most_px,
                                                     std::size_t most) const {
  std::vector<std::string> lines;
  while (!name.empty()) {
    std::size_t end = name.size();
    if (lines.size() + 1 < most)
      while (end > 0 && end != std::string_view::npos && width_of(name.substr(0, end)) > most_px) {
        const std::size_t before =
            end < 2 ? std::string_view::npos : name.find_last_of("_/ ", end - 2);
        end = before == std::string_view::npos ? 0 : before + 1;
      }
    if (end == 0) end = name.size();
    lines.push_back(fitted(std::string(name.substr(0, end)), most_px));
    name.remove_prefix(end);
  }
  return lines;
}

/// The longest beginning of the text that ends before such a gap and is not wider than `most_px`; 0
/// for none.
std::size_t AnnotationSheet::end_before_gap(std::string_view text, std::string_view gap,
                                            int most_px) const {
  std::size_t end = text.rfind(gap);
  while (end != std::string_view::npos && end > 0 && width_of(text.substr(0, end)) > most_px)
    end = text.rfind(gap, end - 1);
  return end == std::string_view::npos ? 0 : end;
}

std::vector<std::string> AnnotationSheet::text_lines(std::string_view text, int most_px,
                                                     std::size_t most) const {
  std::vector<std::string> lines;
  while (!text.empty()) {
    std::size_t end = text.size();
    if (width_of(text) > most_px && lines.size() + 1 < most) {
      end = end_before_gap(text, "  ", most_px);
      if (end == 0) end = end_before_gap(text, " ", most_px);
      if (end == 0) end = text.size();
    }
    lines.push_back(fitted(std::string(text.substr(0, end)), most_px));
    text.remove_prefix(std::min(text.find_first_not_of(' ', end), text.size()));
  }
  return lines;
}

void AnnotationSheet::rectangle(const RectPx& rect, render::Rgb color) const {
  render::fill(to_, here(rect), color);
}

void AnnotationSheet::ground(const RectPx& rect) const {
  render::tint(to_, here(rect), ground(), ground_share);
}

void AnnotationSheet::text(PointPx at, std::string_view text,
                           std::optional<render::Rgb> color) const {
  render::draw_text(
      to_, {at.x - part_.x, at.y - part_.y}, text, letter_px_,
      render::TextInk{color.value_or(ink()), ground(), std::max(1.0, letter_px_ / 7)});
}

void AnnotationSheet::line(PointF from, PointF to, int width, render::Rgb color) const {
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
  std::optional<PointPx> before;
  for (auto step = static_cast<std::int64_t>(std::floor(first * length)); step <= end; ++step) {
    const double share = static_cast<double>(step) / length;
    const PointPx at{static_cast<int>(std::lround(from.x + share * (to.x - from.x))) - width / 2,
                     static_cast<int>(std::lround(from.y + share * (to.y - from.y))) - width / 2};
    // A square covers all of the one before, which lies a pixel away at most, but for its sides.
    if (!before) rectangle({at.x, at.y, width, width}, color);
    if (before && at.x != before->x)
      rectangle({at.x > before->x ? at.x + width - 1 : at.x, at.y, 1, width}, color);
    if (before && at.y != before->y)
      rectangle({at.x, at.y > before->y ? at.y + width - 1 : at.y, width, 1}, color);
    before = at;
  }
}

RectPx AnnotationSheet::here(RectPx rect) const noexcept {
  rect.x -= part_.x;
  rect.y -= part_.y;
  return rect;
}

}  // namespace tilewall::volume
