// Writes SVG with one method per shape. Lengths are the drawing's own units.
#pragma once

#include <string>
#include <string_view>

#include "wallconfigs/geometry.hpp"

namespace tilewall::wall {

enum class TextAnchor { start, middle, end };

struct TextStyle {
  double size = 12;
  TextAnchor anchor = TextAnchor::start;
  bool bold = false;
  std::string_view color = "#1f2933";
  double turn_deg = 0;  ///< clockwise about the text's position
};

struct LineStyle {
  std::string_view color = "#1f2933";
  double width = 1;
  double dash = 0;  ///< Length of dashes and gaps; 0 = a solid line
};

class Svg {
 public:
  void rect(const RectF& rect, std::string_view fill, const LineStyle& outline = {.width = 0});
  void line(PointF from, PointF to, const LineStyle& style);
  /// An arc of a circle from angle to angle, in degrees clockwise from straight up.
  void arc(PointF centre, double radius, double from_deg, double to_deg, const LineStyle& style);
  void triangle(PointF a, PointF b, PointF c, std::string_view fill);
  /// Text whose anchor is `position`, vertically at its middle. Any UTF-8; characters that XML
  /// cannot hold become "?".
  void text(PointF position, std::string_view text, const TextStyle& style);

  /// The whole document, `width` x `height` on a white ground.
  [[nodiscard]] std::string document(double width, double height, std::string_view title) const;

 private:
  std::string body_;
};

/// Width of `text` at that size in a common sans-serif face; an estimate to the safe side.
[[nodiscard]] double text_width(std::string_view text, double size) noexcept;

}  // namespace tilewall::wall
