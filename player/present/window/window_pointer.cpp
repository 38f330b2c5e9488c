#include "player/present/window/window_pointer.hpp"

#include "player/present/picture/copy_picture.hpp"

namespace tilewall {
namespace {

constexpr Uint64 cursor_rest_ms = 2000;

/// The event at the end of `input` that goes on, if it is a drag from `from`.
PointerEvent* drag_at_end(std::vector<OperatorInput>& input, PointF from) {
  auto* const last = input.empty() ? nullptr : std::get_if<PointerEvent>(&input.back());
  return last != nullptr && last->kind == PointerKind::drag && last->at_px == from ? last : nullptr;
}

}  // namespace

WindowPointer::WindowPointer(SizePx frame_buffer_px, Rotation rotation)
    : frame_buffer_px_(frame_buffer_px), rotation_(rotation) {
  SDL_ShowCursor(SDL_DISABLE);
}

/// The middle of a pixel.
PointF WindowPointer::viewed(int x, int y) const noexcept {
  const PointPx at = viewed_place({x, y}, frame_buffer_px_, rotation_);
  return {at.x + 0.5, at.y + 0.5};
}

void WindowPointer::take(const SDL_Event& event, std::vector<OperatorInput>& input) {
  switch (event.type) {
    case SDL_MOUSEBUTTONDOWN:
      return press(event.button, input);
    case SDL_MOUSEBUTTONUP:
      if (event.button.button == SDL_BUTTON_LEFT) pressed_.reset();
      return;
    case SDL_MOUSEMOTION:
      if (!cursor_shown_ms_) SDL_ShowCursor(SDL_ENABLE);
      cursor_shown_ms_ = SDL_GetTicks64();
      if (pressed_) drag_to(viewed(event.motion.x, event.motion.y), input);
      return;
    case SDL_MOUSEWHEEL:
      return turn_wheel(event.wheel, input);
    default:
      return;
  }
}

void WindowPointer::press(const SDL_MouseButtonEvent& event, std::vector<OperatorInput>& input) {
  if (event.button != SDL_BUTTON_LEFT) return;
  last_ = viewed(event.x, event.y);
  pressed_ = last_;
  if (event.clicks == 2) input.push_back(PointerEvent{PointerKind::double_click, last_, {}, 0});
}

void WindowPointer::drag_to(PointF now, std::vector<OperatorInput>& input) {
  const PointF by{now.x - last_.x, now.y - last_.y};
  last_ = now;
  PointerEvent* drag = drag_at_end(input, *pressed_);
  if (drag == nullptr) {
    input.push_back(PointerEvent{PointerKind::drag, *pressed_, {}, 0});
    drag = &std::get<PointerEvent>(input.back());
  }
  drag->by_px = {drag->by_px.x + by.x, drag->by_px.y + by.y};
}

void WindowPointer::follow(const PointerPlace& at, std::vector<OperatorInput>& input) {
  if (!at.left_down) return pressed_.reset();
  const PointF now = viewed(at.x, at.y);
  if (!(now == last_)) drag_to(now, input);
}

void WindowPointer::turn_wheel(const SDL_MouseWheelEvent& event,
                               std::vector<OperatorInput>& input) {
  if (event.preciseY == 0) return;
  const double steps = event.direction == SDL_MOUSEWHEEL_FLIPPED ? -event.preciseY : event.preciseY;
  input.push_back(PointerEvent{PointerKind::wheel, viewed(event.mouseX, event.mouseY), {}, steps});
}

void WindowPointer::hide_rested_cursor() {
  if (!cursor_shown_ms_ || SDL_GetTicks64() - *cursor_shown_ms_ < cursor_rest_ms) return;
  SDL_ShowCursor(SDL_DISABLE);
  cursor_shown_ms_.reset();
}

}  // namespace tilewall
