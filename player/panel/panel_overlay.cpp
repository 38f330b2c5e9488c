#include "player/panel/panel_overlay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "render/text.hpp"

namespace tilewall::panel {
namespace {

constexpr int box_columns = 28;
constexpr int cell_width = render::glyph_width + 1;
constexpr int cell_height = render::glyph_height + 3;
constexpr int margin = 3;
constexpr render::Rgb ground = {16, 18, 24};
constexpr render::Rgb letter_color = {235, 240, 245};
constexpr std::chrono::milliseconds figures_interval{250};
constexpr std::chrono::seconds rate_window{1};
constexpr std::size_t max_swaps = 1000;

/// Pixels per pixel of a glyph; larger pictures get larger letters.
int scale_for(SizePx picture_px) {
  return std::max(1, std::min(picture_px.width / 640, picture_px.height / 400));
}

/// Width in pixels, at scale 1, of a box for `columns` letters.
int box_width(int columns) { return columns * cell_width + 2 * margin; }

/// One byte for each letter of a UTF-8 text, because only ASCII has glyphs; others become '?'.
std::string ascii(const std::string& text) {
  std::string letters;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >> 6 != 0b10) letters += byte < 0x80 ? c : '?';
  }
  return letters;
}

}  // namespace

TextBox::TextBox(int columns, int lines, int scale)
    : columns_(columns),
      scale_(scale),
      size_px_{(columns * cell_width + 2 * margin) * scale,
               (lines * cell_height + 2 * margin) * scale},
      lines_(static_cast<std::size_t>(lines), std::string(static_cast<std::size_t>(columns), ' ')),
      pixels_(static_cast<std::size_t>(size_px_.width) * static_cast<std::size_t>(size_px_.height) *
              4) {
  render::fill(image(), ground);
}

ImageView TextBox::image() const noexcept {
  return {pixels_.data(), size_px_, static_cast<std::size_t>(size_px_.width) * 4};
}

RectPx TextBox::cell_px(int column, int line) const noexcept {
  return {(margin + column * cell_width) * scale_, (margin + line * cell_height) * scale_,
          cell_width * scale_, cell_height * scale_};
}

void TextBox::set_line(int line, std::string text) {
  std::string& shown = lines_.at(static_cast<std::size_t>(line));
  text.resize(static_cast<std::size_t>(columns_), ' ');
  for (int column = 0; column < columns_; ++column) {
    const char letter = text[static_cast<std::size_t>(column)];
    if (letter == shown[static_cast<std::size_t>(column)]) continue;
    const RectPx cell = cell_px(column, line);
    render::fill(image(), cell, ground);
    render::draw_text(image(), {cell.x, cell.y + scale_}, {&letter, 1}, scale_, letter_color);
  }
  shown = std::move(text);
}

PanelOverlay::PanelOverlay(std::string panel, SizePx picture_px)
    : panel_(std::move(panel)),
      picture_px_(picture_px),
      at_px_{picture_px.width / 40, picture_px.height / 40},
      box_(box_columns, figure_lines, scale_for(picture_px)) {}

void PanelOverlay::add_swap(LocalInstant swapped, Nanos lateness, bool late) {
  swaps_.push_back(swapped);
  while (swaps_.size() > max_swaps || swaps_.front() < swapped - rate_window) swaps_.pop_front();
  if (std::abs(lateness.count()) > std::abs(worst_lateness_.count())) worst_lateness_ = lateness;
  late_ += late ? 1 : 0;
}

double PanelOverlay::fps() const noexcept {
  if (swaps_.size() < 2) return 0;
  const auto passed = std::chrono::duration<double>(swaps_.back() - swaps_.front());
  return static_cast<double>(swaps_.size() - 1) / passed.count();
}

present::Inset PanelOverlay::paint(const Figures& figures, LocalInstant now,
                                   const std::string& hint) {
  lines_[0] = fmt::format("{:<14.14} frame {}", panel_, figures.frame);
  if (now >= next_figures_) {
    next_figures_ = now + figures_interval;
    update_figures(figures);
  }
  if (!hint.empty() && !tall_box_)
    tall_box_.emplace(box_columns, figure_lines + 1, scale_for(picture_px_));
  TextBox& box = hint.empty() ? box_ : *tall_box_;
  for (int line = 0; line < figure_lines; ++line)
    box.set_line(line, lines_[static_cast<std::size_t>(line)]);
  if (!hint.empty()) box.set_line(figure_lines, ascii(hint));
  return {box.image(), at_px_};
}

present::Inset PanelOverlay::paint_hint(const std::string& hint) {
  if (!hint_box_ || hint_ != hint) {
    hint_ = hint;
    const std::string text = ascii(hint);
    const int room_px = picture_px_.width - 2 * at_px_.x;
    const int most_columns = std::max(1, (room_px - 2 * margin) / cell_width);
    const int columns = std::clamp(static_cast<int>(text.size()), 1, most_columns);
    const int most = std::max(2, 2 * scale_for(picture_px_));
    hint_box_.emplace(columns, 1, std::clamp(room_px / box_width(columns), 1, most));
    hint_box_->set_line(0, text);
  }
  return {hint_box_->image(), at_px_};
}

void PanelOverlay::update_figures(const Figures& figures) {
  lines_[1] =
      fmt::format("{:.2f} fps  buffers {}/{}", fps(), figures.buffers_ready, figures.buffers);
  lines_[2] =
      fmt::format("skew {:+.3f} ms  late {}",
                  std::chrono::duration<double, std::milli>(worst_lateness_).count(), late_);
  lines_[3] = fmt::format("level {}  {}", figures.level, figures.clock);
  lines_[4] = figures.ticks;
  worst_lateness_ = Nanos(0);
}

}  // namespace tilewall::panel
