// What a panel says about itself, in a box over its own picture: name and frame, rate and buffers,
// lateness, level and clock. Painted by the CPU, and only the letters that changed.
//
// Threads: the presenting thread's.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "player/present/picture/inset.hpp"
#include "sync/global_time.hpp"

namespace tilewall {

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

  /// Paints the box. Valid until the next call. All but the frame number changes four times a
  /// second, so that it can be read.
  [[nodiscard]] Inset paint(const Figures& figures, LocalInstant now);

 private:
  void paint_figures(const Figures& figures);
  [[nodiscard]] double fps() const noexcept;

  const std::string panel_;
  const PointPx at_px_;
  TextBox box_;
  std::deque<LocalInstant> swaps_;  // of the last second
  Nanos worst_lateness_{0};         // since the figures were painted
  std::int64_t late_ = 0;
  LocalInstant next_figures_;
};

}  // namespace tilewall
