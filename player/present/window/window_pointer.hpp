// The pointer over a panel's window: wheel, drags with the left button, double clicks; slides with
// the middle button or shift and the left one, zooming with the right one up and down; and the
// cursor, which shows while the pointer moves and for two seconds after.
//
// A drag goes on beyond the window while the button is down: SDL captures the pointer for a window
// that has the keyboard; for others the window's owner asks the display where the pointer is.
#pragma once

#include <SDL.h>

#include <optional>
#include <vector>

#include "player/present/operator_input.hpp"
#include "wallconfigs/wall.hpp"

namespace tilewall::present {

/// Where the pointer is, in pixels of the window and beyond them.
struct PointerPlace {
  int x = 0;
  int y = 0;
  Uint32 buttons = 0;  ///< those that are down, as SDL_BUTTON() has them
};

class WindowPointer {
 public:
  /// Hides the cursor.
  WindowPointer(SizePx frame_buffer_px, wall::Rotation rotation);

  /// What a mouse event means, at the end of `input`; the moves of one drag that follow each other
  /// there are one. Other events mean nothing.
  void take(const SDL_Event& event, std::vector<OperatorInput>& input);

  /// Whether a drag has left the window, so that SDL tells no more of it.
  [[nodiscard]] bool drags_outside() const { return pressed_ && SDL_GetMouseFocus() == nullptr; }

  /// Where such a drag is now. After the events that came with it.
  void follow(const PointerPlace& at, std::vector<OperatorInput>& input);

  /// To be called now and then.
  void hide_rested_cursor();

 private:
  [[nodiscard]] PointF viewed(int x, int y) const noexcept;
  void press(const SDL_MouseButtonEvent& event, std::vector<OperatorInput>& input);
  void drag_to(PointF now, std::vector<OperatorInput>& input);
  void turn_wheel(const SDL_MouseWheelEvent& event, std::vector<OperatorInput>& input);

  const SizePx frame_buffer_px_;
  const wall::Rotation rotation_;
  std::optional<PointF> pressed_;          // where `button_` went down; empty while it is up
  Uint8 button_ = 0;                       // SDL's, that drags; while it is down
  PointerKind means_ = PointerKind::drag;  // what its moves are; likewise
  PointF last_;                            // likewise
  std::optional<Uint64> cursor_shown_ms_;  // since the last move; empty while it is hidden
};

}  // namespace tilewall::present
