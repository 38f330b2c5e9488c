#include "player/present/window/window_pointer.hpp"

#include "player/present/correction/copy_picture.hpp"

namespace tilewall::present {
namespace {

constexpr Uint64 cursor_rest_ms = 2000;

// A zooming drag by so many pixels zooms as far as a step of the wheel.
constexpr double wheel_step_px = 30;

/// The last event of `input`, if it is of that kind and its place is `from`, so that a move can be
/// added to it.
PointerEvent* move_at_end(std::vector<OperatorInput>& input, PointerKind kind, PointF from) {
  auto* const last = input.empty() ? nullptr : std::get_if<PointerEvent>(&input.back());
  return last != nullptr && last->kind == kind && last->at_px == from ? last : nullptr;
}

/// The meaning of moves with that button; empty for unusual buttons.
std::optional<PointerKind> kind_of(Uint8 button) {
  const bool shift = (SDL_GetModState() & KMOD_SHIFT) != 0;
  if (button == SDL_BUTTON_LEFT) return shift ? PointerKind::slide : PointerKind::drag;
  if (button == SDL_BUTTON_MIDDLE) return PointerKind::slide;
  if (button == SDL_BUTTON_RIGHT) return PointerKind::wheel;
  return std::nullopt;
}

}  // namespace

WindowPointer::WindowPointer(SizePx frame_buffer_px, wall::Rotation rotation)
    : frame_buffer_px_(frame_buffer_px), rotation_(rotation) {
  SDL_ShowCursor(SDL_DISABLE);
}

/// The middle of a pixel, in the picture as viewed.
PointF WindowPointer::viewed(int x, int y) const noexcept {
  const PointPx at = viewed_place({x, y}, frame_buffer_px_, rotation_);
  return {at.x + 0.5, at.y + 0.5};
}

void WindowPointer::take(const SDL_Event& event, std::vector<OperatorInput>& input) {
  switch (event.type) {
    case SDL_MOUSEBUTTONDOWN:
      return press(event.button, input);
    case SDL_MOUSEBUTTONUP:
      if (event.button.button == button_) pressed_.reset();
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
  const auto kind = kind_of(event.button);
  if (!kind || pressed_) return;
  last_ = viewed(event.x, event.y);
  pressed_ = last_;
  button_ = event.button;
  means_ = *kind;
  if (event.button == SDL_BUTTON_LEFT && event.clicks == 2)
    input.push_back(PointerEvent{PointerKind::double_click, last_, {}, 0});
}

void WindowPointer::drag_to(PointF now, std::vector<OperatorInput>& input) {
  const PointF by{now.x - last_.x, now.y - last_.y};
  last_ = now;
  PointerEvent* move = move_at_end(input, means_, *pressed_);
  if (move == nullptr) {
    input.push_back(PointerEvent{means_, *pressed_, {}, 0});
    move = &std::get<PointerEvent>(input.back());
  }
  if (means_ == PointerKind::wheel)
    move->steps -= by.y / wheel_step_px;
  else
    move->by_px = {move->by_px.x + by.x, move->by_px.y + by.y};
}

void WindowPointer::follow(const PointerPlace& at, std::vector<OperatorInput>& input) {
  if ((at.buttons & SDL_BUTTON(button_)) == 0) return pressed_.reset();
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

}  // namespace tilewall::present
