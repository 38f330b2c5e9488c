// The pointer over a panel's window. The wheel, drags with the left button and double clicks are
// input; so are slides with the middle button or with shift and the left one, and zooming with the
// right one up and down. The cursor shows while the pointer moves and for two seconds after.
//
// A drag goes on beyond the window while the button is down. SDL captures the pointer only for a
// window that has the keyboard; for others the window's owner asks the display where the pointer
// is.
#pragma once

#include <SDL.h>

#include <optional>
#include <vector>

#include "player/present/operator_input.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::present {

/// Position of the pointer in pixels of the window; may lie outside of it.
struct PointerPlace {
  int x = 0;
  int y = 0;
  Uint32 buttons = 0;  ///< Buttons that are down, as bits of SDL_BUTTON()
};

class WindowPointer {
 public:
  /// Hides the cursor.
  WindowPointer(SizePx frame_buffer_px, wall::Rotation rotation);

  /// Appends the input that a mouse event means, if it means one, to `input`. Moves of one drag
  /// that follow each other are merged into one.
  void take(const SDL_Event& event, std::vector<OperatorInput>& input);

  /// Whether a drag has left the window, so that SDL sends no more events of it.
  [[nodiscard]] bool drags_outside() const { return pressed_ && SDL_GetMouseFocus() == nullptr; }

  /// Continues a drag outside of the window at `at`. Call after the events that were read before.
  void follow(const PointerPlace& at, std::vector<OperatorInput>& input);

  /// Hides a cursor that has rested for two seconds. Call it a few times a second.
  void hide_rested_cursor();

 private:
  [[nodiscard]] PointF viewed(int x, int y) const noexcept;
  void press(const SDL_MouseButtonEvent& event, std::vector<OperatorInput>& input);
  void drag_to(PointF now, std::vector<OperatorInput>& input);
  void turn_wheel(const SDL_MouseWheelEvent& event, std::vector<OperatorInput>& input);

  const SizePx frame_buffer_px_;
  const wall::Rotation rotation_;
  std::optional<PointF> pressed_;          // where `button_` went down; empty while it is up
  Uint8 button_ = 0;                       // SDL number of the button that drags, while it is down
  PointerKind means_ = PointerKind::drag;  // meaning of the drag's moves, while the button is down
  PointF last_;  // place of the drag's last move, while the button is down
  std::optional<Uint64> cursor_shown_ms_;  // since the last move; empty while it is hidden
};

}  // namespace tilewall::present
