#include "wallconfigs/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>

namespace tilewall::wall {
namespace {

constexpr std::string_view not_in_xml[] = {"\xef\xbf\xbe", "\xef\xbf\xbf"};  // U+FFFE, U+FFFF

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::string_view three = text.substr(i, 3);
    if (std::find(std::begin(not_in_xml), std::end(not_in_xml), three) != std::end(not_in_xml)) {
      out += '?';
      i += 2;
      continue;
    }
    switch (const char c = text[i]) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  }
  return out;
}

std::string stroke(const LineStyle& style) {
  if (style.width <= 0) return "";
  std::string out = fmt::format(R"( stroke="{}" stroke-width="{:.2f}")", style.color, style.width);
  if (style.dash > 0) out += fmt::format(R"( stroke-dasharray="{:.2f}")", style.dash);
  return out;
}

std::string_view anchor_name(TextAnchor anchor) {
  switch (anchor) {
    case TextAnchor::middle:
      return "middle";
    case TextAnchor::end:
      return "end";
    case TextAnchor::start:
      break;
  }
  return "start";
}

PointF on_circle(PointF centre, double radius, double angle_deg) {
  const double angle = angle_deg * std::numbers::pi / 180;
  return {centre.x + radius * std::sin(angle), centre.y - radius * std::cos(angle)};
}

}  // namespace

void Svg::rect(const RectF& rect, std::string_view fill, const LineStyle& outline) {
  body_ +=
      fmt::format(R"(<rect x="{:.2f}" y="{:.2f}" width="{:.2f}" height="{:.2f}" fill="{}"{}/>)",
                  rect.x, rect.y, rect.width, rect.height, fill, stroke(outline));
  body_ += '\n';
}

void Svg::line(PointF from, PointF to, const LineStyle& style) {
  body_ += fmt::format(R"(<line x1="{:.2f}" y1="{:.2f}" x2="{:.2f}" y2="{:.2f}"{}/>)", from.x,
                       from.y, to.x, to.y, stroke(style));
  body_ += '\n';
}

void Svg::arc(PointF centre, double radius, double from_deg, double to_deg,
              const LineStyle& style) {
  const PointF from = on_circle(centre, radius, from_deg);
  const PointF to = on_circle(centre, radius, to_deg);
  body_ += fmt::format(
      R"(<path d="M {:.2f} {:.2f} A {:.2f} {:.2f} 0 {} 1 {:.2f} {:.2f}" fill="none"{}/>)", from.x,
      from.y, radius, radius, to_deg - from_deg > 180 ? 1 : 0, to.x, to.y, stroke(style));
  body_ += '\n';
}

void Svg::triangle(PointF a, PointF b, PointF c, std::string_view fill) {
  body_ += fmt::format(R"(<path d="M {:.2f} {:.2f} L {:.2f} {:.2f} L {:.2f} {:.2f} Z" fill="{}"/>)",
                       a.x, a.y, b.x, b.y, c.x, c.y, fill);
  body_ += '\n';
}

void Svg::text(PointF position, std::string_view text, const TextStyle& style) {
  // The text's middle is half the height of capitals above the baseline; not every viewer knows
  // dominant-baseline.
  const double baseline = 0.36 * style.size;
  body_ += fmt::format(R"(<text x="0" y="{:.2f}" transform="translate({:.2f} {:.2f}))", baseline,
                       position.x, position.y);
  if (style.turn_deg != 0) body_ += fmt::format(" rotate({:.2f})", style.turn_deg);
  body_ += fmt::format(R"(" font-size="{:.2f}" text-anchor="{}" fill="{}"{}>{}</text>)", style.size,
                       anchor_name(style.anchor), style.color,
                       style.bold ? R"( font-weight="bold")" : "", escaped(text));
  body_ += '\n';
}

std::string Svg::document(double width, double height, std::string_view title) const {
  return fmt::format(
      R"(<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" viewBox="0 0 {0:.0f} {1:.0f}" font-family="DejaVu Sans, Helvetica, Arial, sans-serif">
<title>{2}</title>
<rect width="100%" height="100%" fill="#ffffff"/>
{3}</svg>
)",
      width, height, escaped(title), body_);
}

double text_width(std::string_view text, double size) noexcept {
  const auto characters = std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80;  // not a UTF-8 continuation
  });
  return 0.62 * size * static_cast<double>(characters);
}

}  // namespace tilewall::wall
