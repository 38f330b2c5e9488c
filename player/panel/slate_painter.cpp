#include "player/panel/slate_painter.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include "render/canvas_map.hpp"
#include "render/paint.hpp"
#include "render/text.hpp"

namespace tilewall::panel {
namespace {

constexpr render::Rgb slate_ground{24, 28, 34};
constexpr render::Rgb first_line_colour{200, 204, 210};
constexpr render::Rgb other_line_colour{128, 136, 146};
constexpr std::size_t most_cards = 8;
constexpr double text_share_across = 0.7;  // The text is so much of the region's width
constexpr double text_share_down = 0.4;    // and of its height at most.
constexpr int cell_columns = render::glyph_width + 1;
constexpr int line_rows = render::glyph_height + 5;

std::vector<std::string_view> slate_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The text of a slate on the canvas. A unit is the side of a cell of a letter.
class TextOnCanvas {
 public:
  TextOnCanvas(std::string_view text, const RectF& region_px) : lines_(slate_lines(text)) {
    std::size_t columns = 1;
    for (const std::string_view line : lines_) columns = std::max(columns, line.size());
    const double across = static_cast<double>(columns) * cell_columns;
    const double down = static_cast<double>(lines_.size()) * line_rows;
    unit_px_ = std::min(text_share_across * region_px.width / across,
                        text_share_down * region_px.height / down);
    if (unit_px_ >= 1) unit_px_ = std::floor(unit_px_);
    middle_px_ = std::round(region_px.x + region_px.width / 2);
    top_px_ = std::round(region_px.y + region_px.height / 2 - down * unit_px_ / 2);
  }

  /// The colour at a point of the canvas.
  [[nodiscard]] render::Rgb at(double x_px, double y_px) const noexcept {
    const auto y = static_cast<int>(std::floor((y_px - top_px_) / unit_px_));
    const int number = y >= 0 ? y / line_rows : -1;
    if (number < 0 || number >= static_cast<int>(lines_.size())) return slate_ground;
    const std::string_view line = lines_[static_cast<std::size_t>(number)];
    const double left_px =
        middle_px_ - static_cast<double>(line.size()) * cell_columns * unit_px_ / 2;
    const auto x = static_cast<int>(std::floor((x_px - left_px) / unit_px_));
    const int column = x >= 0 ? x / cell_columns : -1;
    if (column < 0 || column >= static_cast<int>(line.size())) return slate_ground;
    const char letter = line[static_cast<std::size_t>(column)];
    if (!render::glyph_cell(letter, x % cell_columns, y % line_rows)) return slate_ground;
    return number == 0 ? first_line_colour : other_line_colour;
  }

 private:
  const std::vector<std::string_view> lines_;
  double unit_px_ = 1;
  double middle_px_ = 0;
  double top_px_ = 0;
};

}  // namespace

const SlatePainter::Card& SlatePainter::card_of(const scene::Region& region, const RectPx& drawn_px,
                                                const picture::PanelOnCanvas& panel) {
  const auto found = std::ranges::find_if(cards_, [&](const Card& card) {
    return card.text == region.slate && card.region_px == region.canvas_px &&
           card.panel_px == panel.canvas_px && card.drawn_px == drawn_px;
  });
  if (found != cards_.end()) return *found;
  if (cards_.size() >= most_cards) cards_.erase(cards_.begin());
  Card card{region.slate, region.canvas_px, panel.canvas_px, drawn_px, {}};
  card.pixels.resize(std::size_t{4} * static_cast<std::size_t>(drawn_px.width) *
                     static_cast<std::size_t>(drawn_px.height));
  const TextOnCanvas text(region.slate, region.canvas_px);
  const render::AxisMap across(panel.canvas_px.x, panel.canvas_px.width,
                               panel.viewed_size_px.width);
  const render::AxisMap down(panel.canvas_px.y, panel.canvas_px.height,
                             panel.viewed_size_px.height);
  std::uint8_t* pixel = card.pixels.data();
  for (int y = 0; y < drawn_px.height; ++y)
    for (int x = 0; x < drawn_px.width; ++x, pixel += 4)
      render::set_pixel(pixel,
                        text.at(across.to_canvas(drawn_px.x + x), down.to_canvas(drawn_px.y + y)));
  return cards_.emplace_back(std::move(card));
}

void SlatePainter::paint(const scene::Region& region, const RectPx& drawn_px,
                         const picture::PanelOnCanvas& panel, const ImageView& picture) {
  const Card& card = card_of(region, drawn_px, panel);
  const std::size_t row_bytes = std::size_t{4} * static_cast<std::size_t>(drawn_px.width);
  for (int y = 0; y < drawn_px.height; ++y)
    std::memcpy(picture.row(drawn_px.y + y) + 4 * drawn_px.x,
                card.pixels.data() + static_cast<std::size_t>(y) * row_bytes, row_bytes);
}

}  // namespace tilewall::panel
