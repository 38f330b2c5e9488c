#include "player/panel/pointer_relay.hpp"

#include <utility>

namespace tilewall::panel {

void PointerRelay::add(const present::PointerEvent& event, const wall::PanelMap& map) {
  const PointF from = map.to_canvas(event.at_px);
  const PointF to = map.to_canvas({event.at_px.x + event.by_px.x, event.at_px.y + event.by_px.y});
  auto& waiting = waiting_[static_cast<std::size_t>(event.kind)];
  scene::CanvasPointer sum = waiting.value_or(scene::CanvasPointer{event.kind, {}, {}, 0});
  sum.at_px = from;
  sum.by_px = {sum.by_px.x + to.x - from.x, sum.by_px.y + to.y - from.y};
  sum.steps += event.steps;
  waiting = sum;
}

std::optional<scene::CanvasPointer> PointerRelay::take(LocalInstant now) {
  if (taken_at_ && now - *taken_at_ < interval) return std::nullopt;
  for (std::size_t i = 0; i < kinds; ++i) {
    auto& waiting = waiting_[next_];
    next_ = (next_ + 1) % kinds;
    if (!waiting) continue;
    taken_at_ = now;
    return std::exchange(waiting, std::nullopt);
  }
  return std::nullopt;
}

}  // namespace tilewall::panel
