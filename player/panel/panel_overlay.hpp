// Paints the box that lies over a panel's picture: the panel's own figures (name and frame, rate
// and buffers, lateness, level and clock), and a hint that is the same on all panels. The CPU
// paints it, and only the lines that changed.
//
// Threads: one owner, the presenting thread.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "player/present/correction/copy_picture.hpp"
#include "sync/global_time.hpp"

namespace tilewall::panel {

/// Text on a dark ground, with a fixed number of lines and columns.
class TextBox {
 public:
  /// A column has the width of a digit, 6 pixels at scale 1.
  TextBox(int columns, int lines, int scale);

  /// Sets a UTF-8 text, cut off at the box's margin.
  void set_line(int line, std::string text);

  [[nodiscard]] ImageView image() const noexcept;

 private:
  const int scale_;
  SizePx size_px_;
  std::vector<std::string> lines_;
  mutable std::vector<std::uint8_t> pixels_;
};

class PanelOverlay {
 public:
  /// Figures about the next picture.
  struct Figures {
    std::int64_t frame = 0;
    std::size_t buffers_ready = 0;
    std::size_t buffers = 0;
    int level = 0;      ///< Pyramid level; 0: full size
    std::string clock;  ///< state and bound
    std::string ticks;  ///< the text of the scene's decimation
  };

  /// `panel` is the panel's name, `picture_px` the size of its pictures in viewed orientation.
  PanelOverlay(std::string panel, SizePx picture_px);

  /// Counts a swap. `lateness` > 0: the swap came after the due instant.
  void add_swap(LocalInstant swapped, Nanos lateness, bool late);
  /// Counts a picture that was left out as late.
  void add_dropped() noexcept { ++late_; }

  /// Paints the box of figures, and the hint below them unless it is "". The frame number and the
  /// hint are always new; the other figures change four times a second, to be legible. The inset is
  /// valid until the next paint.
  [[nodiscard]] present::Inset paint(const Figures& figures, LocalInstant now,
                                     const std::string& hint = "");
  /// Paints a box with the hint alone, in larger letters where there is room. The inset is valid
  /// until the next paint.
  [[nodiscard]] present::Inset paint_hint(const std::string& hint);

 private:
  static constexpr int figure_lines = 5;
  void update_figures(const Figures& figures);
  [[nodiscard]] double fps() const noexcept;

  const std::string panel_;
  const SizePx picture_px_;
  const PointPx at_px_;
  std::array<std::string, figure_lines> lines_;
  TextBox box_;
  std::optional<TextBox> tall_box_;  // figures and hint; empty before the first hint
  std::optional<TextBox> hint_box_;
  std::string hint_;                // the text in hint_box_
  std::deque<LocalInstant> swaps_;  // within the last second
  Nanos worst_lateness_{0};         // since the figures were last painted
  std::int64_t late_ = 0;
  LocalInstant next_figures_;
};

}  // namespace tilewall::panel
