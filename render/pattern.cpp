#include "render/pattern.hpp"

#include <algorithm>
#include <vector>

#include "render/canvas_map.hpp"
#include "render/paint.hpp"
#include "render/text.hpp"
#include "sync/base/error.hpp"
#include "sync/base/nearest.hpp"

namespace tilewall::render {
namespace {

constexpr Pattern all_patterns[] = {
    {"identify", "name, host, place and corners of every panel", false, paint_identify},
    {"count", "the frame number, for eyes and for programs, and a sweeping bar", true, paint_count},
    {"grid", "lines and coordinates of the canvas", false, paint_grid},
    {"ramp", "gray, red, green and blue ramps across the canvas", false, paint_ramp},
    {"sync", "what a camera or an eye judges the panels' common instant by", true, paint_sync},
    {"align", "edges, lines across the bezels, millimetres, single pixels", false, paint_align},
    {"card", "marks at known canvas pixels, lines, circles, ramp", false, paint_card},
    {"colour", "primaries, ramps, steps near black and white, gamma", false, paint_colour},
    {"black", "nothing", false, paint_black},
    {"white", "everything", false, paint_white},
};

constexpr Rgb ramp_colors[] = {{255, 255, 255}, {255, 0, 0}, {0, 255, 0}, {0, 0, 255}};

/// Index of the band that canvas row `y_px` lies in.
std::size_t ramp_band(double y_px, int canvas_height_px) {
  const double bands = std::size(ramp_colors);
  return static_cast<std::size_t>(std::clamp(y_px / canvas_height_px * bands, 0.0, bands - 1));
}

std::vector<int> coordinates_on(const AxisMap& axis, int step_px) {
  std::vector<int> lines;
  const int first = static_cast<int>(axis.to_canvas(0)) / step_px * step_px;
  for (int line = first; axis.to_picture(line) < axis.picture_px(); line += step_px)
    if (line >= 0) lines.push_back(line);
  return lines;
}

void label_grid(const CanvasMap& map, int step_px, const ImageView& picture) {
  const int scale = std::max(1, picture.size_px.height / 360);
  const int letter_px = 7 * scale;
  for (const int y : coordinates_on(map.y, step_px)) {
    for (const int x : coordinates_on(map.x, step_px)) {
      const PointPx at = {static_cast<int>(map.x.to_picture(x)) + 3 * scale,
                          static_cast<int>(map.y.to_picture(y)) + 3 * scale};
      draw_text(picture, at, std::to_string(x), letter_px, Rgb{150, 190, 220});
      draw_text(picture, {at.x, at.y + 10 * scale}, std::to_string(y), letter_px,
                Rgb{150, 190, 220});
    }
  }
}

}  // namespace

void paint_grid(const PatternInfo& info, const ImageView& picture) {
  const CanvasMap map(info, picture);
  const int step_px = grid_step_px(info.panel_on_canvas_px);
  for (int y = 0; y < picture.size_px.height; ++y) {
    const double row_share = line_share(map.y.to_canvas(y), step_px, 1);
    for (int x = 0; x < picture.size_px.width; ++x) {
      const double share = std::max(row_share, line_share(map.x.to_canvas(x), step_px, 1));
      set_pixel(picture.pixel(x, y), mixed({10, 14, 20}, white, share));
    }
  }
  label_grid(map, step_px, picture);
}

void paint_ramp(const PatternInfo& info, const ImageView& picture) {
  const CanvasMap map(info, picture);
  for (int y = 0; y < picture.size_px.height; ++y) {
    const Rgb color = ramp_colors[ramp_band(map.y.to_canvas(y), info.canvas_px.height)];
    for (int x = 0; x < picture.size_px.width; ++x) {
      const double share = std::clamp(map.x.to_canvas(x) / (info.canvas_px.width - 1), 0.0, 1.0);
      set_pixel(picture.pixel(x, y), mixed(black, color, share));
    }
  }
}

void paint_black(const PatternInfo&, const ImageView& picture) { fill(picture, black); }

void paint_white(const PatternInfo&, const ImageView& picture) { fill(picture, white); }

std::span<const Pattern> patterns() noexcept { return all_patterns; }

const Pattern& find_pattern(std::string_view name) {
  std::vector<std::string_view> names;
  std::string expected;
  for (const Pattern& pattern : all_patterns) {
    if (pattern.name == name) return pattern;
    names.push_back(pattern.name);
    expected.append(expected.empty() ? "" : ", ").append(pattern.name);
  }
  throw InputError(
      {"pattern:" + std::string(name)}, "name", "one of " + expected,
      "\"" + std::string(name) + "\" (nearest: " + std::string(nearest_word(name, names)) + ")");
}

}  // namespace tilewall::render
