#include "player/panel/panel_overlay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "render/glyphs.hpp"
#include "render/text.hpp"

namespace tilewall {
namespace {

constexpr int box_columns = 28;
constexpr int box_lines = 5;
constexpr int cell_width = glyph_width + 1;
constexpr int cell_height = glyph_height + 3;
constexpr int margin = 3;
constexpr Rgb ground = {16, 18, 24};
constexpr Rgb letter_color = {235, 240, 245};
constexpr std::chrono::milliseconds figures_interval{250};
constexpr std::chrono::seconds rate_window{1};
constexpr std::size_t max_swaps = 1000;

/// Legible from as far away as the panel's size suggests.
int scale_for(SizePx picture_px) {
  return std::max(1, std::min(picture_px.width / 640, picture_px.height / 400));
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
  fill(image(), ground);
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
    fill(image(), cell, ground);
    draw_text(image(), {cell.x, cell.y + scale_}, {&letter, 1}, scale_, letter_color);
  }
  shown = std::move(text);
}

PanelOverlay::PanelOverlay(std::string panel, SizePx picture_px)
    : panel_(std::move(panel)),
      at_px_{picture_px.width / 40, picture_px.height / 40},
      box_(box_columns, box_lines, scale_for(picture_px)) {}

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

Inset PanelOverlay::paint(const Figures& figures, LocalInstant now) {
  box_.set_line(0, fmt::format("{:<14.14} frame {}", panel_, figures.frame));
  if (now >= next_figures_) {
    next_figures_ = now + figures_interval;
    paint_figures(figures);
  }
  return {box_.image(), at_px_};
}

void PanelOverlay::paint_figures(const Figures& figures) {
  box_.set_line(
      1, fmt::format("{:.2f} fps  buffers {}/{}", fps(), figures.buffers_ready, figures.buffers));
  box_.set_line(
      2, fmt::format("skew {:+.3f} ms  late {}",
                     std::chrono::duration<double, std::milli>(worst_lateness_).count(), late_));
  box_.set_line(3, fmt::format("level {}  {}", figures.level, figures.clock));
  box_.set_line(4, figures.ticks);
  worst_lateness_ = Nanos(0);
}

}  // namespace tilewall
