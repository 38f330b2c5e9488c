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
constexpr double line_letters = 1.7;       // from line to line, in heights of a capital
constexpr double beside_letters = 0.4;     // room for accents above and tails below, the same
constexpr double measured_letter_px = 100;
constexpr double largest_letter_px = 512;

std::vector<std::string_view> slate_lines(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// The text of a slate on the canvas: each line drawn once, in canvas pixels, for all panels alike.
class TextOnCanvas {
 public:
  TextOnCanvas(std::string_view text, const RectF& region_px) {
    const std::vector<std::string_view> texts = slate_lines(text);
    int widest = 1;
    for (const std::string_view line : texts)
      widest = std::max(widest, render::text_size_px(line, measured_letter_px).width);
    const auto count = static_cast<double>(std::max<std::size_t>(texts.size(), 1));
    letter_px_ =
        std::min({text_share_across * region_px.width * measured_letter_px / widest,
                  text_share_down * region_px.height / (count * line_letters), largest_letter_px});
    letter_px_ = std::max(letter_px_, 1.0);
    if (letter_px_ > 2) letter_px_ = std::floor(letter_px_);
    const double middle_px = std::round(region_px.x + region_px.width / 2);
    double top_px =
        std::round(region_px.y + region_px.height / 2 - count * line_letters * letter_px_ / 2);
    for (const std::string_view line : texts) {
      lines_.push_back(drawn(line, letter_px_));
      lines_.back().left_px = middle_px - std::floor(lines_.back().size_px.width / 2.0);
      lines_.back().top_px = top_px - accents_px(letter_px_);
      top_px += std::round(line_letters * letter_px_);
    }
  }

  /// The colour at a point of the canvas, in coordinates of AxisMap.
  [[nodiscard]] render::Rgb at(double x_px, double y_px) const noexcept {
    for (std::size_t i = 0; i < lines_.size(); ++i)
      if (const double share = share_at(lines_[i], x_px, y_px); share > 0)
        return render::mixed(slate_ground, i == 0 ? first_line_colour : other_line_colour, share);
    return slate_ground;
  }

 private:
  struct Line {
    double left_px = 0;
    double top_px = 0;
    SizePx size_px;
    std::vector<std::uint8_t> pixels;  // BGRX, white on black
  };

  static int accents_px(double letter_px) {
    return static_cast<int>(std::ceil(beside_letters * letter_px));
  }

  static Line drawn(std::string_view text, double letter_px) {
    Line line;
    const SizePx size = render::text_size_px(text, letter_px);
    const int accents = accents_px(letter_px);
    line.size_px = {std::max(size.width, 1), size.height + 2 * accents};
    const auto row_bytes = static_cast<std::size_t>(line.size_px.width) * 4;
    line.pixels.resize(row_bytes * static_cast<std::size_t>(line.size_px.height));
    render::draw_text({line.pixels.data(), line.size_px, row_bytes}, {0, accents}, text, letter_px,
                      render::white);
    return line;
  }

  /// How much of a point the line covers, between its pixels in proportion.
  static double share_at(const Line& line, double x_px, double y_px) noexcept {
    const double x = x_px - line.left_px;
    const double y = y_px - line.top_px;
    const auto column = static_cast<int>(std::floor(x));
    const auto row = static_cast<int>(std::floor(y));
    if (column < -1 || row < -1 || column >= line.size_px.width || row >= line.size_px.height)
      return 0;
    const auto pixel = [&](int at_column, int at_row) {
      if (at_column < 0 || at_row < 0 || at_column >= line.size_px.width ||
          at_row >= line.size_px.height)
        return 0.0;
      return line.pixels[4 * static_cast<std::size_t>(at_row * line.size_px.width + at_column)] /
             255.0;
    };
    return std::lerp(std::lerp(pixel(column, row), pixel(column + 1, row), x - column),
                     std::lerp(pixel(column, row + 1), pixel(column + 1, row + 1), x - column),
                     y - row);
  }

  std::vector<Line> lines_;
  double letter_px_ = 1;
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
