#include "player/panel/panel_overlay.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "render/text.hpp"

namespace tilewall::panel {
namespace {

constexpr int box_columns = 28;
// At scale 1. A column is as wide as a digit; few letters are wider.
constexpr int letter_px = 7;
constexpr int column_width = 6;
constexpr int line_height = 12;
constexpr int accent_height = 3;  // above a capital, as in "Ä"
constexpr int margin = 3;
constexpr render::Rgb ground = {16, 18, 24};
constexpr render::Rgb letter_color = {235, 240, 245};
constexpr std::chrono::milliseconds figures_interval{250};
constexpr std::chrono::seconds rate_window{1};
constexpr std::size_t max_swaps = 1000;

/// Larger pictures get larger letters.
int scale_for(SizePx picture_px) {
  return std::max(1, std::min(picture_px.width / 640, picture_px.height / 400));
}

/// Width in pixels, at scale 1, of a box for `columns` letters.
int box_width(int columns) { return columns * column_width + 2 * margin; }

/// Columns that take a text, at scale 1.
int columns_for(const std::string& text) {
  return (render::text_size_px(text, letter_px).width + column_width - 1) / column_width;
}

}  // namespace

TextBox::TextBox(int columns, int lines, int scale)
    : scale_(scale),
      size_px_{box_width(columns) * scale, (lines * line_height + 2 * margin) * scale},
      lines_(static_cast<std::size_t>(lines)),
      pixels_(static_cast<std::size_t>(size_px_.width) * static_cast<std::size_t>(size_px_.height) *
              4) {
  render::fill(image(), ground);
}

ImageView TextBox::image() const noexcept {
  return {pixels_.data(), size_px_, static_cast<std::size_t>(size_px_.width) * 4};
}

void TextBox::set_line(int line, std::string text) {
  std::string& shown = lines_.at(static_cast<std::size_t>(line));
  if (shown == text) return;
  shown = std::move(text);
  const int side = margin * scale_;
  const ImageView all = image();
  const SizePx size_px{size_px_.width - 2 * side, line_height * scale_};
  const ImageView row{all.pixel(side, side + line * size_px.height), size_px, all.stride_bytes};
  render::fill(row, ground);
  render::draw_text(row, {0, accent_height * scale_}, shown, letter_px * scale_, letter_color);
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
  if (!hint.empty()) box.set_line(figure_lines, hint);
  return {box.image(), at_px_};
}

present::Inset PanelOverlay::paint_hint(const std::string& hint) {
  if (!hint_box_ || hint_ != hint) {
    hint_ = hint;
    const int room_px = picture_px_.width - 2 * at_px_.x;
    const int most_columns = std::max(1, (room_px - 2 * margin) / column_width);
    const int columns = std::clamp(columns_for(hint), 1, most_columns);
    const int most = std::max(2, 2 * scale_for(picture_px_));
    hint_box_.emplace(columns, 1, std::clamp(room_px / box_width(columns), 1, most));
    hint_box_->set_line(0, hint);
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
