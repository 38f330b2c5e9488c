// What lies over a panel's picture: a box of its own figures (name and frame, rate and buffers,
// lateness, level and clock), and a hint that all panels show alike. Painted by the CPU, and of the
// figures only the letters that changed.
//
// Threads: the presenting thread's.
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

/// Text on a dark ground, of a fixed number of lines and columns.
class TextBox {
 public:
  TextBox(int columns, int lines, int scale);

  /// What is too long is cut off.
  void set_line(int line, std::string text);

  [[nodiscard]] ImageView image() const noexcept;

 private:
  [[nodiscard]] RectPx cell_px(int column, int line) const noexcept;

  const int columns_;
  const int scale_;
  SizePx size_px_;
  std::vector<std::string> lines_;
  mutable std::vector<std::uint8_t> pixels_;
};

class PanelOverlay {
 public:
  /// Of the picture that is to be shown next.
  struct Figures {
    std::int64_t frame = 0;
    std::size_t buffers_ready = 0;
    std::size_t buffers = 0;
    int level = 0;      ///< of the pyramid; 0: full size
    std::string clock;  ///< state and bound
    std::string ticks;  ///< which ticks are shown, and why
  };

  /// For pictures of that size, as viewed.
  PanelOverlay(std::string panel, SizePx picture_px);

  /// A picture was swapped so much after its due instant.
  void add_swap(LocalInstant swapped, Nanos lateness, bool late);
  /// A picture was left out, as the next one was due as well.
  void add_dropped() noexcept { ++late_; }

  /// Paints the box of figures, with a hint below them unless it is "". Valid until the next paint.
  /// All but the frame number and the hint changes four times a second, so that it can be read.
  [[nodiscard]] present::Inset paint(const Figures& figures, LocalInstant now,
                                     const std::string& hint = "");
  /// Paints a box with nothing but the hint: larger letters where there is room. Valid until the
  /// next paint.
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
  std::optional<TextBox> tall_box_;  // of figures and a hint, once there was one
  std::optional<TextBox> hint_box_;
  std::string hint_;                // in hint_box_
  std::deque<LocalInstant> swaps_;  // of the last second
  Nanos worst_lateness_{0};         // since the figures were painted
  std::int64_t late_ = 0;
  LocalInstant next_figures_;
};

}  // namespace tilewall::panel
